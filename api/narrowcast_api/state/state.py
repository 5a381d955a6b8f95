"""The live account, built from a snapshot.

A `State` is built once by registration and changed only by `apply` (in `narrowcast_api.state.apply`) and by
what responses to requests add: messages fetched, topics listed. After any history of events it equals the state
built from a fresh snapshot.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from msgspec.structs import replace

from narrowcast_api.model.channels import read_channel, read_subscribed
from narrowcast_api.model.messages import Message
from narrowcast_api.model.reading import (
    RawRecord,
    id_of_key,
    ids,
    integer,
    number,
    records,
    required_int,
    rows,
    table,
    text,
    texts,
)
from narrowcast_api.model.user_groups import GroupSettingValue, read_group_setting, read_user_group
from narrowcast_api.model.users import read_user
from narrowcast_api.resources import (
    attachments,
    bots,
    custom_emoji,
    default_channel_groups,
    drafts,
    linkifiers,
    navigation_views,
    playgrounds,
    profile_fields,
    reminders,
    saved_snippets,
    scheduled_messages,
)
from narrowcast_api.resources.collection import Collection
from narrowcast_api.resources.presence import Presence
from narrowcast_api.resources.status import Statuses
from narrowcast_api.resources.typing import Typing
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.state.channels import Channels
from narrowcast_api.state.holder_rules import HolderRules, read_holder_rules
from narrowcast_api.state.mute_rules import MuteRules
from narrowcast_api.state.policies import least_role
from narrowcast_api.state.settings import (
    Limits,
    ServerOffers,
    read_limits,
    read_newcomer_settings,
    read_organization_settings,
    read_server_offers,
    read_user_settings,
)
from narrowcast_api.state.store import Directs, Messages
from narrowcast_api.state.topics import Topics
from narrowcast_api.state.unreads import Unreads
from narrowcast_api.state.user_groups import UserGroups
from narrowcast_api.state.users import Users
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import VisibilityPolicy


class State:
    """Everything that is currently known of an account. `monotonic` is the clock for typing notifications."""

    def __init__(self, me: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.me = me
        self.monotonic = monotonic
        self.from_cache = False
        self.server = ServerInfo()
        self.limits = Limits()
        self.users = Users()
        self.presence = Presence(self.limits.presence_offline_threshold)
        self.statuses = Statuses()
        self.channels = Channels()
        self.topics = Topics()
        self.user_groups = UserGroups()
        self.holder_rules = HolderRules()
        self.offers = ServerOffers()
        self.default_channel_groups = default_channel_groups.DefaultChannelGroupCollection()
        self.mute_rules = MuteRules(self.channels, self.topics)
        self.unreads = Unreads(self.mute_rules)
        self.messages = Messages()
        self.starred: set[int] = set()
        self.directs = Directs()
        self.typing = Typing(self.limits.typing_started_expiry)
        self.settings = read_user_settings({})
        self.organization = read_organization_settings({})
        self.newcomers = read_newcomer_settings({})
        self.drafts = drafts.DraftCollection(me)
        self.scheduled_messages = scheduled_messages.ScheduledMessageCollection(me)
        self.reminders = reminders.collection()
        self.saved_snippets = saved_snippets.collection()
        self.linkifiers = linkifiers.collection()
        self.playgrounds = playgrounds.collection()
        self.custom_emoji = custom_emoji.CustomEmojiCollection()
        self.profile_fields = profile_fields.collection()
        self.navigation_views = navigation_views.collection()
        self.managed_bots = bots.collection()
        self.attachments = attachments.collection()
        self.max_message_id = 0
        self.newest_received = 0
        """The newest message that the user has received: others may be known of channels without a subscription."""

    def collections(self) -> tuple[Collection[Any, Any], ...]:
        """The small resources that are read from a snapshot."""
        return (
            self.drafts,
            self.scheduled_messages,
            self.reminders,
            self.saved_snippets,
            self.linkifiers,
            self.playgrounds,
            self.custom_emoji,
            self.profile_fields,
            self.navigation_views,
            self.managed_bots,
        )

    @classmethod
    def from_snapshot(
        cls,
        response: RawRecord,
        *,
        now: float | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        from_cache: bool = False,
    ) -> State:
        """Builds the state from the response of registration. `now` is the local time of the response in UTC
        seconds.

        Raises `BadRow` if the response does not contain the user's id; anything else that is missing or wrong
        is left out.
        """
        enabled = gc.isenabled()
        gc.disable()  # hundreds of thousands of new objects and no garbage: collections would only take time
        try:
            state = cls(required_int(response, "user_id"), monotonic)
            state.from_cache = from_cache
            _load_server(state, response, time.time() if now is None else now)
            _load_people(state, response)
            _load_channels(state, response)
            _load_messages(state, response)
            _load_tables(state, response)
        finally:
            if enabled:
                gc.enable()
        return state

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of the account yet, neither from the cache nor from the server."""
        return self.me == 0

    def has_flag(self, message_id: int, flag: str) -> bool:
        """Whether the user has set a flag on a message, as far as is known: stars are known for all messages."""
        if flag == "starred":
            return message_id in self.starred
        message = self.messages.get(message_id)
        return message is not None and flag in message.flags

    def add_messages(self, messages: Iterable[Message]) -> list[Message]:
        """Adds fetched messages; returns those that are new or have changed."""
        fresh = []
        for fetched in messages:
            before = self.messages.get(fetched.id)
            kept_id = before.local_id if before is not None else None
            message = fetched if kept_id is None else replace(fetched, local_id=kept_id)
            if message == before:
                continue
            self.messages.put(message)
            self.note_message(message)
            if self.is_received(message):
                self.newest_received = max(self.newest_received, message.id)
            if not message.is_read and self.unreads.is_unread(message.id) is None:
                self.count_unread(message)
            fresh.append(message)
        return fresh

    def is_received(self, message: Message) -> bool:
        """Whether the user receives messages like this one, and not only may read them."""
        channel = None if message.channel_id is None else self.channels.get(message.channel_id)
        return message.channel_id is None or (channel is not None and channel.is_subscribed)

    def count_unread(self, message: Message) -> None:
        """Adds a message to the unread ones; whether it counts is decided when counting."""
        if message.channel_id is None:
            others = (message.direct_user_ids or frozenset()) - {self.me}
            self.unreads.add_direct(others, [message.id])
        else:
            self.unreads.add_topic(message.channel_id, message.topic or "", [message.id])
        self.unreads.mention(message.id, message.flags)

    def show_read(self, message_ids: Iterable[int]) -> tuple[int, ...]:
        """Marks messages as read before the server confirms it; returns those that were unread until now."""
        unread = [message_id for message_id in message_ids if self.unreads.is_unread(message_id)]
        self.unreads.remove(unread)
        for message in self.messages.known(unread):
            self.messages.put(replace(message, flags=message.flags | {"read"}))
        return tuple(unread)

    def note_message(self, message: Message) -> bool:
        """Updates the lists of topics and conversations for a message; returns whether its channel's list changed."""
        self.max_message_id = max(self.max_message_id, message.id)
        if message.channel_id is not None:
            return self.topics.add_message(message.channel_id, message.topic or "", message.id)
        self.directs.add_message((message.direct_user_ids or frozenset()) - {self.me}, message.id)
        return False

    def is_muted(self, channel_id: int, topic: str) -> bool:
        """Whether a topic is left out of views of all channels."""
        return not self.mute_rules.is_visible(channel_id, topic, False)

    def policy_to_toggle_mute(self, channel_id: int, topic: str) -> VisibilityPolicy:
        """The policy that mutes a topic that is not muted, or makes a muted one visible: UNMUTED in a muted
        channel, else NONE.
        """
        if not self.is_muted(channel_id, topic):
            return VisibilityPolicy.MUTED
        channel = self.channels.get(channel_id)
        return VisibilityPolicy.UNMUTED if channel is not None and channel.is_muted else VisibilityPolicy.NONE

    def visibility_policy(self, channel_id: int, topic: str) -> int:
        """The user's policy for a topic: 0 none, 1 muted, 2 unmuted, 3 followed."""
        return self.topics.visibility(channel_id, topic)

    def channel_id(self, name: str) -> int | None:
        """The id of the channel with a name, or with an id given as text."""
        by_name = self.channels.id_of(name)
        return id_of_key(name) if by_name is None else by_name

    def channel_name(self, channel_id: int) -> str | None:
        return self.channels.name(channel_id)

    def user_id(self, text: str) -> int | None:
        """The id of the user with an email address, a name, or an id given as text, or of the current user for 'me'."""
        if text == "me":
            return self.me
        by_name = self.users.id_of(text)
        return id_of_key(text) if by_name is None else by_name

    def user_email(self, user_id: int) -> str | None:
        """A user's API email address."""
        user = self.users.get(user_id)
        return user.email if user is not None else None

    @property
    def is_bot(self) -> bool:
        """Whether this is the account of a bot."""
        user = self.users.get(self.me)
        return user is not None and user.is_bot

    def has_permission(self, name: str) -> bool:
        """Whether the user has the permission `can_..._group` of the organization; True if it is not set. On
        an older server its policy is used instead.
        """
        setting = read_group_setting(self.organization.get(name))
        me, least = self.users.get(self.me), least_role(self.organization, name)
        if setting is None and me is not None and least is not None:
            return me.role <= least
        return setting is None or self.holds("realm", name, setting)

    def holds(self, kind: str, permission: str, setting: GroupSettingValue) -> bool:
        """Whether the user is among the holders of a permission of a kind of object ('realm', 'stream' or
        'group'). Guests never hold one that cannot be given to everyone, whatever groups they are in.
        """
        me = self.users.get(self.me)
        if me is not None and me.is_guest and not self.holder_rules.of(kind, permission).everyone:
            return False
        return self.user_groups.contains(setting, self.me)

    def supports(self, gate: Gate) -> bool:
        """Whether the server has the feature."""
        return self.server.supports(gate)


