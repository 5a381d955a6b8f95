"""Accepting an invitation (outside the contract)."""

from __future__ import annotations

from narrowcast_server.actions import joining
from narrowcast_server.http.params import required, string, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.passwords import check_password

routes = Routes()

EMAIL = required("email", text_without_null)
FULL_NAME = required("full_name", text_without_null)
PASSWORD = required("password", string)


@routes.post("/join/{token}", EMAIL, FULL_NAME, PASSWORD, public=True)
async def join(call: Call) -> ResponseBody:
    """Creates an account; the response carries its API key, as that of fetch_api_key does."""
    core, token = call.core, call.path["token"]
    joining.invitation(core, token)
    check_password(call[PASSWORD])
    password_hash = await core.passwords.hashed(call[PASSWORD])
    with core.transaction():
        user = joining.join(core, token, call[EMAIL], call[FULL_NAME], password_hash)
    return {"api_key": user.api_key, "email": user.delivery_email, "user_id": user.id}
