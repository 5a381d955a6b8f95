"""Invitations by email and reusable links (rows INV, INVM). Emails are sent if the server sends email (INV-01)."""

from __future__ import annotations

import json
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ErrorCode, Role
from narrowcast_server.actions.mail import may_send, send_mail
from narrowcast_server.mail.messages import is_address
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import Channel, Group, User
from narrowcast_server.resources.users.accounts import well_formed_address
from narrowcast_server.rules.access import may_know, may_read
from narrowcast_server.rules.new_addresses import problem_of
from narrowcast_server.rules.permissions import (
    administers_channel,
    channel_allows,
    realm_allows,
    require_administrator,
)
from narrowcast_server.rules.quotas import check_room, has_room
from narrowcast_server.rules.user_groups import may_add_members
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_MINUTE: Final = 60
_NOBODY: Final = "We weren't able to invite anyone."
_SOME: Final = (
    "Some of those addresses are already using this organization, so we didn't send them an invitation."
    " We did send invitations to everyone else!"
)
_SEPARATORS: Final = re.compile(r"[,\n\r]")


def link_of(organization: Organization, token: str) -> str:
    """The URL at which an invitation is accepted."""
    return f"{organization.url}/join/{token}/"


def open_invites(organization: Organization, user: User) -> list[dict[str, object]]:
    """Valid invitations: for administrators all, for others their own (INV-36)."""
    rows = organization.store.all(
        "SELECT * FROM invites WHERE revoked = 0 AND accepted = 0 AND (expires IS NULL OR expires > ?) ORDER BY id",
        organization.now(),
    )
    return [
        _object(organization, user, row)
        for row in rows
        if user.is_administrator or row["inviter_id"] == user.id
    ]


def _object(organization: Organization, user: User, row: Row) -> dict[str, object]:
    result: dict[str, object] = {
        "invited_by_user_id": row["inviter_id"],
        "invited": row["invited"],
        "expiry_date": row["expires"],
        "id": row["id"],
        "invited_as": row["invite_as"],
        "is_multiuse": row["email"] is None,
    }
    # A link gives its role to anyone, so users do not see links to a role above their own. Invitations by
    # email also show their link if the server sends no email.
    if row["uses_left"] is not None:
        result["uses_left"] = row["uses_left"]
    by_link = row["email"] is None or organization.config.mail is None
    if by_link and row["invite_as"] >= user.role:
        result["link_url"] = link_of(organization, row["token"])
    if row["email"] is None:
        return result
    return {**result, "email": row["email"], "notify_referrer_on_join": bool(row["notify_referrer"])}


@dataclass(frozen=True, slots=True)
class Terms:
    """What an invitation offers. `expires_in` in minutes, None for never."""

    expires_in: int | None
    invite_as: Role
    channel_ids: list[int]
    group_ids: list[int]
    include_defaults: bool
    notify_referrer: bool = True
    uses: int | None = None
    """How many users may join by a link; None for any number."""
    welcome: str | None = None
    """The welcome message for new users, in Markdown; None for that of the organization."""


def check_may_invite(organization: Organization, user: User, *, by_link: bool) -> None:
    """Raises BAD_REQUEST if the user may not invite others (INV-32, INVM)."""
    if by_link and organization.level < Gate.INVITE_LINKS_FOR_ALL.level and not user.is_administrator:
        raise insufficient_permission()
    settings = (
        ("can_invite_users_group", "create_multiuse_invite_group") if by_link else ("can_invite_users_group",)
    )
    if not all(realm_allows(organization, user, setting) for setting in settings):
        raise insufficient_permission()


def check_terms(organization: Organization, user: User, terms: Terms) -> None:
    """Raises BAD_REQUEST for terms that the user may not offer (INV-11, INV-14, INV-15, INV-19)."""
    if terms.invite_as < user.role:
        raise insufficient_permission()
    if terms.welcome is not None and not user.is_administrator:
        raise ServiceError("Must be an organization administrator")
    if terms.expires_in is not None and terms.expires_in <= 0:
        raise ServiceError("Invalid invitation expiry")
    if terms.channel_ids and not realm_allows(organization, user, "can_add_subscribers_group"):
        raise ServiceError("You do not have permission to subscribe other users to channels.")
    for channel_id in terms.channel_ids:
        channel = _known(organization, user, channel_id)
        if channel is None:
            raise ServiceError(f"Invalid channel ID {channel_id}. No invites were sent.")
        if not _may_add(organization, user, channel):
            raise ServiceError("You do not have permission to subscribe other users to this channel.")
    for group_id in terms.group_ids:
        _check_group(organization, user, organization.groups.get(group_id))


