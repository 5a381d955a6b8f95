"""Links to set a new password, for users who cannot log in: each works once, for some time (outside the contract).

A link comes by email or from the operator.

POST /reset          email: sends a link to an account's address; the response does not show whether there is one
POST /reset/TOKEN    password, second_factor: sets the password; responds like fetch_api_key
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.mail import send_mail
from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import optional, required, string, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.passwords import check_password
from narrowcast_server.resources.second_factor import check_code

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

BY_MAIL_SECONDS: Final = 3600
BY_OPERATOR_SECONDS: Final = 86_400
_PAUSE_SECONDS: Final = 300


def make_link(organization: Organization, user: User, seconds: int) -> str:
    """Creates a link. Earlier links of the user stay valid, so that strangers cannot end them by requesting another."""
    token = secrets.token_urlsafe(24)
    organization.store.execute("DELETE FROM sign_in_links WHERE expires <= ?", organization.now())
    organization.store.execute(
        "INSERT INTO sign_in_links (digest, user_id, created, expires) VALUES (?, ?, ?, ?)",
        _digest(token),
        user.id,
        organization.now(),
        organization.now() + seconds,
    )
    return reset_url(organization, token)


def reset_url(organization: Organization, token: str) -> str:
    return f"{organization.url}/reset/{token}/"


def end_links(organization: Organization, user: User) -> None:
    """Deletes all links of a user."""
    organization.store.execute("DELETE FROM sign_in_links WHERE user_id = ?", user.id)


def whose(organization: Organization, token: str) -> User:
    """The user of a link; raises BAD_REQUEST if it is not or no longer valid."""
    row = organization.store.one(
        "SELECT user_id FROM sign_in_links WHERE digest = ? AND expires > ?",
        _digest(token),
        organization.now(),
    )
    user = None if row is None else organization.users.get(row["user_id"])
    if user is None or not user.is_active:
        raise ServiceError("This link was already used, has expired, or is invalid. Ask for a new one.")
    return user


def use_link(organization: Organization, token: str, password_hash: str) -> User:
    """Sets the password; ends the user's links, old API keys and sessions."""
    user = whose(organization, token)
    organization.users.update(user.id, password_hash=password_hash)
    end_links(organization, user)
    replace_key(organization, user)
    return organization.users[user.id]


def request_link(organization: Organization, user: User | None) -> None:
    """Emails a link if there is such an account."""
    changes = organization.store.changes
    if user is not None and user.is_active and not user.is_bot:
        mail_link(organization, user)
    if organization.store.changes == changes:
        # Otherwise a response that waits for the disk would show that there is an account.
        organization.store.execute("UPDATE settings SET value = value WHERE name = 'name'")


def mail_link(organization: Organization, user: User) -> None:
    """Emails a user a link, unless one was created less than five minutes ago."""
    if organization.store.one(
        "SELECT 1 FROM sign_in_links WHERE user_id = ? AND created > ?",
        user.id,
        organization.now() - _PAUSE_SECONDS,
    ):
        return
    name = organization.setting("name", str)
    link = make_link(organization, user, BY_MAIL_SECONDS)
    lines = (
        f"Someone, hopefully you, requested a password reset for {user.delivery_email} at {name}.",
        "To choose a new password, run this command within an hour:",
        f"    narrowcast login {link}",
        "If it was not you, ignore this email: your password stays unchanged.",
    )
    send_mail(organization, user.delivery_email, f"Password reset for {name}", "\n\n".join(lines))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


routes = Routes()

EMAIL = required("email", text_without_null)
PASSWORD = required("password", string)
CODE = optional("second_factor", string)


@routes.post("/reset", EMAIL, public=True)
def request_reset(call: Call) -> ResponseBody:
    """Emails a link; limited to a few per hour."""
    organization, name = call.organization, call[EMAIL].strip().lower()
    if organization.config.mail is None:
        raise ServiceError(
            "This server sends no email. Ask its operator for a password reset link (narrowcast serve admin link)."
        )
    user = organization.user_by_address(name)
    organization.reset_limits.hit(None if user is None else user.id, name, address_of(call.request))
    request_link(organization, user)
    return {}


@routes.post("/reset/{token}", PASSWORD, CODE, public=True)
async def reset_password(call: Call) -> ResponseBody:
    """Sets the password of the account that the link belongs to."""
    organization, token = call.organization, call.path["token"]
    user = whose(organization, token)
    check_password(call[PASSWORD])
    password_hash = await organization.passwords.hashed(call[PASSWORD])
    with organization.transaction():
        check_code(organization, user, call[CODE])
        user = use_link(organization, token, password_hash)
    return {"api_key": user.api_key, "email": user.delivery_email, "user_id": user.id}
