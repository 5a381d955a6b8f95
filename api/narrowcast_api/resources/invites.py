"""Invitations by email and reusable links (INV and INVM rows; listing, revoking and resending are outside them)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    drop_unsupported,
    ids,
    read,
    segment,
)
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import GoodList, Id, Int, Seconds, WireModel
from narrowcast_api.wire.vocabulary import Role

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Invitation(WireModel):
    """A pending invitation or reusable link (INV rows); times in seconds since 1970, None if it does not expire."""

    id: Id
    invited_by_user_id: Id | None = None
    invited: Seconds = 0
    expiry_date: Seconds | None = None
    invited_as: Int = 400
    email: str | None = None
    link_url: str | None = None
    is_multiuse: bool = False
    notify_referrer_on_join: bool | None = None


# events


class InvitesChangedEvent(Event):
    """The list of invitations changed; load it again if it is shown."""

    type: Literal["invites_changed"] = "invites_changed"


# operations


class InvitationList(WireModel):
    """Response of GET /invites."""

    invites: GoodList[Invitation] = []


class InviteLink(WireModel):
    """Response of POST /invites/multiuse (INVM rows)."""

    invite_link: str


_DAY = 24 * 60


async def send_invites(
    connection: Connection,
    *,
    invitee_emails: Iterable[str],
    stream_ids: Iterable[int] = (),
    invite_expires_in_minutes: int | Omit | None = OMIT,
    invite_as: Role | int | Omit = OMIT,
    group_ids: Iterable[int] | Omit = OMIT,
    include_realm_default_subscriptions: bool | Omit = OMIT,
    notify_referrer_on_join: bool | Omit = OMIT,
    welcome_message_custom_text: str | Omit = OMIT,
) -> Done:
    """POST /invites: invite email addresses (INV-01 to INV-39).

    `invite_expires_in_minutes`: None means never (level 117), OMIT the server's default; below level 126 only
    whole days are possible. `welcome_message_custom_text`: Markdown shown to the invited users instead of the
    organization's welcome message, empty for none; administrators only, ignored by servers below level 416.
    Below level 180 a channel is needed, below 322 groups raise Unsupported. Below 261 and 267 the last two
    parameters are left out, with a notice.

    Raises InvitationFailed if some addresses could not be invited: the others were, unless `sent_invitations`
    is False. Its `errors` give the addresses and reasons; invite again only those that can be corrected
    (INV-31). Raises BadRequest for missing permission and unknown channels; then nobody was invited.
    """
    server = await connection.identified()
    params: dict[str, object] = {"invitee_emails": ",".join(_addresses(invitee_emails))}
    channels = ids(stream_ids, "stream_ids")
    if not channels:
        server.require(Gate.INVITE_NO_CHANNELS)
    params |= {"stream_ids": channels, **_expiry(server, invite_expires_in_minutes), **_role(invite_as)}
    params |= _groups(server, group_ids)
    params["include_realm_default_subscriptions"] = include_realm_default_subscriptions
    params["notify_referrer_on_join"] = notify_referrer_on_join
    params["welcome_message_custom_text"] = welcome_message_custom_text
    notices = drop_unsupported(
        server, Gate.INVITE_DEFAULT_CHANNELS, params, "include_realm_default_subscriptions"
    )
    notices += drop_unsupported(server, Gate.INVITE_NOTIFY_REFERRER, params, "notify_referrer_on_join")
    return read(Done, await connection.request("POST", "/invites", params), notices)


async def create_invite_link(
    connection: Connection,
    *,
    stream_ids: Iterable[int] | Omit = OMIT,
    invite_expires_in_minutes: int | Omit | None = OMIT,
    invite_as: Role | int | Omit = OMIT,
    group_ids: Iterable[int] | Omit = OMIT,
    include_realm_default_subscriptions: bool | Omit = OMIT,
    welcome_message_custom_text: str | Omit = OMIT,
) -> InviteLink:
    """POST /invites/multiuse: create a link that anybody may use until it expires (INVM-01 to INVM-13).

    Parameters as for `send_invites`; channels are optional at every level. Below level 209 only
    administrators can create links, and a notice says so.
    """
    server = await connection.identified()
    params: dict[str, object] = {**_expiry(server, invite_expires_in_minutes), **_role(invite_as)}
    if not isinstance(stream_ids, Omit):
        params["stream_ids"] = ids(stream_ids, "stream_ids")
    params |= _groups(server, group_ids)
    params["include_realm_default_subscriptions"] = include_realm_default_subscriptions
    params["welcome_message_custom_text"] = welcome_message_custom_text
    notices = drop_unsupported(
        server, Gate.INVITE_DEFAULT_CHANNELS, params, "include_realm_default_subscriptions"
    )
    if not server.supports(Gate.INVITE_LINKS_FOR_ALL):
        notices.append(f"before level {Gate.INVITE_LINKS_FOR_ALL.level} only administrators can create links")
    return read(InviteLink, await connection.request("POST", "/invites/multiuse", params), notices)


async def list_invites(connection: Connection) -> list[Invitation]:
    """GET /invites: pending invitations and links: the current user's own, for administrators everybody's (INV-39)."""
    return list(read(InvitationList, await connection.request("GET", "/invites")).invites)


async def revoke_invite(connection: Connection, *, invite_id: int) -> Done:
    """DELETE /invites/{invite_id}. Raises BadRequest if it is already used or revoked."""
    return read(Done, await connection.request("DELETE", f"/invites/{segment(invite_id, 'invite_id')}"))


async def revoke_invite_link(connection: Connection, *, invite_id: int) -> Done:
    """DELETE /invites/multiuse/{invite_id}. Raises BadRequest if it is already revoked."""
    path = f"/invites/multiuse/{segment(invite_id, 'invite_id')}"
    return read(Done, await connection.request("DELETE", path))


async def resend_invite(connection: Connection, *, invite_id: int) -> Done:
    """POST /invites/{invite_id}/resend: send the same invitation by email again."""
    path = f"/invites/{segment(invite_id, 'invite_id')}/resend"
    return read(Done, await connection.request("POST", path))


def _addresses(emails: Iterable[str]) -> list[str]:
    if isinstance(emails, str):
        raise InvalidInput("the addresses must be a list")
    addresses = [email.strip() for email in emails]
    if not addresses or not all(addresses):
        raise InvalidInput("at least one email address is needed, and none may be empty")
    if any(mark in email for email in addresses for mark in ",\n\r"):
        raise InvalidInput("an email address holds neither commas nor line breaks")
    return addresses


def _expiry(server: ServerInfo, minutes: int | Omit | None) -> dict[str, object]:
    """The expiry parameter in the form of the server's level (INV-03 to INV-08)."""
    if isinstance(minutes, Omit):
        return {}
    if minutes is not None and (isinstance(minutes, bool) or not isinstance(minutes, int) or minutes <= 0):
        raise InvalidInput("an invitation is valid for at least a minute")
    if server.supports(Gate.INVITE_EXPIRY_MINUTES):
        return {"invite_expires_in_minutes": minutes}
    server.require(Gate.INVITE_EXPIRY_DAYS)
    if minutes is None:
        server.require(Gate.INVITE_EXPIRY_NEVER)
        return {"invite_expires_in_days": None}
    if minutes % _DAY:
        server.require(Gate.INVITE_EXPIRY_MINUTES)
    return {"invite_expires_in_days": minutes // _DAY}


def _role(role: Role | int | Omit) -> dict[str, object]:
    if isinstance(role, Omit):
        return {}
    try:
        return {"invite_as": int(Role(role))}
    except ValueError:
        raise InvalidInput(f"{role} is not a role") from None


def _groups(server: ServerInfo, group_ids: Iterable[int] | Omit) -> dict[str, object]:
    if isinstance(group_ids, Omit):
        return {}
    server.require(Gate.INVITE_GROUPS)
    return {"group_ids": ids(group_ids, "group_ids")}


class InviteOperations(Operations):
    """Invitations by email, and reusable links."""

    send = Bound(send_invites)
    create_link = Bound(create_invite_link)
    list = Bound(list_invites)
    revoke = Bound(revoke_invite)
    revoke_link = Bound(revoke_invite_link)
    resend = Bound(resend_invite)
