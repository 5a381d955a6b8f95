"""Channels, and the current user's subscriptions to them (USUB rows)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from narrowcast_api.model.reading import (
    RawRecord,
    boolean,
    ids,
    integer,
    optional_bool,
    optional_int,
    required_int,
    text,
)
from narrowcast_api.model.user_groups import GroupSettingValue, read_permissions


class Subscription(NamedTuple):
    """The current user's personal settings for a subscribed channel; None follows the general setting."""

    color: str = ""
    is_muted: bool = False
    pin_to_top: bool = False
    desktop_notifications: bool | None = None
    audible_notifications: bool | None = None
    push_notifications: bool | None = None
    email_notifications: bool | None = None
    wildcard_mentions_notify: bool | None = None


class Channel(NamedTuple):
    """One channel. A tuple to save memory, because organizations may have 5,000 of them.

    `subscription` is None if the current user is not subscribed. `permissions` maps `can_..._group` to its
    holders. `is_default` and `subscriber_ids` are None unless a request asked for them.
    `default_push_notifications`: a user who subscribes for the first time gets mobile notifications.
    """

    channel_id: int
    name: str
    description: str = ""
    rendered_description: str = ""
    invite_only: bool = False
    is_web_public: bool = False
    is_archived: bool = False
    history_public_to_subscribers: bool = True
    is_recently_active: bool = True
    post_policy: int = 1
    topics_policy: str = "inherit"
    creator_id: int | None = None
    date_created: int | None = None
    first_message_id: int | None = None
    folder_id: int | None = None
    message_retention_days: int | None = None
    weekly_traffic: int | None = None
    subscriber_count: int | None = None
    permissions: Mapping[str, GroupSettingValue] = {}
    subscription: Subscription | None = None
    is_default: bool | None = None
    subscriber_ids: tuple[int, ...] | None = None
    default_push_notifications: bool = False

    @property
    def is_subscribed(self) -> bool:
        """Whether the current user is subscribed to the channel."""
        return self.subscription is not None

    @property
    def is_muted(self) -> bool:
        """Whether the current user has muted the channel."""
        return self.subscription is not None and self.subscription.is_muted


def read_channel(row: RawRecord, subscription: Subscription | None = None) -> Channel:
    """Reads a row of `streams`, `unsubscribed`, `never_subscribed` or of a `stream` event.

    Does not read the current user's settings in the row; `read_subscribed` does.
    """
    subscribers = row.get("subscribers")
    return Channel(
        channel_id=required_int(row, "stream_id"),
        name=text(row, "name"),
        description=text(row, "description"),
        rendered_description=text(row, "rendered_description"),
        invite_only=boolean(row, "invite_only"),
        is_web_public=boolean(row, "is_web_public"),
        is_archived=boolean(row, "is_archived"),
        history_public_to_subscribers=boolean(row, "history_public_to_subscribers", True),
        is_recently_active=boolean(row, "is_recently_active", True),
        post_policy=integer(row, "stream_post_policy", 2 if row.get("is_announcement_only") is True else 1),
        topics_policy=text(row, "topics_policy", "inherit"),
        creator_id=optional_int(row, "creator_id"),
        date_created=optional_int(row, "date_created"),
        first_message_id=optional_int(row, "first_message_id"),
        folder_id=optional_int(row, "folder_id"),
        message_retention_days=optional_int(row, "message_retention_days"),
        weekly_traffic=optional_int(row, "stream_weekly_traffic"),
        subscriber_count=len(ids(subscribers))
        if isinstance(subscribers, list)
        else optional_int(row, "subscriber_count"),
        permissions=read_permissions(row),
        subscription=subscription,
        is_default=optional_bool(row, "is_default"),
        default_push_notifications=boolean(row, "default_push_notifications"),
    )


def read_subscribed(row: RawRecord) -> Channel:
    """Reads a row of `subscriptions`, or of a `subscription` event."""
    return read_channel(row, read_subscription(row))


def read_listed(row: RawRecord) -> Channel:
    """Reads a row of the list of the current user's subscriptions, with the ids of the subscribers if they
    were requested.
    """
    subscribers = row.get("subscribers")
    listed = tuple(ids(subscribers)) if isinstance(subscribers, list) else None
    return read_subscribed(row)._replace(subscriber_ids=listed)


def read_subscription(row: RawRecord) -> Subscription:
    """Reads the current user's settings in a row of `subscriptions`; old servers send `in_home_view`."""
    return Subscription(
        color=text(row, "color"),
        is_muted=boolean(row, "is_muted", not boolean(row, "in_home_view", True)),
        pin_to_top=boolean(row, "pin_to_top"),
        desktop_notifications=optional_bool(row, "desktop_notifications"),
        audible_notifications=optional_bool(row, "audible_notifications"),
        push_notifications=optional_bool(row, "push_notifications"),
        email_notifications=optional_bool(row, "email_notifications"),
        wildcard_mentions_notify=optional_bool(row, "wildcard_mentions_notify"),
    )
