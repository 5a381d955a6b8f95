"""Subscribing and unsubscribing users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.visibility import visibility_may_change
from narrowcast_server.organization.models import Channel, FlagBit, User
from narrowcast_server.queries.channels import channel_object, subscription_fields
from narrowcast_server.resources.message_flags import change_flags
from narrowcast_server.rules.access import is_subscribed, may_know, subscriber_ids, who_may_know

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_COLORS: Final = (
    "#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5",
    "#f5ce6e", "#c2726a", "#94c849", "#bd86e5", "#ee7e4a", "#a6dcbf", "#95a5fd", "#53a063",
    "#9987e1", "#e4523d", "#c2c2c2", "#4f8de4", "#c6a8ad", "#e7cc4d", "#c8bebf", "#a47462",
)  # fmt: skip


def subscribe(
    organization: Organization,
    channels: Sequence[Channel],
    users: Sequence[User],
    colors: dict[int, str] | None = None,
) -> tuple[dict[int, list[Channel]], dict[int, list[Channel]]]:
    """Subscribes users to channels; returns (new, existing) by user id, and notifies everyone concerned."""
    added: dict[int, list[Channel]] = defaultdict(list)
    already: dict[int, list[Channel]] = defaultdict(list)
    new_by_channel: dict[int, list[int]] = defaultdict(list)
    knew = {
        channel.id: set(who_may_know(organization, channel)) for channel in channels if _is_closed(channel)
    }
    with visibility_may_change(organization):
        for user in users:
            for channel in channels:
                if is_subscribed(organization, user.id, channel.id):
                    already[user.id].append(channel)
                    continue
                _activate(organization, user, channel, (colors or {}).get(channel.id))
                added[user.id].append(channel)
                new_by_channel[channel.id].append(user.id)
    for user_id, new in added.items():
        _emit_to_subscriber(organization, organization.users[user_id], new, knew)
    _emit_to_peers(organization, "peer_add", new_by_channel)
    return added, already


def _is_closed(channel: Channel) -> bool:
    return not channel.is_web_public


def _activate(organization: Organization, user: User, channel: Channel, color: str | None) -> None:
    organization.store.execute(
        "INSERT INTO subscriptions (user_id, channel_id, color) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET active = 1",
        user.id,
        channel.id,
        color or next_color(organization, user.id),
    )


def next_color(organization: Organization, user_id: int) -> str:
    """The first color that the user does not use yet."""
    used = set(organization.store.strings("SELECT color FROM subscriptions WHERE user_id = ?", user_id))
    for color in _COLORS:
        if color not in used:
            return color
    return _COLORS[len(used) % len(_COLORS)]


def subscription_object(organization: Organization, user_id: int, channel: Channel) -> dict[str, object]:
    """A subscription with its channel and its subscribers."""
    row = organization.store.one(
        "SELECT * FROM subscriptions WHERE user_id = ? AND channel_id = ?", user_id, channel.id
    )
    assert row is not None
    subscribers = subscriber_ids(organization, channel.id)
    return {
        **channel_object(organization, channel, subscriber_count=len(subscribers)),
        **subscription_fields(row),
        "subscribers": subscribers,
    }


def _emit_to_subscriber(
    organization: Organization, user: User, channels: Sequence[Channel], knew: dict[int, set[int]]
) -> None:
    if not organization.hub.is_listening(user.id):
        return
    hidden = [channel for channel in channels if channel.id in knew and user.id not in knew[channel.id]]
    if hidden:
        streams = [channel_object(organization, channel) for channel in hidden]
        organization.emit({"type": "stream", "op": "create", "streams": streams}, [user.id])
    rows = [subscription_object(organization, user.id, channel) for channel in channels]
    organization.emit({"type": "subscription", "op": "add", "subscriptions": rows}, [user.id])


def _emit_to_peers(organization: Organization, operation: str, by_channel: dict[int, list[int]]) -> None:
    """Notifies others who may know of a channel; one event for channels with the same users and audience."""
    alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = defaultdict(list)
    for channel_id, user_ids in by_channel.items():
        peers = tuple(
            i for i in who_may_know(organization, organization.channels[channel_id]) if i not in set(user_ids)
        )
        alike[(peers, tuple(user_ids))].append(channel_id)
    for (peers, changed), channel_ids in alike.items():
        organization.emit(
            {"type": "subscription", "op": operation, "stream_ids": channel_ids, "user_ids": list(changed)},
            peers,
        )


def unsubscribe(
    organization: Organization, channels: Sequence[Channel], users: Iterable[User]
) -> tuple[list[Channel], list[Channel]]:
    """Unsubscribes users; returns (channels that a user left, channels that a user was not subscribed to)."""
    with visibility_may_change(organization):
        return _unsubscribe(organization, channels, users)


def _unsubscribe(
    organization: Organization, channels: Sequence[Channel], users: Iterable[User]
) -> tuple[list[Channel], list[Channel]]:
    removed: dict[int, Channel] = {}
    not_removed: dict[int, Channel] = {}
    gone_by_channel: dict[int, list[int]] = defaultdict(list)
    for user in users:
        left: list[Channel] = []
        for channel in channels:
            if not is_subscribed(organization, user.id, channel.id):
                not_removed[channel.id] = channel
                continue
            organization.store.execute(
                "UPDATE subscriptions SET active = 0 WHERE user_id = ? AND channel_id = ?",
                user.id,
                channel.id,
            )
            read_all(organization, user, channel.id)
            left.append(channel)
            removed[channel.id] = channel
            gone_by_channel[channel.id].append(user.id)
        if left:
            _emit_to_leaver(organization, user, left)
    _emit_to_peers(organization, "peer_remove", gone_by_channel)
    return list(removed.values()), list(not_removed.values())


def read_all(organization: Organization, user: User, channel_id: int) -> None:
    """Marks all messages of a channel as read, for a user who leaves it."""
    ids = organization.store.integers(
        "SELECT um.message_id FROM user_messages um INDEXED BY unread_messages"
        " CROSS JOIN messages m ON m.id = um.message_id"
        " WHERE um.user_id = ? AND um.flags & 1 = 0 AND m.channel_id = ?",
        user.id,
        channel_id,
    )
    change_flags(organization, user, ids, FlagBit.READ, add=True)


def _emit_to_leaver(organization: Organization, user: User, channels: Sequence[Channel]) -> None:
    rows = [{"name": channel.name, "stream_id": channel.id} for channel in channels]
    organization.emit({"type": "subscription", "op": "remove", "subscriptions": rows}, [user.id])
    lost = [channel.id for channel in channels if not may_know(organization, user, channel)]
    if lost:
        organization.emit(
            {
                "type": "stream",
                "op": "delete",
                "streams": [{"stream_id": identity} for identity in lost],
                "stream_ids": lost,
            },
            [user.id],
        )


def set_property(
    organization: Organization,
    user: User,
    channel: Channel,
    column: str,
    value: object,
    sent: Iterable[tuple[str, object]],
) -> None:
    """Stores a checked property of a subscription; `sent`: its names and values in events."""
    organization.store.execute(
        f"UPDATE subscriptions SET {column} = ? WHERE user_id = ? AND channel_id = ?",
        value if isinstance(value, str) else int(bool(value)),
        user.id,
        channel.id,
    )
    for name, new in sent:
        event = {"type": "subscription", "op": "update", "property": name, "value": new}
        organization.emit({**event, "stream_id": channel.id}, [user.id])
