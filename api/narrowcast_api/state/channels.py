"""Channels, the user's subscriptions to them, and channel folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from narrowcast_api.model.channels import Channel, Subscription
from narrowcast_api.model.reading import (
    RawRecord,
    optional_bool,
    optional_text,
)
from narrowcast_api.model.user_groups import read_permissions, without_user
from narrowcast_api.resources import channel_folders


class Channels:
    """Every channel that is visible to the user, by id."""

    def __init__(self) -> None:
        self._by_id: dict[int, Channel] = {}
        self._ids_by_name: dict[str, int] | None = None
        self._subscribed: list[Channel] | None = None
        self._just_counted: dict[int, int] = {}
        self._former_names: dict[int, str] = {}
        self.folders = channel_folders.collection()
        self.default_ids: frozenset[int] = frozenset()
        """Channels to which new users are subscribed."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Channel]:
        return iter(self._by_id.values())

    def get(self, channel_id: int) -> Channel | None:
        """The channel with this id."""
        return self._by_id.get(channel_id)

    def name(self, channel_id: int) -> str | None:
        """The channel's name; None if it is unknown."""
        channel = self._by_id.get(channel_id)
        return channel.name if channel is not None else None

    def last_name(self, channel_id: int) -> str | None:
        """The channel's name, or its last known name if it is no longer visible; None if it never was."""
        return self.name(channel_id) or self._former_names.get(channel_id)

    def carry_over_names(self, before: Channels) -> None:
        """Takes over the names of channels that are in ``before``, the channels of the previous state, but not here."""
        gone = {
            channel.channel_id: channel.name for channel in before if channel.channel_id not in self._by_id
        }
        self._former_names = {**before._former_names, **gone}

    def is_private(self, channel_id: int) -> bool:
        """Whether a channel is private; an unknown one may be."""
        channel = self.get(channel_id)
        return channel is None or channel.invite_only

    def id_of(self, name: str) -> int | None:
        """The id of the channel with this name, ignoring case."""
        if self._ids_by_name is None:
            self._ids_by_name = {channel.name.lower(): channel.channel_id for channel in self._by_id.values()}
        return self._ids_by_name.get(name.lower())

    def subscribed(self) -> list[Channel]:
        """The channels that the user is subscribed to and that are not archived, by name. Do not change the list."""
        if self._subscribed is None:
            self._subscribed = sorted(
                (c for c in self._by_id.values() if c.subscription is not None and not c.is_archived),
                key=lambda channel: channel.name.casefold(),
            )
        return self._subscribed

    def put(self, channels: Iterable[Channel]) -> None:
        """Adds channels, replacing older records of them."""
        self._by_id.update((channel.channel_id, channel) for channel in channels)
        self._ids_by_name = self._subscribed = None

    def create(self, channel: Channel) -> None:
        """Adds a channel of a `stream` event; its subscription is kept."""
        old = self._by_id.get(channel.channel_id)
        if channel.subscriber_count:
            self._just_counted[channel.channel_id] = channel.subscriber_count
        self.put([channel._replace(subscription=old.subscription) if old is not None else channel])

    def remove(self, channel_id: int) -> None:
        """Removes a channel that is no longer visible to the user."""
        channel = self._by_id.pop(channel_id, None)
        if channel is not None:
            self._former_names[channel_id] = channel.name
        self._ids_by_name = self._subscribed = None

    def unsubscribe(self, channel_id: int) -> None:
        """Removes the user's subscription, and the user from the subscriber count."""
        channel = self._by_id.get(channel_id)
        if channel is not None and channel.subscription is not None:
            self.put(
                [channel._replace(subscription=None, subscriber_count=_plus(channel.subscriber_count, -1))]
            )

    def forget_user(self, user_id: int) -> list[int]:
        """Removes a deactivated user from the permissions of channels; returns which channels changed."""
        left = [
            channel._replace(permissions=without_user(channel.permissions, user_id))
            for channel in self._by_id.values()
        ]
        changed = [channel for channel in left if channel != self._by_id[channel.channel_id]]
        self.put(changed)
        return [channel.channel_id for channel in changed]

    def settle_counts(self) -> None:
        """To be called when any other event arrives: later peer events report new subscribers."""
        self._just_counted.clear()

    def count_peers(self, channel_id: int, change: int) -> None:
        """Changes the subscriber count when others subscribed (positive) or unsubscribed (negative).

        When a channel becomes visible, the server sends its subscriber count and right after it the
        subscribers: these are not counted twice.
        """
        if self._just_counted.pop(channel_id, None) == change:
            return
        channel = self._by_id.get(channel_id)
        if channel is not None and channel.subscriber_count is not None:
            self.put([channel._replace(subscriber_count=_plus(channel.subscriber_count, change))])

    def update(self, channel_id: int, changes: RawRecord) -> None:
        """Sets new values by their names on the wire, including `first_message_id` (EVT-05)."""
        channel = self._by_id.get(channel_id)
        if channel is not None:
            self.put([_updated(channel, changes)])

    def update_subscription(self, channel_id: int, name: str, value: object) -> None:
        """Applies a `subscription` update, if the user is subscribed to the channel."""
        channel = self._by_id.get(channel_id)
        if channel is None or channel.subscription is None:
            return
        if name == "in_home_view" and type(value) is bool:
            name, value = "is_muted", not value
        if name in Subscription._fields and (value is None or type(value) in {bool, str}):
            subscription = channel.subscription._replace(**{name: value})  # type: ignore[arg-type]  # checked above
            self.put([channel._replace(subscription=subscription)])


def _plus(count: int | None, change: int) -> int | None:
    return None if count is None else max(0, count + change)


_TEXTS = {"name", "description", "rendered_description", "topics_policy"}
_FLAGS = {
    "invite_only",
    "is_web_public",
    "is_archived",
    "history_public_to_subscribers",
    "is_recently_active",
    "default_push_notifications",
}
_NUMBERS = {
    "stream_post_policy": "post_policy",
    "first_message_id": "first_message_id",
    "folder_id": "folder_id",
    "message_retention_days": "message_retention_days",
    "stream_weekly_traffic": "weekly_traffic",
    "subscriber_count": "subscriber_count",
    "creator_id": "creator_id",
}


def _updated(channel: Channel, row: RawRecord) -> Channel:
    """Returns the channel with the values of `row`; values of a wrong type are ignored."""
    changes: dict[str, object] = {"permissions": {**channel.permissions, **read_permissions(row)}}
    for key, value in row.items():
        if key in _TEXTS:
            changes[key] = optional_text(row, key)
        elif key in _FLAGS:
            changes[key] = optional_bool(row, key)
        elif key in _NUMBERS and (value is None or type(value) is int):
            changes[_NUMBERS[key]] = value
    kept = {key: value for key, value in changes.items() if value is not None or key in _NUMBERS.values()}
    if kept.get("post_policy", 1) is None:
        del kept["post_policy"]
    return channel._replace(**kept)  # type: ignore[arg-type]  # the readers above checked each value