def _check_group(organization: Organization, user: User, group: Group | None) -> None:
    if group is None:
        raise ServiceError("Invalid user group")
    if group.deactivated:
        raise ServiceError("User group is deactivated.")
    if group.is_system or not may_add_members(organization, user, group):
        raise insufficient_permission()


def inviter_still_allowed(organization: Organization, row: Row) -> bool:
    """Whether the inviter could still make this invitation now; otherwise it is not valid."""
    inviter = organization.users[row["inviter_id"]]
    if not inviter.is_active or row["invite_as"] < inviter.role:
        return False
    try:
        check_may_invite(organization, inviter, by_link=row["email"] is None)
    except ServiceError:
        return False
    return True


def channels_of(organization: Organization, row: Row) -> list[int]:
    """Ids of the channels of an invitation: those to which its inviter may still add users, and the
    organization's default channels if the invitation includes them; ascending.
    """
    inviter = organization.users[row["inviter_id"]]
    chosen: set[int] = set()
    if realm_allows(organization, inviter, "can_add_subscribers_group"):
        for channel_id in json.loads(row["channel_ids"]):
            channel = _known(organization, inviter, channel_id)
            if channel is not None and _may_add(organization, inviter, channel):
                chosen.add(channel_id)
    if row["include_defaults"]:
        chosen |= {
            channel.id
            for channel in organization.channels.all()
            if channel.is_default and not channel.is_archived
        }
    return sorted(chosen)


def groups_of(organization: Organization, row: Row) -> list[int]:
    """Ids of the groups of an invitation to which its inviter may still add users."""
    inviter = organization.users[row["inviter_id"]]
    chosen: list[int] = []
    for group_id in json.loads(row["group_ids"]):
        with suppress(ServiceError):
            _check_group(organization, inviter, organization.groups.get(group_id))
            chosen.append(group_id)
    return chosen


def _known(organization: Organization, user: User, channel_id: int) -> Channel | None:
    """The channel, if it is not archived and the user may know of it."""
    channel = organization.channels.get(channel_id)
    known = channel is not None and not channel.is_archived and may_know(organization, user, channel)
    return channel if known else None


def _may_add(organization: Organization, user: User, channel: Channel) -> bool:
    """Whether the user may invite others to a channel of which they may know."""
    return (
        channel.is_default
        or not channel.invite_only
        or (administers_channel(organization, user, channel) and may_read(organization, user, channel))
        or channel_allows(organization, user, channel, "can_add_subscribers_group")
    )


def check_channels_given(organization: Organization, terms: Terms) -> None:
    """Raises BAD_REQUEST below level 180 if no channel is given (INV-16)."""
    if organization.level < Gate.INVITE_NO_CHANNELS.level and not terms.channel_ids:
        raise ServiceError("You must specify at least one channel for invitees to join.")


def addresses(text: str) -> list[str]:
    """The email addresses in a field, separated by commas or newlines (INV-02); `Name <address>` is accepted."""
    unique: dict[str, None] = {}
    for part in _SEPARATORS.split(text):
        bracketed = re.fullmatch(r".*<([^<>]+)>", part.strip())
        address = (bracketed.group(1) if bracketed else part).strip()
        if address:
            unique[address] = None
    return list(unique)


def invite(organization: Organization, user: User, invitees: list[str], terms: Terms) -> None:
    """Invites every email address that has no account.

    Raises INVITATION_FAILED: before inviting anyone if an address is unusable, and afterwards if some have
    accounts; the others are invited nevertheless (INV-31), so the caller must commit before it responds.
    """
    if unusable := [
        (address, wrong, False) for address in invitees if (wrong := _address_problem(organization, address))
    ]:
        raise _failed(unusable, "Some emails did not validate, so we didn't send any invitations.")
    errors: list[tuple[str, str, bool]] = []
    sent = 0
    if not has_room(organization, user, "invitations", len(invitees)) or not may_send(
        organization, user, len(invitees)
    ):
        raise _failed([], _NOBODY, daily_limit_reached=True)
    for address in invitees:
        problem = _problem(organization, address)
        if problem is not None:
            errors.append(problem)
            continue
        token = _store(organization, user, address, terms)
        _send(organization, user, address, token)
        sent += 1
    if sent:
        emit_changed(organization, user.id)
    if errors:
        raise _failed(errors, _SOME if sent else _NOBODY, sent=sent > 0)


