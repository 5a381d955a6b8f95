"""The commands: each changes the organization as its own routes would, and gives lines to print."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions.act_log import acts, record
from narrowcast_server.actions.invites import create_link
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.user_admin import change_role, deactivate, reactivate
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.statistics import sessions, statistics
from narrowcast_server.rules.invites import Terms

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

Arguments = Mapping[str, str]
Command = Callable[["Core", Arguments], Awaitable[list[str]]]
_PASSWORD_BYTES: Final = 12
_DAY_MINUTES: Final = 24 * 60
_ROLES: Final = {role.name.lower(): role for role in Role}


class Fault(Exception):
    """Why a command was not done, in words for the operator."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


async def run(core: Core, name: str, arguments: Arguments) -> list[str]:
    """Does a command; raises Fault."""
    command = COMMANDS.get(name)
    if command is None:
        raise Fault(f"there is no command {name!r}")
    try:
        return await command(core, arguments)
    except ServiceError as error:
        raise Fault(error.message) from error


async def people(core: Core, arguments: Arguments) -> list[str]:
    """Everybody: id, role, state, address, name."""
    rows = [
        (
            str(user.id),
            "bot" if user.is_bot else user.role.name.lower(),
            "active" if user.is_active else "deactivated",
            user.delivery_email,
            user.full_name,
        )
        for user in core.users.all()
        if not user.is_system_bot
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return ["  ".join([*(row[n].ljust(widths[n]) for n in range(4)), row[4]]) for row in rows]


async def password(core: Core, arguments: Arguments) -> list[str]:
    """A new password, and with it a new key: every session of the account ends."""
    user = _person(core, arguments)
    fresh = secrets.token_urlsafe(_PASSWORD_BYTES)
    password_hash = await core.passwords.hashed(fresh)
    with core.transaction():
        core.users.update(user.id, password_hash=password_hash)
        replace_key(core, user)
        record(core, None, "password", {"who": user.delivery_email})
    return [f"the new password of {user.full_name} ({user.delivery_email}) is: {fresh}"]


async def role(core: Core, arguments: Arguments) -> list[str]:
    """Another role."""
    user, wanted = _person(core, arguments), _role(arguments)
    if wanted is not Role.OWNER and _is_last_owner(core, user):
        raise Fault(f"{user.full_name} is the only owner: make another one first")
    with core.transaction():
        change_role(core, user, wanted)
        record(core, None, "role", {"who": user.delivery_email, "role": wanted.name.lower()})
    return [f"{user.full_name} is now {wanted.name.lower()}"]


async def close(core: Core, arguments: Arguments) -> list[str]:
    """Deactivates an account."""
    user = _person(core, arguments)
    if _is_last_owner(core, user):
        raise Fault(f"{user.full_name} is the only owner: make another one first")
    with core.transaction():
        deactivate(core, _owner(core), user, None)
        record(core, None, "deactivate", {"who": user.delivery_email})
    return [f"{user.full_name} is deactivated"]


async def reopen(core: Core, arguments: Arguments) -> list[str]:
    """Opens an account again."""
    user = _person(core, arguments)
    with core.transaction():
        reactivate(core, _owner(core), user)
        record(core, None, "reactivate", {"who": user.delivery_email})
    return [f"{user.full_name} is active"]


async def link(core: Core, arguments: Arguments) -> list[str]:
    """A link by which people make accounts; it is the owner's."""
    wanted = _role(arguments)
    days = _number(arguments, "days")
    terms = Terms(days * _DAY_MINUTES or None, wanted, [], [], include_defaults=True)
    with core.transaction():
        address = create_link(core, _owner(core), terms)
        record(core, None, "invite", {"role": wanted.name.lower(), "days": str(days)})
    return [address]


async def statistics_of(core: Core, arguments: Arguments) -> list[str]:
    """How much of everything there is."""
    numbers = statistics(core)
    width = max(map(len, numbers))
    return [f"{name.replace('_', ' ').ljust(width)}  {value:,}" for name, value in numbers.items()]


async def sessions_of(core: Core, arguments: Arguments) -> list[str]:
    """The clients of somebody."""
    rows = sessions(core, _person(core, arguments))
    return [
        f"{_time(row['begun'])}  {row['client']}  idle {row['idle_seconds']} s  {row['waiting_events']} events wait"
        for row in rows
    ] or ["none"]


async def end_sessions(core: Core, arguments: Arguments) -> list[str]:
    """A new key: every client of somebody must sign in again."""
    user = _person(core, arguments)
    with core.transaction():
        replace_key(core, user)
        record(core, None, "end-sessions", {"who": user.delivery_email})
    return [f"the sessions of {user.full_name} have ended; the old key is worth nothing"]


async def log(core: Core, arguments: Arguments) -> list[str]:
    """The newest administrative acts, the oldest of them first."""
    rows = acts(core, _number(arguments, "limit"))
    return [
        f"{_time(row['timestamp'])}  {row['by']}  {row['act']}  "
        + " ".join(f"{name}={text!r}" for name, text in row["details"].items())
        for row in reversed(rows)
    ]


COMMANDS: Final[dict[str, Command]] = {
    "people": people,
    "password": password,
    "role": role,
    "deactivate": close,
    "reactivate": reopen,
    "invite": link,
    "statistics": statistics_of,
    "sessions": sessions_of,
    "end-sessions": end_sessions,
    "log": log,
}


def _person(core: Core, arguments: Arguments) -> User:
    """By id or address."""
    who = arguments.get("who", "")
    user = core.users.get(int(who)) if who.isdecimal() and len(who) < 16 else core.user_by_address(who)
    if user is None or user.is_system_bot:
        raise Fault(f"nobody has the id or address {who!r}; 'narrowcast serve admin people' lists everybody")
    return user


def _role(arguments: Arguments) -> Role:
    text = arguments.get("role", "")
    if text not in _ROLES:
        raise Fault(f"there is no role {text!r}; roles are {', '.join(_ROLES)}")
    return _ROLES[text]


def _number(arguments: Arguments, name: str) -> int:
    text = arguments.get(name, "")
    if not text.isdecimal() or len(text) > 6:
        raise Fault(f"{name} is no number: {text!r}")
    return int(text)


def _owner(core: Core) -> User:
    """In whose name the operator acts."""
    for user in core.users.all():
        if user.is_owner and user.is_active and not user.is_bot:
            return user
    raise Fault("the organization has no active owner")


def _is_last_owner(core: Core, user: User) -> bool:
    owners = [each for each in core.users.all() if each.is_owner and each.is_active and not each.is_bot]
    return [each.id for each in owners] == [user.id]


def _time(seconds: object) -> str:
    assert isinstance(seconds, int)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
