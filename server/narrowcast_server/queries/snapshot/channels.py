"""Parts of the snapshot: channels, subscriptions, groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Channel, User
from narrowcast_server.queries.as_seen import group_as_seen
from narrowcast_server.queries.channels import (
    channel_object,
    group_object,
    subscribers_by_channel,
    subscription_fields,
)
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.access import may_know
from narrowcast_server.rules.visibility import visible_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def _is_shown(request: Snapshot, channel: Channel) -> bool:
    return not channel.is_archived or "archived_channels" in request.options.capabilities


@part("subscription")
def subscriptions(request: Snapshot) -> dict[str, object]:
    """Three lists of channels: subscribed, formerly subscribed, never subscribed."""
    subscribed, unsubscribed, never = subscription_rows(
        request.organization,
        request.user,
        include_subscribers=bool(request.include_subscribers),
        with_archived="archived_channels" in request.options.capabilities,
    )
    return {"subscriptions": subscribed, "unsubscribed": unsubscribed, "never_subscribed": never}


Rows = list[dict[str, object]]


def subscription_rows(
    organization: Organization, user: User, *, include_subscribers: bool, with_archived: bool
) -> tuple[Rows, Rows, Rows]:
    """Channels that the user may know of: (subscribed, formerly subscribed, never subscribed)."""
    own = {
        row["channel_id"]: row
        for row in organization.store.all("SELECT * FROM subscriptions WHERE user_id = ?", user.id)
    }
    active = {channel_id for channel_id, row in own.items() if row["active"]}
    subscribers = subscribers_by_channel(organization)
    subscribed: Rows = []
    unsubscribed: Rows = []
    never: Rows = []
    for channel in organization.channels.all():
        if (channel.is_archived and not with_archived) or not may_know(organization, user, channel, active):
            continue
        people = subscribers.get(channel.id, [])
        row = channel_object(organization, channel, subscriber_count=len(people))
        if include_subscribers:
            row["subscribers"] = people
        if channel.id not in own:
            never.append(row)
            continue
        row |= subscription_fields(own[channel.id])
        (subscribed if channel.id in active else unsubscribed).append(row)
    return subscribed, unsubscribed, never


@part("stream")
def streams(request: Snapshot) -> dict[str, object]:
    """All channels that the user may know of."""
    organization = request.organization
    subscribers = subscribers_by_channel(organization)
    return {
        "streams": [
            channel_object(organization, channel, subscriber_count=len(subscribers.get(channel.id, ())))
            for channel in organization.channels.all()
            if _is_shown(request, channel) and may_know(organization, request.user, channel)
        ]
    }


@part("realm_user_groups")
def groups(request: Snapshot) -> dict[str, object]:
    """User groups; deactivated ones only for clients with that capability."""
    with_deactivated = "include_deactivated_groups" in request.options.capabilities
    seen = visible_ids(request.organization, request.user)
    return {
        "realm_user_groups": [
            group_as_seen(seen, group_object(request.organization, group))
            for group in request.organization.groups.all()
            if with_deactivated or not group.deactivated
        ]
    }
