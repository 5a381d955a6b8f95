"""This server's own operations for two-factor authentication with an app (RFC 6238; not under /api/v1).

GET /server/second_factor                   whether it is on, and how many recovery codes are left
POST /server/second_factor                  password: returns a secret for the app; stays off until confirmed
POST /server/second_factor/confirm          code: switches it on; returns the recovery codes, this once
POST /server/second_factor/recovery_codes   password, code: returns new recovery codes, this once
DELETE /server/second_factor                password, code: switches it off
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization import totp
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import has_password

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

NEEDED: Final = "SECOND_FACTOR_NEEDED"


def check_code(organization: Organization, user: User, code: str | None) -> None:
    """Raises 401 if the user needs a code and gives none (SECOND_FACTOR_NEEDED) or a wrong one. Call it after
    the password was checked, within a transaction, since it marks the code as used.
    """
    if not organization.second_factors.is_on(user.id):
        return
    if not code:
        raise ServiceError(
            "Give the code of your authenticator app as well, or a recovery code.", NEEDED, 401
        )
    if not organization.second_factors.fits(user.id, code):
        raise ServiceError("This code is wrong or was already used.", "AUTHENTICATION_FAILED", 401)


routes = Routes()

PASSWORD = required("password", string)
CODE = required("code", string)
_PATH = "/server/second_factor"


@routes.get(_PATH)
def get_second_factor(call: Call) -> ResponseBody:
    factors = call.organization.second_factors
    return {
        "is_on": factors.is_on(call.user.id),
        "recovery_codes_left": factors.recovery_codes_left(call.user.id),
    }


@routes.post(_PATH, PASSWORD)
async def post_second_factor(call: Call) -> ResponseBody:
    """Returns a new secret, and the URI for its QR code."""
    organization, user = call.organization, call.user
    if user.is_bot:
        raise ServiceError("Bots have no password, so no two-factor authentication.")
    _check_is_off(call)
    await _check_password(call)
    with organization.transaction():
        _check_is_off(call)
        secret = organization.second_factors.begin(user.id)
    uri = totp.address(secret, organization.setting("name", str), user.delivery_email)
    return {"secret": secret, "uri": uri}


@routes.post(f"{_PATH}/confirm", CODE)
def post_confirmation(call: Call) -> ResponseBody:
    """Switches two-factor authentication on, if the code proves that the app has the secret."""
    factors = call.organization.second_factors
    if factors.is_on(call.user.id):
        raise ServiceError("Two-factor authentication is on already.")
    if not factors.fits(call.user.id, call[CODE]):
        raise ServiceError(
            "This code is wrong. Check the clock of the device with the app, and try the next one."
        )
    return {"recovery_codes": factors.confirm(call.user.id)}


@routes.post(f"{_PATH}/recovery_codes", PASSWORD, CODE)
async def post_recovery_codes(call: Call) -> ResponseBody:
    """Replaces the recovery codes; requires password and code."""
    factors = call.organization.second_factors
    if not factors.is_on(call.user.id):
        raise ServiceError("Two-factor authentication is off, so there are no recovery codes.")
    await _check_password(call)
    with call.organization.transaction():
        check_code(call.organization, call.user, call[CODE])
        return {"recovery_codes": factors.new_recovery_codes(call.user.id)}


@routes.delete(_PATH, PASSWORD, CODE)
async def delete_second_factor(call: Call) -> ResponseBody:
    """Switches two-factor authentication off; requires password and code."""
    await _check_password(call)
    with call.organization.transaction():
        check_code(call.organization, call.user, call[CODE])
        call.organization.second_factors.remove(call.user.id)
    return {}


def _check_is_off(call: Call) -> None:
    if call.organization.second_factors.is_on(call.user.id):
        raise ServiceError("Two-factor authentication is on already: turn it off first.")


async def _check_password(call: Call) -> None:
    organization, user, place = call.organization, call.user, address_of(call.request)
    organization.login_limits.hit(user.id, user.delivery_email, place)
    if not await has_password(organization, user, call[PASSWORD], place):
        raise ServiceError("Wrong password!")
    call.confirm()
    organization.login_limits.succeeded(user.id, place)
