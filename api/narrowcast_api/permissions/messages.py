"""Who may edit, move, resolve and delete messages, and for how long.

`now` is the local time in UTC seconds; the offset of the server's clock is taken into account. A permission
that a server does not send is assumed to be granted: the server checks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.model.user_groups import GroupSettingValue, read_group_setting
from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import (
    holders_of,
    is_administrator,
    is_guest,
    only,
    only_administrators,
    role_of,
)
from narrowcast_api.state.policies import least_role
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, Role

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State


def archived_change_refusal(state: State, channel_id: int | None, what: str = "messages") -> Refusal:
    """Returns a refusal if the channel is archived: its content cannot change. None: a direct message."""
    channel = _channel(state, channel_id)
    if channel is None or not channel.is_archived:
        return ALLOWED
    archived = f"#{channel.name} is archived"
    return Refusal(f"{archived}: its {what} stay as they are.", archived)


def flag_refusal(state: State, channel_id: int | None) -> Refusal:
    """Returns a refusal if the current user is a guest who is not subscribed to the channel, and so cannot
    set flags.
    """
    channel = _channel(state, channel_id)
    if channel is None or channel.is_subscribed or not is_guest(state):
        return ALLOWED
    return Refusal(f"Guests can only read #{channel.name} unless they are subscribed.", "guests only read")


def act_refusal(state: State, channel_id: int | None) -> Refusal:
    """Returns a refusal if the current user may not act on messages of the channel at all: react, vote,
    change, move.
    """
    return archived_change_refusal(state, channel_id) or flag_refusal(state, channel_id)


def edit_refusal(state: State, message: Message, now: float) -> Refusal:
    """Returns a refusal unless the current user may edit the message: its sender may, for a limited time."""
    if message.sender_id != state.me:
        return Refusal("You can only edit your own messages.")
    if not state.organization.flag("allow_message_editing", True):
        return Refusal("Messages cannot be edited in this organization.")
    if message.submessages:
        return Refusal("Polls and to-do lists cannot be edited; press Enter on them to take part.")
    if refusal := act_refusal(state, message.channel_id):
        return refusal
    return _too_late(state, message, now, "message_content_edit_limit_seconds", "edited")


def edit_seconds_left(state: State, message: Message, now: float) -> float | None:
    """Seconds for which the sender can still edit the message; None if there is no limit."""
    seconds = _limit(state, "message_content_edit_limit_seconds")
    return None if seconds is None else max(0.0, _seconds_left(state, message, now, seconds))


def delete_refusal(state: State, message: Message, now: float) -> Refusal:
    """Returns a refusal unless the current user may delete the message: holders of the permission may, and
    for a limited time its sender, or the owner of the bot that sent it.
    """
    if refusal := act_refusal(state, message.channel_id):
        return refusal
    if _holds(state, message, "can_delete_any_message_group", is_administrator(state)):
        return ALLOWED
    sender = state.users.get(message.sender_id)
    own = message.sender_id == state.me or (sender is not None and sender.bot_owner_id == state.me)
    if not own:
        return _only(state, "can_delete_any_message_group", "delete messages of others")
    if not _holds(state, message, "can_delete_own_message_group", True):
        return _only(state, "can_delete_own_message_group", "delete their own messages")
    return _too_late(state, message, now, "message_content_delete_limit_seconds", "deleted")


def move_topic_refusal(state: State, message: Message, now: float) -> Refusal:
    """Returns a refusal unless the current user may move the message to another topic of its channel."""
    if refusal := act_refusal(state, message.channel_id):
        return refusal
    realm, channel = "can_move_messages_between_topics_group", ChannelSetting.MOVE_WITHIN.value
    is_open = message.sender_id == state.me and not state.supports(Gate.OWN_TOPIC_POLICY)
    if not is_open and not _holds(state, message, realm, True, channel):
        return _only(state, realm, "move messages between topics")
    if role_of(state) <= Role.MODERATOR:
        return ALLOWED
    return _too_late(state, message, now, "move_messages_within_stream_limit_seconds", "moved")


def move_channel_refusal(state: State, message: Message, now: float) -> Refusal:
    """Returns a refusal unless the current user may move the message to another channel."""
    if refusal := act_refusal(state, message.channel_id):
        return refusal
    realm, channel = "can_move_messages_between_channels_group", ChannelSetting.MOVE_OUT.value
    if not _holds(state, message, realm, True, channel):
        return _only(state, realm, "move messages between channels")
    if role_of(state) <= Role.MODERATOR:
        return ALLOWED
    return _too_late(state, message, now, "move_messages_between_streams_limit_seconds", "moved")


def delete_topic_refusal(state: State, channel_id: int) -> Refusal:
    """Returns a refusal unless the current user may delete a topic with all its messages."""
    return archived_change_refusal(state, channel_id, "topics") or only_administrators(state, "delete topics")


def resolve_refusal(state: State, channel_id: int, topic: str | None = None) -> Refusal:
    """Returns a refusal unless the current user may resolve topics of the channel; always for the empty topic."""
    channel = state.channels.get(channel_id)
    if topic == "":
        return Refusal(f"Messages without a topic ({state.limits.empty_topic_name}) cannot be resolved.")
    if archived := archived_change_refusal(state, channel_id, "topics"):
        return archived
    name = "can_resolve_topics_group"
    # TODO(server-367): before, the permission to move messages between topics included resolving them.
    if name not in state.organization and state.supports(Gate.OWN_TOPIC_POLICY):
        name = "can_move_messages_between_topics_group"
    if state.has_permission(name):
        return ALLOWED
    own = channel.permissions.get(ChannelSetting.RESOLVE_TOPICS) if channel is not None else None
    if own is not None and state.holds("stream", ChannelSetting.RESOLVE_TOPICS, own):
        return ALLOWED
    return _only(state, name, "resolve topics")


def _channel(state: State, channel_id: int | None) -> Channel | None:
    return None if channel_id is None else state.channels.get(channel_id)


def _holds(state: State, message: Message, name: str, default: bool, of_channel: str | None = None) -> bool:
    """Whether the current user holds a permission of the organization or of the message's channel; `default`
    if the server sends neither the permission nor an older policy.
    """
    setting = read_group_setting(state.organization.get(name))
    if setting is None and name not in state.organization:
        least = least_role(state.organization, name)
        return default if least is None else role_of(state) <= least
    if setting is not None and state.holds("realm", name, setting):
        return True
    own = _of_channel(state, message, of_channel or name)
    return own is not None and state.holds("stream", of_channel or name, own)


def _of_channel(state: State, message: Message, name: str) -> GroupSettingValue | None:
    channel = _channel(state, message.channel_id)
    return channel.permissions.get(name) if channel is not None else None


def _only(state: State, name: str, act: str) -> Refusal:
    return only(holders_of(state, name, "administrators"), act)


def _too_late(state: State, message: Message, now: float, limit: str, done: str) -> Refusal:
    """Returns a refusal if a time limit in seconds has passed; the server sends none if there is no limit."""
    seconds = _limit(state, limit)
    if seconds is None or _seconds_left(state, message, now, seconds) >= 0:
        return ALLOWED
    period = _period(seconds)
    return Refusal(
        f"Messages can be {done} for {period} only, and that time has passed.", f"only within {period}"
    )


def _limit(state: State, name: str) -> int | None:
    seconds = state.organization.get(name)
    return seconds if type(seconds) is int and seconds > 0 else None


def _seconds_left(state: State, message: Message, now: float, limit: int) -> float:
    return message.timestamp + limit - now - state.presence.server_offset


def _period(seconds: int) -> str:
    """The seconds as text, in the largest unit of which they are a multiple."""
    units = (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")
    size, unit = next((size, unit) for size, unit in units if seconds % size == 0)
    count = seconds // size
    return f"{count} {unit}{'s' if count != 1 else ''}"
