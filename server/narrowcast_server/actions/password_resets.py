"""Links to set a new password, for users who cannot log in: each works once, for a limited time."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.mail import send_mail
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User

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
