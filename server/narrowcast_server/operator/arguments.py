"""Parses and validates the arguments of the operator's commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Arguments = Mapping[str, str]
Command = Callable[["Organization", Arguments], Awaitable[list[str]]]
"""Executes a command and returns the lines to print; raises Fault."""
_ROLES: Final = {role.name.lower(): role for role in Role}

_DIGITS: Final = 6

_PERMISSIONS: Final = ("can_create_users", "can_change_user_emails")


class Fault(Exception):
    """Why a command failed; shown to the operator."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def person(organization: Organization, arguments: Arguments) -> User:
    who = arguments.get("who", "")
    user = (
        organization.users.get(int(who))
        if who.isdecimal() and len(who) < 16
        else organization.user_by_address(who)
    )
    if user is None or user.is_system_bot:
        raise Fault(f"nobody has the id or address {who!r}; 'narrowcast serve admin people' lists everybody")
    return user


def named(user: User) -> str:
    """A user in the audit log, whose readers may not all see the email address."""
    return f"{user.full_name} ({user.id})"


def role(arguments: Arguments) -> Role:
    text = arguments.get("role", "")
    if text not in _ROLES:
        raise Fault(f"there is no role {text!r}; roles are {', '.join(_ROLES)}")
    return _ROLES[text]


def role_name(role: object) -> str:
    """A role's name on the command line."""
    return next((name for name, each in _ROLES.items() if int(each) == role), str(role))


def permission(arguments: Arguments) -> str:
    text = arguments.get("permission", "")
    if text not in _PERMISSIONS:
        raise Fault(f"there is no permission {text!r}; there are {', '.join(_PERMISSIONS)}")
    return text


def is_set(arguments: Arguments, name: str) -> bool:
    """Whether a flag option was given."""
    return arguments.get(name) == "True"


def number(arguments: Arguments, name: str, usual: str = "") -> int:
    text = arguments.get(name, usual)
    if not text.isdecimal() or len(text) > _DIGITS:
        raise Fault(f"{name} must be a whole number from 0 to {10**_DIGITS - 1:,}, not {text!r}")
    return int(text)


def owner(organization: Organization) -> User:
    """The owner on whose behalf the operator acts."""
    for user in organization.users.all():
        if user.is_owner and user.is_active and not user.is_bot:
            return user
    raise Fault("the organization has no active owner")


def time(seconds: object) -> str:
    assert isinstance(seconds, int)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
