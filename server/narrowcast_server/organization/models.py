"""Database rows as frozen records."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntFlag
from typing import TypeVar

import msgspec

from narrowcast_api.wire.vocabulary import BotType, Role
from narrowcast_server.storage.store import Row

__all__ = ["Channel", "FlagBit", "Group", "Message", "Role", "User"]

Record = TypeVar("Record")


def _record(kind: type[Record], row: Row, **read: object) -> Record:
    """The record of a row whose columns are named like its fields; `read` holds the fields that are stored
    differently.
    """
    return msgspec.convert({**dict(row), **read}, kind, strict=False)


class FlagBit(IntFlag):
    """A user's flags on a message, as bits of `user_messages.flags`."""

    READ = 1
    STARRED = 2
    COLLAPSED = 4
    MENTIONED = 8
    CHANNEL_WILDCARD = 16
    TOPIC_WILDCARD = 32
    GROUP_MENTIONED = 64
    ALERT_WORD = 128
    HISTORICAL = 256


@dataclass(frozen=True, slots=True)
class User:
    """A person or bot with an account."""

    id: int
    delivery_email: str
    full_name: str
    role: Role
    is_active: bool
    bot_type: int | None
    bot_owner_id: int | None
    is_system_bot: bool
    api_key: str
    timezone: str
    date_joined: int
    avatar_version: int
    avatar_url: str | None
    can_change_user_emails: bool
    can_create_users: bool
    settings: dict[str, object]
    """The personal settings that differ from the defaults (`personal.SETTINGS`)."""

    @property
    def is_bot(self) -> bool:
        return self.bot_type is not None

    @property
    def is_webhook(self) -> bool:
        """Whether the account is an incoming webhook."""
        return self.bot_type == BotType.INCOMING_WEBHOOK

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER

    @property
    def is_administrator(self) -> bool:
        """Whether the user is an administrator or owner."""
        return self.role <= Role.ADMINISTRATOR

    @property
    def is_guest(self) -> bool:
        return self.role is Role.GUEST

    @classmethod
    def of(cls, row: Row, open_key: Callable[[str], str | None]) -> User:
        """Reads a row of `users`; `open_key` unseals the stored API key."""
        return _record(cls, row, api_key=open_key(row["api_key"]) or "", settings=json.loads(row["settings"]))


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel. `settings` maps the names of its group settings to group-setting values."""

    id: int
    name: str
    description: str
    rendered_description: str
    date_created: int
    creator_id: int | None
    invite_only: bool
    history_public: bool
    is_web_public: bool
    is_archived: bool
    is_default: bool
    message_retention_days: int | None
    topics_policy: str
    folder_id: int | None
    first_message_id: int | None
    settings: dict[str, object]

    @classmethod
    def of(cls, row: Row) -> Channel:
        """Reads a row of `channels`."""
        return _record(cls, row, settings=json.loads(row["settings"]))


@dataclass(frozen=True, slots=True)
class Group:
    """A user group. `settings` maps `can_*_group` to group-setting values."""

    id: int
    name: str
    description: str
    creator_id: int | None
    date_created: int | None
    is_system: bool
    deactivated: bool
    settings: dict[str, object]

    @classmethod
    def of(cls, row: Row) -> Group:
        """Reads a row of `groups`."""
        return _record(cls, row, settings=json.loads(row["settings"]))


@dataclass(frozen=True, slots=True)
class Message:
    """A message; exactly one of `channel_id` and `conversation_id` is set."""

    id: int
    sender_id: int
    channel_id: int | None
    topic: str
    conversation_id: int | None
    content: str
    rendered: str
    timestamp: int
    client: str
    is_me: bool
    last_edited: int | None
    last_moved: int | None
    history: str
    """The edit history as JSON, newest first."""

    @classmethod
    def of(cls, row: Row) -> Message:
        """Reads a row of `messages`."""
        return _record(cls, row)
