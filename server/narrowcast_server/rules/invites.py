"""Permissions to invite: whom, to what, and how long an invitation stays valid."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import Channel, Group, User
from narrowcast_server.rules.access import may_know, may_read
from narrowcast_server.rules.permissions import administers_channel, channel_allows, realm_allows
from narrowcast_server.rules.user_groups import may_add_members
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


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


def check_may_invite(core: Core, user: User, *, by_link: bool) -> None:
    """Raises BAD_REQUEST if the user may not invite others (INV-32, INVM)."""
    if by_link and core.level < Gate.INVITE_LINKS_FOR_ALL.level and not user.is_administrator:
        raise insufficient_permission()
    settings = (
        ("can_invite_users_group", "create_multiuse_invite_group") if by_link else ("can_invite_users_group",)
    )
    if not all(realm_allows(core, user, setting) for setting in settings):
        raise insufficient_permission()


def check_terms(core: Core, user: User, terms: Terms) -> None:
    """Raises BAD_REQUEST for terms that the user may not offer (INV-11, INV-14, INV-15, INV-19)."""
    if terms.invite_as < user.role:
        raise insufficient_permission()
    if terms.welcome is not None and not user.is_administrator:
        raise ServiceError("Must be an organization administrator")
    if terms.expires_in is not None and terms.expires_in <= 0:
        raise ServiceError("Invalid invitation expiry")
    if terms.channel_ids and not realm_allows(core, user, "can_add_subscribers_group"):
        raise ServiceError("You do not have permission to subscribe other users to channels.")
    for channel_id in terms.channel_ids:
        channel = _known(core, user, channel_id)
        if channel is None:
            raise ServiceError(f"Invalid channel ID {channel_id}. No invites were sent.")
        if not _may_add(core, user, channel):
            raise ServiceError("You do not have permission to subscribe other users to this channel.")
    for group_id in terms.group_ids:
        _check_group(core, user, core.groups.get(group_id))


def _check_group(core: Core, user: User, group: Group | None) -> None:
    if group is None:
        raise ServiceError("Invalid user group")
    if group.deactivated:
        raise ServiceError("User group is deactivated.")
    if group.is_system or not may_add_members(core, user, group):
        raise insufficient_permission()


def inviter_still_allowed(core: Core, row: Row) -> bool:
    """Whether the inviter could still make this invitation now; otherwise it is not valid."""
    inviter = core.users[row["inviter_id"]]
    if not inviter.is_active or row["invite_as"] < inviter.role:
        return False
    try:
        check_may_invite(core, inviter, by_link=row["email"] is None)
    except ServiceError:
        return False
    return True


def channels_of(core: Core, row: Row) -> list[int]:
    """Ids of the channels of an invitation: those to which its inviter may still add users, and the
    organization's default channels if the invitation includes them; ascending.
    """
    inviter = core.users[row["inviter_id"]]
    chosen: set[int] = set()
    if realm_allows(core, inviter, "can_add_subscribers_group"):
        for channel_id in json.loads(row["channel_ids"]):
            channel = _known(core, inviter, channel_id)
            if channel is not None and _may_add(core, inviter, channel):
                chosen.add(channel_id)
    if row["include_defaults"]:
        chosen |= {
            channel.id for channel in core.channels.all() if channel.is_default and not channel.is_archived
        }
    return sorted(chosen)


def groups_of(core: Core, row: Row) -> list[int]:
    """Ids of the groups of an invitation to which its inviter may still add users."""
    inviter = core.users[row["inviter_id"]]
    chosen: list[int] = []
    for group_id in json.loads(row["group_ids"]):
        with suppress(ServiceError):
            _check_group(core, inviter, core.groups.get(group_id))
            chosen.append(group_id)
    return chosen


def _known(core: Core, user: User, channel_id: int) -> Channel | None:
    """The channel, if it is not archived and the user may know of it."""
    channel = core.channels.get(channel_id)
    known = channel is not None and not channel.is_archived and may_know(core, user, channel)
    return channel if known else None


def _may_add(core: Core, user: User, channel: Channel) -> bool:
    """Whether the user may invite others to a channel of which they may know."""
    return (
        channel.is_default
        or not channel.invite_only
        or (administers_channel(core, user, channel) and may_read(core, user, channel))
        or channel_allows(core, user, channel, "can_add_subscribers_group")
    )


def check_channels_given(core: Core, terms: Terms) -> None:
    """Raises BAD_REQUEST below level 180 if no channel is given (INV-16)."""
    if core.level < Gate.INVITE_NO_CHANNELS.level and not terms.channel_ids:
        raise ServiceError("You must specify at least one channel for invitees to join.")