def _load_server(state: State, response: RawRecord, now: float) -> None:
    state.server = ServerInfo.from_response(response)
    state.limits = read_limits(response)
    state.typing = Typing(state.limits.typing_started_expiry)
    state.settings = read_user_settings(response)
    state.organization = read_organization_settings(response)
    state.newcomers = read_newcomer_settings(response)
    state.holder_rules = read_holder_rules(response)
    state.offers = read_server_offers(response)
    state.presence = Presence(state.limits.presence_offline_threshold)
    state.presence.server_offset = number(response, "server_timestamp", now) - now


def _load_people(state: State, response: RawRecord) -> None:
    users = state.users
    users.put(records(response.get("cross_realm_bots"), read_user, "bot"))
    users.put(records(response.get("realm_users"), read_user, "user"))
    inactive = partial(read_user, is_active=False)
    users.put(records(response.get("realm_non_active_users"), inactive, "user"))
    users.mute(response.get("muted_users"))
    users.alert_words = tuple(texts(response.get("alert_words")))
    state.presence.merge(response.get("presences"))
    state.presence.last_update_id = integer(response, "presence_last_update_id", -1)
    state.statuses = Statuses(keeps_away=not state.supports(Gate.AWAY_DEPRECATED))
    for key, status in table(response.get("user_status")).items():
        if (user_id := id_of_key(key)) is not None:
            state.statuses.update(user_id, table(status))
    for group in records(response.get("realm_user_groups"), read_user_group, "group"):
        state.user_groups.put(group)


