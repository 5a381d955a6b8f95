"""The combined feed and the feed of a channel, which leave out what the user has muted, as in the web app."""

from __future__ import annotations

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow import joining
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import VisibilityPolicy

__all__ = ["fetched_narrow", "is_feed", "joins_by_move", "leaves_out", "shows"]

_NOT_MUTED = Term("in", "home")


def is_feed(narrow: Narrow) -> bool:
    """Whether a view leaves out muted topics: the one of all messages and that of one channel do."""
    return not narrow.terms or (len(narrow.key) == 1 and narrow.channel_id is not None)


def fetched_narrow(narrow: Narrow, state: State) -> Narrow:
    """The narrow that is requested for a view. In the feed of a muted channel the muted topics are named, since
    `in:home` leaves out all of the channel on some servers.
    """
    if not is_feed(narrow):
        return narrow
    channel_id = narrow.channel_id
    channel = None if channel_id is None else state.channels.get(channel_id)
    if channel is None or not channel.is_muted:
        return Narrow((*narrow.terms, _NOT_MUTED))
    muted = [
        topic
        for in_channel, topic, policy in state.topics.policies()
        if in_channel == channel_id and policy is VisibilityPolicy.MUTED
    ]
    return Narrow((*narrow.terms, *(Term("topic", topic, negated=True) for topic in muted)))


def leaves_out(narrow: Narrow, message: Message, state: State) -> bool:
    """Whether a message of the narrow is not shown in its view, because the user has muted where it is."""
    channel_id = message.channel_id
    return channel_id is not None and _leaves_out(narrow, channel_id, message.topic or "", state)


def shows(narrow: Narrow, message: Message, state: State) -> bool | None:
    """Whether the view of a narrow shows a message; None where only the server can tell."""
    return False if leaves_out(narrow, message, state) else narrow.matches(message, state)


def joins_by_move(narrow: Narrow, place: ChannelDestination, state: State) -> bool | None:
    """Whether messages that are not in memory, and that a view did not show, are shown after they moved to `place`."""
    if _leaves_out(narrow, place.channel_id, place.topic, state):
        return False
    return True if not narrow.terms else joining.joins_by_move(narrow, place, state)


def _leaves_out(narrow: Narrow, channel_id: int, topic: str, state: State) -> bool:
    is_inside = narrow.channel_id is not None
    return is_feed(narrow) and not state.mute_rules.is_in_feeds(channel_id, topic, is_inside)
