"""POST /fetch_api_key: signing in with address and password."""

from __future__ import annotations

from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import optional, required, string
from narrowcast_server.http.routing import Answer, Call, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.users import password_hash_of
from narrowcast_server.rules.second_factors import check_code

routes = Routes()

USERNAME = required("username", string)
PASSWORD = required("password", string)
CODE = optional("second_factor", string)
"""Of an authenticator app, for those who gave themselves one; the server's own."""


@routes.post("/fetch_api_key", USERNAME, PASSWORD, CODE, public=True)
async def fetch_api_key(call: Call) -> Answer:
    """The caller's key. Too many wrong passwords are refused for a while (RATE_LIMIT_HIT)."""
    core = call.core
    name, place = call[USERNAME].strip().lower(), address_of(call.request)
    user = core.user_by_address(name)
    core.sign_ins.hit(None if user is None else user.id, name, place)
    fits = await core.passwords.fits(password_hash_of(core, user), call[PASSWORD], place)
    # Others were served meanwhile.
    user = None if user is None else core.users.get(user.id)
    if user is None or not fits or user.is_bot:
        raise ServiceError("Your username or password is incorrect", "AUTHENTICATION_FAILED", 401)
    if not user.is_active:
        raise ServiceError("Account is deactivated", "USER_DEACTIVATED", 401)
    with core.transaction():
        check_code(core, user, call[CODE])
    core.sign_ins.succeeded(user.id, place)
    return {"api_key": user.api_key, "email": user.delivery_email, "user_id": user.id}
