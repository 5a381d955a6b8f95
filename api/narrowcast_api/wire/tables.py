"""The big tables of a snapshot, as msgspec structs of the fields that are needed.

An organization may have 50,000 people and 5,000 channels. pydantic takes longer for them than ``json.loads``
for the whole snapshot, so these rows, and nothing else, are read by msgspec; names, meanings and defaults are
those of ``users.User``, ``channels.Subscription`` and ``users.Presence`` (a test holds them together).
Unknown fields of a row stay in ``Snapshot.raw``.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from .base import report_problem

_LARGEST = 2**63 - 1
_Int = Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)]


class MembersRow(Struct, frozen=True, gc=False):
    """A permission held by named people and groups."""

    direct_members: list[_Int]
    direct_subgroups: list[_Int]


_Setting = _Int | MembersRow | None


class UserRow(Struct, frozen=True, gc=False):
    """A user; see ``users.User``. Custom profile fields stay in the raw snapshot."""

    user_id: _Int
    full_name: str
    email: str = ""
    delivery_email: str | None = None
    is_active: bool = True
    is_owner: bool = False
    is_admin: bool = False
    is_guest: bool = False
    is_bot: bool = False
    bot_type: _Int | None = None
    bot_owner_id: _Int | None = None
    role: _Int = 400
    timezone: str = ""
    avatar_url: str | None = None
    avatar_version: _Int = 0
    is_system_bot: bool = False


class ChannelRow(Struct, frozen=True, gc=False):
    """A channel, and how the caller sees it where they are subscribed; see ``channels.Subscription``."""

    stream_id: _Int
    name: str
    description: str = ""
    rendered_description: str = ""
    creator_id: _Int | None = None
    date_created: _Int | None = None
    invite_only: bool = False
    is_web_public: bool = False
    is_archived: bool = False
    is_announcement_only: bool = False
    is_recently_active: bool = True
    history_public_to_subscribers: bool = True
    stream_post_policy: _Int = 1
    message_retention_days: _Int | None = None
    first_message_id: _Int | None = None
    folder_id: _Int | None = None
    topics_policy: str = "inherit"
    stream_weekly_traffic: _Int | None = None
    subscriber_count: _Int | None = None
    can_add_subscribers_group: _Setting = None
    can_administer_channel_group: _Setting = None
    can_create_topic_group: _Setting = None
    can_delete_any_message_group: _Setting = None
    can_delete_own_message_group: _Setting = None
    can_move_messages_out_of_channel_group: _Setting = None
    can_move_messages_within_channel_group: _Setting = None
    can_remove_subscribers_group: _Setting = None
    can_resolve_topics_group: _Setting = None
    can_send_message_group: _Setting = None
    can_subscribe_group: _Setting = None
    color: str = ""
    is_muted: bool = False
    pin_to_top: bool = False
    desktop_notifications: bool | None = None
    audible_notifications: bool | None = None
    push_notifications: bool | None = None
    email_notifications: bool | None = None
    wildcard_mentions_notify: bool | None = None
    subscribers: list[_Int] | None = None
    partial_subscribers: list[_Int] | None = None


class PresenceRow(Struct, frozen=True, gc=False):
    """When a user was last seen; see ``users.Presence``."""

    active_timestamp: float = 0
    idle_timestamp: float = 0


Row = TypeVar("Row", bound=Struct)

_FAILURES = (msgspec.ValidationError, RecursionError, OverflowError, ValueError)


def read_rows(field: str, value: object, row: type[Row]) -> list[Row]:
    """The readable rows of a table; others are reported and left out, and so is a table that is no list."""
    if value is None:
        return []
    if not isinstance(value, list):
        report_problem(field, "whole", TypeError("not a list"))
        return []
    try:
        # The type checker cannot know list[row]; convert is given exactly that.
        table: list[Row] = msgspec.convert(value, list[row])  # type: ignore[valid-type]  # a run-time type
    except _FAILURES:
        return _one_by_one(field, value, row)
    return table


def _one_by_one(field: str, value: list[object], row: type[Row]) -> list[Row]:
    good: list[Row] = []
    for index, item in enumerate(value):
        try:
            good.append(msgspec.convert(item, row))
        except _FAILURES as error:
            report_problem(field, index, error)
    return good


def read_by_id(field: str, value: object, row: type[Row]) -> dict[int, Row]:
    """The readable rows of a table keyed by ids as texts, as JSON has them."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        report_problem(field, "whole", TypeError("not an object"))
        return {}
    good: dict[int, Row] = {}
    for key, item in value.items():
        try:
            good[int(key)] = msgspec.convert(item, row)
        except (*_FAILURES, TypeError) as error:
            report_problem(field, str(key)[:40], error)
    return good