def _send(organization: Organization, user: User, address: str, token: str, *, again: bool = False) -> None:
    name = organization.setting("name", str)
    link = link_of(organization, token)
    lines = (
        f"{user.full_name} {'reminds you of an invitation' if again else 'invites you'} to {name},"
        " an organization on Narrowcast, team chat in a terminal.",
        "Open this link in a browser for instructions, or, if Narrowcast is installed, run:",
        f"    narrowcast login {link}",
        "Anyone with this link can join. If you do not know who invited you, ignore this email.",
    )
    send_mail(organization, address, f"Invitation to {name}", "\n\n".join(lines), user)


def _address_problem(organization: Organization, address: str) -> str:
    """Why an email address cannot be invited; empty if it can."""
    try:
        well_formed = is_address(well_formed_address(address))
    except ServiceError:
        well_formed = False
    if not well_formed:
        return "Invalid address."
    problem = problem_of(organization, address)
    return "" if problem is None else problem.value


def _problem(organization: Organization, address: str) -> tuple[str, str, bool] | None:
    user = organization.user_by_address(address)
    if user is None:
        return None
    if not user.is_active:
        return address, "Account has been deactivated.", True
    return address, "Already has an account.", False


def _failed(
    errors: list[tuple[str, str, bool]],
    message: str,
    *,
    sent: bool = False,
    daily_limit_reached: bool = False,
) -> ServiceError:
    error = ServiceError(
        message,
        ErrorCode.INVITATION_FAILED.value,
        errors=[list(error) for error in errors],
        sent_invitations=sent,
        license_limit_reached=False,
        daily_limit_reached=daily_limit_reached,
    )
    error.has_effect = sent
    return error


def _store(organization: Organization, user: User, address: str | None, terms: Terms) -> str:
    token = secrets.token_urlsafe(24)
    expires = None if terms.expires_in is None else organization.now() + terms.expires_in * _MINUTE
    organization.store.insert(
        "INSERT INTO invites (email, token, inviter_id, invited, expires, invite_as, channel_ids, group_ids,"
        " include_defaults, notify_referrer, uses_left, welcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        address,
        token,
        user.id,
        organization.now(),
        expires,
        int(terms.invite_as),
        json.dumps(terms.channel_ids),
        json.dumps(terms.group_ids),
        int(terms.include_defaults),
        int(terms.notify_referrer),
        terms.uses,
        terms.welcome,
    )
    return token


def create_link(organization: Organization, user: User, terms: Terms) -> str:
    """Creates a reusable link (INVM-01); returns its URL."""
    check_room(organization, user, "invitations")
    token = _store(organization, user, None, terms)
    emit_changed(organization, user.id)
    return link_of(organization, token)


def emit_changed(organization: Organization, inviter_id: int) -> None:
    """Notifies everyone who can list the invitation that the list has changed."""
    administrators = {
        user.id for user in organization.users.all() if user.is_active and user.is_administrator
    }
    organization.emit({"type": "invites_changed"}, administrators | {inviter_id})


def _changeable(organization: Organization, user: User, invite_id: int, *, multiuse: bool) -> Row:
    row = organization.store.one(
        "SELECT * FROM invites WHERE id = ? AND (email IS NULL) = ?", invite_id, int(multiuse)
    )
    if row is None or (row["revoked"] and not multiuse):
        raise ServiceError("No such invitation")
    if multiuse:
        require_administrator(user)
    if not user.is_administrator and row["inviter_id"] != user.id:
        raise ServiceError("Must be an organization administrator")
    if row["revoked"]:
        raise ServiceError("Invitation has already been revoked")
    return row


def revoke(organization: Organization, user: User, invite_id: int, *, multiuse: bool) -> None:
    """Revokes an invitation or a link; only administrators may revoke links, and invitations of others."""
    row = _changeable(organization, user, invite_id, multiuse=multiuse)
    organization.store.execute("UPDATE invites SET revoked = 1 WHERE id = ?", invite_id)
    emit_changed(organization, row["inviter_id"])


def revoke_all_of(organization: Organization, inviter: User, *, above: Role | None = None) -> None:
    """Revokes a user's invitations and links; with `above`, only those to a higher role than this."""
    rows = organization.store.integers(
        "SELECT id FROM invites WHERE inviter_id = ? AND revoked = 0 AND accepted = 0 AND invite_as < ?",
        inviter.id,
        int(max(Role) + 1 if above is None else above),
    )
    if rows:
        organization.store.execute_many(
            "UPDATE invites SET revoked = 1 WHERE id = ?", [(row,) for row in rows]
        )
        emit_changed(organization, inviter.id)


def resend(organization: Organization, user: User, invite_id: int) -> None:
    """Sends the email of an invitation again."""
    row = _changeable(organization, user, invite_id, multiuse=False)
    if not may_send(organization, user, 1):
        raise ServiceError("You have sent too many invitations today. Try again tomorrow.")
    _send(organization, user, row["email"], row["token"], again=True)
