"""Who may edit, move, resolve and delete messages, and until when.

`now` is the local time in UTC seconds; the server's clock is reckoned with. Servers that do not send a permission are
taken to allow it: they refuse by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.model.user_groups import GroupSettingValue, read_group_setting
from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import (
    holders,
    is_administrator,
    is_guest,
    only,
    only_administrators,
    role_of,
)
from narrowcast_api.wire.vocabulary import ChannelSetting, Role

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State


def frozen_refusal(state: State, channel_id: int | None, what: str = "messages") -> Refusal:
    """Refuses everybody to change what is in an archived channel. None: a direct message."""
    channel = _channel(state, channel_id)
    if channel is None or not channel.is_archived:
        return ALLOWED
    archived = f"#{channel.name} is archived"
    return Refusal(f"{archived}: its {what} stay as they are.", archived)


def flag_refusal(state: State, channel_id: int | None) -> Refusal:
    """Refuses guests to star or fold what they only read because its channel is open to the web."""
    channel = _channel(state, channel_id)
    if channel is None or channel.is_subscribed or not is_guest(state):
        return ALLOWED
    return Refusal(f"Guests can only read #{channel.name} unless they are subscribed.", "guests only read")


def act_refusal(state: State, channel_id: int | None) -> Refusal:
    """Refuses who may not react to a message of a channel, vote on it, change or move it, whatever else they may."""
    return frozen_refusal(state, channel_id) or flag_refusal(state, channel_id)


def edit_refusal(state: State, message: Message, now: float) -> Refusal:
    """Refuses who may not change the content of a message: its sender may, for a while."""
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
    """Seconds in which its sender can still change the content of a message; None where there is no limit."""
    seconds = _limit(state, "message_content_edit_limit_seconds")
    return None if seconds is None else max(0.0, _seconds_left(state, message, now, seconds))


def delete_refusal(state: State, message: Message, now: float) -> Refusal:
    """Refuses who may not delete a message: holders of the permission, and for a while its sender, or the owner of
    the bot that sent it.
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
    """Refuses who may not move a message to another topic of its channel."""
    if refusal := act_refusal(state, message.channel_id):
        return refusal
    realm, channel = "can_move_messages_between_topics_group", ChannelSetting.MOVE_WITHIN.value
    if not _holds(state, message, realm, True, channel):
        return _only(state, realm, "move messages between topics")
    if role_of(state) <= Role.MODERATOR:
        return ALLOWED
    return _too_late(state, message, now, "move_messages_within_stream_limit_seconds", "moved")


def move_channel_refusal(state: State, message: Message, now: float) -> Refusal:
    """Refuses who may not move a message to another channel."""
    if refusal := act_refusal(state, message.channel_id):
        return refusal
    realm, channel = "can_move_messages_between_channels_group", ChannelSetting.MOVE_OUT.value
    if not _holds(state, message, realm, True, channel):
        return _only(state, realm, "move messages between channels")
    if role_of(state) <= Role.MODERATOR:
        return ALLOWED
    return _too_late(state, message, now, "move_messages_between_streams_limit_seconds", "moved")


def delete_topic_refusal(state: State, channel_id: int) -> Refusal:
    """Refuses who may not delete a topic with all its messages."""
    return frozen_refusal(state, channel_id, "topics") or only_administrators(state, "delete topics")


def resolve_refusal(state: State, channel_id: int, topic: str | None = None) -> Refusal:
    """Refuses who may not resolve topics of a channel, and the empty topic, which nobody can resolve."""
    channel = state.channels.get(channel_id)
    if topic == "":
        return Refusal(f"Messages without a topic ({state.limits.empty_topic_name}) cannot be resolved.")
    if archived := frozen_refusal(state, channel_id, "topics"):
        return archived
    name = "can_resolve_topics_group"
    if state.has_permission(name):
        return ALLOWED
    own = channel.permissions.get(ChannelSetting.RESOLVE_TOPICS) if channel is not None else None
    if own is not None and state.user_groups.contains(own, state.me):
        return ALLOWED
    return only(_who(state, name), "resolve topics")


def _channel(state: State, channel_id: int | None) -> Channel | None:
    return None if channel_id is None else state.channels.get(channel_id)


def _holds(state: State, message: Message, name: str, unsaid: bool, of_channel: str | None = None) -> bool:
    """Whether oneself holds a permission of the organization, or the one of the message's channel."""
    setting = read_group_setting(state.organization.get(name))
    if setting is None and name not in state.organization:
        return unsaid
    if setting is not None and state.user_groups.contains(setting, state.me):
        return True
    own = _of_channel(state, message, of_channel or name)
    return own is not None and state.user_groups.contains(own, state.me)


def _of_channel(state: State, message: Message, name: str) -> GroupSettingValue | None:
    channel = _channel(state, message.channel_id)
    return channel.permissions.get(name) if channel is not None else None


def _only(state: State, name: str, act: str) -> Refusal:
    return only(_who(state, name), act)


def _who(state: State, name: str) -> str:
    setting = read_group_setting(state.organization.get(name))
    return holders(state, setting) if setting is not None else "administrators"


def _too_late(state: State, message: Message, now: float, limit: str, done: str) -> Refusal:
    """Refuses what came after a limit in seconds; the server sends none where there is none."""
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
    """Seconds in the largest unit that says them exactly."""
    units = (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")
    size, unit = next((size, unit) for size, unit in units if seconds % size == 0)
    count = seconds // size
    return f"{count} {unit}{'s' if count != 1 else ''}"