def _load_channels(state: State, response: RawRecord) -> None:
    channels = state.channels
    channels.put(records(response.get("subscriptions"), read_subscribed, "subscription"))
    for key in ("unsubscribed", "never_subscribed", "streams"):
        # the same channel can be in several of the tables: it is read once, from the one with the most
        # details
        unread = (row for row in rows(response.get(key)) if channels.get(integer(row, "stream_id")) is None)
        channels.put(records(list(unread), read_channel, "channel"))
    channels.folders.load(response)
    channels.default_ids = frozenset(read_default_ids(response.get("realm_default_streams")))
    state.default_channel_groups.load(response)
    load_muted_topics(state, response.get("muted_topics"))
    for row in rows(response.get("user_topics")):
        state.topics.set_visibility(
            integer(row, "stream_id"), text(row, "topic_name"), integer(row, "visibility_policy")
        )


def read_default_ids(value: object) -> list[int]:
    """Reads the default channels of new users: ids, or objects with ids from old servers."""
    return ids(value) or [integer(row, "stream_id") for row in rows(value)]


def load_muted_topics(state: State, value: object) -> None:
    """Reads the list of muted topics as old servers send it: channel name, topic, time."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, list) and len(entry) >= 2 and all(type(part) is str for part in entry[:2]):
            channel_id = state.channels.id_of(entry[0])
            if channel_id is not None:
                state.topics.set_visibility(channel_id, entry[1], VisibilityPolicy.MUTED)


def _load_messages(state: State, response: RawRecord) -> None:
    state.max_message_id = state.newest_received = integer(response, "max_message_id")
    unread = table(response.get("unread_msgs"))
    state.unreads.load(unread, state.me)
    for row in rows(unread.get("streams")):
        newest = max(ids(row.get("unread_message_ids")), default=0)
        state.topics.add_message(integer(row, "stream_id"), text(row, "topic"), newest)
    state.starred = set(ids(response.get("starred_messages")))
    state.directs.load(response.get("recent_private_conversations"), state.me)


def _load_tables(state: State, response: RawRecord) -> None:
    if not state.supports(Gate.LINKIFIER_OBJECTS):
        state.linkifiers.put(linkifiers.read_filters(response.get("realm_filters")))
    for collection in state.collections():
        collection.load(response)
