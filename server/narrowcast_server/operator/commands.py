"""The operator's commands: each changes the organization like its routes do, and returns lines to print."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server import first_run
from narrowcast_server.actions.audit_log import entries, record
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.operator import access, mail
from narrowcast_server.operator import arguments as given
from narrowcast_server.operator.arguments import Arguments, Command, Fault
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.statistics import sessions, statistics
from narrowcast_server.resources.password_resets import end_links
from narrowcast_server.resources.users.changes import change_role, deactivate, reactivate
from narrowcast_server.rules.accounts import is_only_owner

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_PASSWORD_BYTES: Final = 12


async def run(organization: Organization, name: str, arguments: Arguments) -> list[str]:
    """Executes a command; raises Fault."""
    command = COMMANDS.get(name)
    if command is None:
        raise Fault(f"there is no command {name!r}")
    try:
        return await command(organization, arguments)
    except ServiceError as error:
        raise Fault(error.message) from error


async def people(organization: Organization, arguments: Arguments) -> list[str]:
    """Lists all accounts: id, role, state, address, name."""
    rows = [
        (
            str(user.id),
            "bot" if user.is_bot else user.role.name.lower(),
            "active" if user.is_active else "deactivated",
            user.delivery_email,
            user.full_name,
        )
        for user in organization.users.all()
        if not user.is_system_bot
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return ["  ".join([*(row[n].ljust(widths[n]) for n in range(4)), row[4]]) for row in rows]


async def password(organization: Organization, arguments: Arguments) -> list[str]:
    """Sets a new password and a new API key: all sessions of the account end."""
    user = given.person(organization, arguments)
    fresh = secrets.token_urlsafe(_PASSWORD_BYTES)
    password_hash = await organization.passwords.hashed(fresh)
    with organization.transaction():
        organization.users.update(user.id, password_hash=password_hash)
        end_links(organization, user)
        replace_key(organization, user)
        record(organization, None, "password", {"who": given.named(user)})
    return [f"the new password of {user.full_name} ({user.delivery_email}) is: {fresh}"]


async def role(organization: Organization, arguments: Arguments) -> list[str]:
    user, new_role = given.person(organization, arguments), given.role(arguments)
    if new_role is not Role.OWNER and is_only_owner(organization, user):
        raise Fault(f"{user.full_name} is the only owner: make another one first")
    with organization.transaction():
        change_role(organization, user, new_role)
        record(organization, None, "role", {"who": given.named(user), "role": new_role.name.lower()})
    return [f"{user.full_name} is now {new_role.name.lower()}"]


async def permit(organization: Organization, arguments: Arguments) -> list[str]:
    """Grants or revokes permissions that only the operator can: creating accounts, changing others' email
    addresses.
    """
    user, permission = given.person(organization, arguments), given.permission(arguments)
    revoked = given.is_set(arguments, "revoke")
    with organization.transaction():
        organization.users.update(user.id, **{permission: int(not revoked)})
        record(
            organization, None, "permit", {"who": given.named(user), permission: "no" if revoked else "yes"}
        )
    return [f"{user.full_name} {'no longer has' if revoked else 'has'} the permission {permission}"]


async def close(organization: Organization, arguments: Arguments) -> list[str]:
    """Deactivates an account."""
    user = given.person(organization, arguments)
    if is_only_owner(organization, user):
        raise Fault(f"{user.full_name} is the only owner: make another one first")
    with organization.transaction():
        deactivate(organization, given.owner(organization), user, None)
        record(organization, None, "deactivate", {"who": given.named(user)})
    return [f"{user.full_name} is deactivated"]


async def reopen(organization: Organization, arguments: Arguments) -> list[str]:
    """Reactivates an account."""
    user = given.person(organization, arguments)
    with organization.transaction():
        reactivate(organization, given.owner(organization), user)
        record(organization, None, "reactivate", {"who": given.named(user)})
    return [f"{user.full_name} is active"]


async def statistics_of(organization: Organization, arguments: Arguments) -> list[str]:
    """Counts users, messages and so on."""
    numbers = statistics(organization)
    width = max(map(len, numbers))
    return [f"{name.replace('_', ' ').ljust(width)}  {value:,}" for name, value in numbers.items()]


async def sessions_of(organization: Organization, arguments: Arguments) -> list[str]:
    """Lists the clients of a user."""
    rows = sessions(organization, given.person(organization, arguments))
    return [
        f"{given.time(row['begun'])}  {row['client']}  idle {row['idle_seconds']} s"
        f"  {row['waiting_events']} events pending"
        for row in rows
    ] or ["none"]


async def end_sessions(organization: Organization, arguments: Arguments) -> list[str]:
    """Replaces the API key: all clients of the user must log in again."""
    user = given.person(organization, arguments)
    with organization.transaction():
        replace_key(organization, user)
        record(organization, None, "end-sessions", {"who": given.named(user)})
    return [f"the sessions of {user.full_name} have ended; the old API key no longer works"]


async def log(organization: Organization, arguments: Arguments) -> list[str]:
    """The newest administrative actions, in chronological order."""
    rows = entries(organization, given.number(arguments, "limit"))
    return [
        f"{given.time(row['timestamp'])}  {row['by']}  {row['act']}  "
        + " ".join(f"{name}={text!r}" for name, text in row["details"].items())
        for row in reversed(rows)
    ]


async def rotate_keys(organization: Organization, arguments: Arguments) -> list[str]:
    """Replaces all API keys: all programs and clients must log in again."""
    accounts = [user for user in organization.users.all() if not user.is_system_bot]
    with organization.transaction():
        for user in accounts:
            replace_key(organization, user)
        record(organization, None, "rotate-keys", {})
    first_run.follow_owner(organization)
    count = len(accounts)
    return [
        f"{count} account{'' if count == 1 else 's'} got a new API key: everybody logs in again with their password"
    ]


COMMANDS: Final[dict[str, Command]] = {
    "people": people,
    "password": password,
    "role": role,
    "permit": permit,
    "deactivate": close,
    "reactivate": reopen,
    "statistics": statistics_of,
    "sessions": sessions_of,
    "end-sessions": end_sessions,
    "rotate-keys": rotate_keys,
    "log": log,
    **access.COMMANDS,
    **mail.COMMANDS,
}
