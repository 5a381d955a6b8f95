"""Setting a new password by a link, which comes by email or from the operator (outside the contract).

POST /reset          email: sends a link to an account's address; the response does not show whether there is one
POST /reset/TOKEN    password, second_factor: sets the password; responds like fetch_api_key
"""

from __future__ import annotations

from narrowcast_server.actions import password_resets
from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import optional, required, string, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.passwords import check_password
from narrowcast_server.resources.second_factor import check_code

routes = Routes()

EMAIL = required("email", text_without_null)
PASSWORD = required("password", string)
CODE = optional("second_factor", string)


@routes.post("/reset", EMAIL, public=True)
def ask_for_link(call: Call) -> ResponseBody:
    """Emails a link; limited to a few per hour."""
    organization, name = call.organization, call[EMAIL].strip().lower()
    if organization.config.mail is None:
        raise ServiceError(
            "This server sends no email. Ask its operator for a password reset link (narrowcast serve admin link)."
        )
    user = organization.user_by_address(name)
    organization.reset_limits.hit(None if user is None else user.id, name, address_of(call.request))
    password_resets.request_link(organization, user)
    return {}


@routes.post("/reset/{token}", PASSWORD, CODE, public=True)
async def use_link(call: Call) -> ResponseBody:
    """Sets the password of the account that the link belongs to."""
    organization, token = call.organization, call.path["token"]
    user = password_resets.whose(organization, token)
    check_password(call[PASSWORD])
    password_hash = await organization.passwords.hashed(call[PASSWORD])
    with organization.transaction():
        check_code(organization, user, call[CODE])
        user = password_resets.use_link(organization, token, password_hash)
    return {"api_key": user.api_key, "email": user.delivery_email, "user_id": user.id}
