"""POST /fetch_api_key: logging in with email address and password; `signed_in` checks them for other routes too."""

from __future__ import annotations

from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import has_password
from narrowcast_server.resources.second_factor import check_code

routes = Routes()

USERNAME = required("username", string)
PASSWORD = required("password", string)
CODE = optional("second_factor", string)
"""Code of an authenticator app, for users who set one up; not part of the service's API."""


@routes.post("/fetch_api_key", USERNAME, PASSWORD, CODE, public=True)
async def fetch_api_key(call: Call) -> ResponseBody:
    """The API key of the account. Too many wrong passwords raise RATE_LIMIT_HIT."""
    return key_of(await signed_in(call, call[USERNAME], call[PASSWORD], call[CODE]))


def key_of(user: User) -> ResponseBody:
    """The response to logging in."""
    return {"api_key": user.api_key, "email": user.delivery_email, "user_id": user.id}


async def signed_in(call: Call, username: str, password: str, code: str | None) -> User:
    """The user with this name, password and code of an authenticator app, if they use one. Raises
    AUTHENTICATION_FAILED, USER_DEACTIVATED, SECOND_FACTOR_NEEDED, and RATE_LIMIT_HIT after too many wrong ones.
    """
    organization = call.organization
    name, place = username.strip().lower(), address_of(call.request)
    user = organization.user_by_address(name)
    organization.login_limits.hit(None if user is None else user.id, name, place)
    fits = await has_password(organization, user, password, place)
    # Other requests may have changed the user meanwhile.
    user = None if user is None else organization.users.get(user.id)
    if user is None or not fits or user.is_bot:
        raise ServiceError("Your username or password is incorrect", "AUTHENTICATION_FAILED", 401)
    if not user.is_active:
        raise ServiceError("Account is deactivated", "USER_DEACTIVATED", 401)
    with organization.transaction():
        check_code(organization, user, code)
    organization.login_limits.succeeded(user.id, place)
    return user
