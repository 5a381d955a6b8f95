"""The answer of POST /register: the whole account as it was when the queue was made.

Parts are read when they are first asked for, so that a start pays for what it shows. What cannot be read (one
person with a number for a name, a limit that is a text) is left out and listed in ``Snapshot.problems``; the
rest holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeVar

from pydantic import AliasChoices, Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from .base import (
    Good,
    GoodList,
    Id,
    Int,
    Problem,
    Seconds,
    WireModel,
    collecting_problems,
    describe,
    dialects,
    either,
    lenient,
)
from .channels import ChannelFolder, UserTopic
from .drafts import Draft, Reminder, SavedSnippet, ScheduledMessage
from .groups import UserGroup
from .organization import Linkifier, NavigationView, Playground, ProfileField, RealmEmoji
from .server import dialect_of
from .settings import UserSettings
from .tables import ChannelRow, PresenceRow, UserRow, read_by_id, read_rows
from .unread import UnreadMessages
from .users import ClientPresence, MutedUser, UserStatus, modern_presence
from .vocabulary import Dialect


class Registration(WireModel):
    """The single values of a snapshot.

    Limits and periods that the server did not send are None: what is unknown is not checked (LIM-02). Periods
    are in the unit that their name says.
    """

    queue_id: str | None = None
    last_event_id: Int = -1
    max_message_id: Id | None = None
    event_queue_longpoll_timeout_seconds: Seconds | None = None
    event_stream_path: str | None = None

    feature_level: Int = Field(default=0, validation_alias=dialects("feature_level"))
    version: str = Field(default="", validation_alias=dialects("version"))
    merge_base: str | None = Field(default=None, validation_alias=dialects("merge_base"))
    server_generation: Int | None = None

    user_id: Id | None = None
    email: str = ""
    delivery_email: str | None = None
    full_name: str = ""
    is_owner: bool = False
    is_admin: bool = False
    is_moderator: bool = False
    is_guest: bool = False
    avatar_url: str | None = None

    realm_name: str = ""
    realm_description: str = ""
    realm_url: str = Field(default="", validation_alias=either("realm_url", "realm_uri"))
    realm_empty_topic_display_name: str | None = None
    realm_mandatory_topics: bool = False
    realm_topics_policy: str | None = None
    realm_allow_message_editing: bool = True
    realm_message_content_edit_limit_seconds: Int | None = None
    realm_message_content_delete_limit_seconds: Int | None = None
    realm_allow_edit_history: bool = True
    realm_enable_read_receipts: bool = False
    realm_presence_disabled: bool = False
    realm_message_retention_days: Int | None = None
    realm_default_code_block_language: str | None = None
    realm_waiting_period_threshold: Int = 0

    max_message_length: Int | None = None
    max_topic_length: Int | None = None
    max_stream_name_length: Int | None = None
    max_stream_description_length: Int | None = None
    max_file_upload_size_mib: Int | None = None
    max_avatar_file_size_mib: Int | None = None
    max_reminder_note_length: Int | None = None

    server_typing_started_wait_period_milliseconds: Int | None = None
    server_typing_stopped_wait_period_milliseconds: Int | None = None
    server_typing_started_expiry_period_milliseconds: Int | None = None
    server_presence_ping_interval_seconds: Int | None = None
    server_presence_offline_threshold_seconds: Int | None = None
    server_timestamp: Seconds | None = None
    server_emoji_data_url: str | None = None


T = TypeVar("T")


def _names(field: str, info: FieldInfo) -> tuple[str, ...]:
    """What a field is called on the wire, in every dialect."""
    alias = info.validation_alias
    return tuple(str(choice) for choice in alias.choices) if isinstance(alias, AliasChoices) else (field,)


_SCALARS = frozenset(
    name for field, info in Registration.model_fields.items() for name in _names(field, info)
)

_UNREAD = TypeAdapter(UnreadMessages)
_LEGACY_PRESENCES: TypeAdapter[dict[str, dict[str, ClientPresence]]] = TypeAdapter(
    Good[dict[str, dict[str, ClientPresence]]]
)
_STATUSES: TypeAdapter[dict[int, UserStatus]] = TypeAdapter(Good[dict[int, UserStatus]])
_TOPICS: TypeAdapter[list[UserTopic]] = TypeAdapter(GoodList[UserTopic])
_MUTED_USERS: TypeAdapter[list[MutedUser]] = TypeAdapter(GoodList[MutedUser])
_DRAFTS: TypeAdapter[list[Draft]] = TypeAdapter(GoodList[Draft])
_SCHEDULED: TypeAdapter[list[ScheduledMessage]] = TypeAdapter(GoodList[ScheduledMessage])
_REMINDERS: TypeAdapter[list[Reminder]] = TypeAdapter(GoodList[Reminder])
_SNIPPETS: TypeAdapter[list[SavedSnippet]] = TypeAdapter(GoodList[SavedSnippet])
_GROUPS: TypeAdapter[list[UserGroup]] = TypeAdapter(GoodList[UserGroup])
_EMOJI: TypeAdapter[dict[str, RealmEmoji]] = TypeAdapter(Good[dict[str, RealmEmoji]])
_LINKIFIERS: TypeAdapter[list[Linkifier]] = TypeAdapter(GoodList[Linkifier])
_PLAYGROUNDS: TypeAdapter[list[Playground]] = TypeAdapter(GoodList[Playground])
_PROFILE_FIELDS: TypeAdapter[list[ProfileField]] = TypeAdapter(GoodList[ProfileField])
_FOLDERS: TypeAdapter[list[ChannelFolder]] = TypeAdapter(GoodList[ChannelFolder])
_VIEWS: TypeAdapter[list[NavigationView]] = TypeAdapter(GoodList[NavigationView])
_IDS: TypeAdapter[list[int]] = TypeAdapter(GoodList[Id])
_WORDS: TypeAdapter[list[str]] = TypeAdapter(GoodList[str])


class Snapshot:
    """The typed view of a register answer; ``raw`` is the answer itself, with all that is not typed here.

    ``problems`` lists what was left out of the parts read so far. The parts hold what the server sent for the
    event types that were fetched; parts not fetched are empty.
    """

    def __init__(self, raw: Mapping[str, object]) -> None:
        self.raw = raw
        self.problems: list[Problem] = []

    def __repr__(self) -> str:
        return f"<Snapshot of queue {self.raw.get('queue_id')!r}, {len(self.raw)} parts>"

    def _read(self, key: str, adapter: TypeAdapter[T], empty: T) -> T:
        value = self.raw.get(key)
        if value is None:
            return empty
        return self._collect(key, lambda: adapter.validate_python(value), empty)

    def _collect(self, key: str, read: Callable[[], T], empty: T) -> T:
        with collecting_problems() as found:
            try:
                result = read()
            except (ValidationError, RecursionError) as error:
                self.problems.append(Problem(key, "whole", describe(error)))
                result = empty
        self.problems.extend(
            problem if problem.field else Problem(key, problem.where, problem.error) for problem in found
        )
        return result

    def _people(self, key: str) -> list[UserRow]:
        return self._collect(key, lambda: read_rows(key, self.raw.get(key), UserRow), [])

    def _channels(self, key: str) -> list[ChannelRow]:
        return self._collect(key, lambda: read_rows(key, self.raw.get(key), ChannelRow), [])

    @cached_property
    def registration(self) -> Registration:
        """The single values; each unreadable one is as if it had not been sent."""
        values = {key: self.raw[key] for key in _SCALARS if key in self.raw}
        return lenient(Registration, values, self.problems)

    @cached_property
    def dialect(self) -> Dialect:
        """Which names the server uses."""
        return dialect_of(dict.fromkeys(self.raw))

    @cached_property
    def users(self) -> list[UserRow]:
        """All people and bots: active, deactivated, and the system's own bots."""
        keys = ("realm_users", "realm_non_active_users", "cross_realm_bots")
        return [person for key in keys for person in self._people(key)]

    @cached_property
    def subscriptions(self) -> list[ChannelRow]:
        """Channels that the caller is in."""
        return self._channels("subscriptions")

    @cached_property
    def unsubscribed(self) -> list[ChannelRow]:
        """Channels that the caller left."""
        return self._channels("unsubscribed")

    @cached_property
    def never_subscribed(self) -> list[ChannelRow]:
        """Channels that the caller can see and was never in."""
        return self._channels("never_subscribed")

    @cached_property
    def presences(self) -> dict[int, PresenceRow]:
        """When people were last seen, by user id; the legacy form, by address and client, is converted."""
        key = "presences"
        value = self.raw.get(key)
        if isinstance(value, dict) and any("@" in str(name) for name in value):
            return self._legacy_presences(value)
        return self._collect(key, lambda: read_by_id(key, value, PresenceRow), {})

    def _legacy_presences(self, value: dict[str, object]) -> dict[int, PresenceRow]:
        ids = {user.email: user.user_id for user in self.users}
        found: dict[int, PresenceRow] = {}
        nothing: dict[str, dict[str, ClientPresence]] = {}
        legacy = self._collect("presences", lambda: _LEGACY_PRESENCES.validate_python(value), nothing)
        for email, clients in legacy.items():
            if email in ids:
                seen = modern_presence(clients)
                found[ids[email]] = PresenceRow(seen.active_timestamp, seen.idle_timestamp)
        return found

    @cached_property
    def unread(self) -> UnreadMessages:
        """What is unread."""
        return self._read("unread_msgs", _UNREAD, UnreadMessages())

    @cached_property
    def statuses(self) -> dict[int, UserStatus]:
        """Statuses by user id; who has none is missing."""
        return self._read("user_status", _STATUSES, {})

    @cached_property
    def user_topics(self) -> list[UserTopic]:
        """Topics that the caller sees otherwise than their channel."""
        return self._read("user_topics", _TOPICS, [])

    @cached_property
    def muted_users(self) -> list[MutedUser]:
        """Whom the caller muted."""
        return self._read("muted_users", _MUTED_USERS, [])

    @cached_property
    def drafts(self) -> list[Draft]:
        """Drafts, newest first, at most as many as the server sends at once."""
        return self._read("drafts", _DRAFTS, [])

    @cached_property
    def scheduled_messages(self) -> list[ScheduledMessage]:
        """Messages to be sent later, and those that failed."""
        return self._read("scheduled_messages", _SCHEDULED, [])

    @cached_property
    def reminders(self) -> list[Reminder]:
        """Reminders to come."""
        return self._read("reminders", _REMINDERS, [])

    @cached_property
    def saved_snippets(self) -> list[SavedSnippet]:
        """Texts to insert."""
        return self._read("saved_snippets", _SNIPPETS, [])

    @cached_property
    def groups(self) -> list[UserGroup]:
        """User groups, the system's own among them (GSV-07)."""
        return self._read("realm_user_groups", _GROUPS, [])

    @cached_property
    def emoji(self) -> dict[str, RealmEmoji]:
        """Custom emoji by id."""
        return self._read("realm_emoji", _EMOJI, {})

    @cached_property
    def linkifiers(self) -> list[Linkifier]:
        """Linkifiers in the order in which they apply."""
        return self._read("realm_linkifiers", _LINKIFIERS, [])

    @cached_property
    def playgrounds(self) -> list[Playground]:
        """Code playgrounds."""
        return self._read("realm_playgrounds", _PLAYGROUNDS, [])

    @cached_property
    def profile_fields(self) -> list[ProfileField]:
        """Definitions of custom profile fields, in order."""
        return self._read("custom_profile_fields", _PROFILE_FIELDS, [])

    @cached_property
    def channel_folders(self) -> list[ChannelFolder]:
        """Folders of channels."""
        return self._read("channel_folders", _FOLDERS, [])

    @cached_property
    def navigation_views(self) -> list[NavigationView]:
        """The caller's own navigation entries."""
        return self._read("navigation_views", _VIEWS, [])

    @cached_property
    def starred(self) -> list[int]:
        """Ids of starred messages."""
        return self._read("starred_messages", _IDS, [])

    @cached_property
    def alert_words(self) -> list[str]:
        """Words that mark a message for the caller."""
        return self._read("alert_words", _WORDS, [])

    @cached_property
    def settings(self) -> UserSettings:
        """The caller's settings; unreadable ones have their defaults."""
        value = self.raw.get("user_settings")
        return lenient(UserSettings, value if isinstance(value, dict) else {}, self.problems)
