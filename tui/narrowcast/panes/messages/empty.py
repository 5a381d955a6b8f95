"""What the message pane shows if there are no messages: why, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.keys.hints import KeyHint
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.errors import TransportError
from narrowcast_api.narrow.destinations import DirectDestination
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.message_view import MessageView

__all__ = ["why_empty"]

TO_ALL: KeyHint = ("go.all", "shows all messages")


def why_empty(state: State, view: MessageView | None) -> Empty:
    """Why there are no messages in a view."""
    if view is None:
        return Empty("No view is open", "Choose one at the left.", (("go.switcher", "goes anywhere"),))
    if view.error is not None:
        what = "No connection" if isinstance(view.error, TransportError) else "Could not be loaded"
        return Empty(what, view.error.user_message, (("message.reload", "tries again"),))
    if view.loading or not view.found_newest:
        return Empty("Loading messages…")
    narrow = view.narrow
    if (where := narrow.new_message_destination) is not None:
        begin = "message.reply" if isinstance(where, DirectDestination) else "write.channel"
        if refused := permissions.write_refusal(state, where):
            return Empty("No messages here yet", refused)
        return Empty("No messages here yet", _nobody_wrote(narrow), ((begin, "writes the first"),))
    if narrow == Narrow.all():
        return _no_messages_at_all(state)
    if narrow == Narrow.mentions():
        return Empty("No mentions", "Messages that mention you are collected here.", (TO_ALL,))
    if narrow == Narrow.starred():
        return Empty("No starred messages", "Messages that you star are collected here.", (TO_ALL,))
    if narrow == Narrow.directs():
        return Empty(
            "No direct messages",
            "Conversations with one or several people are collected here.",
            (("write.direct", "writes to a person"),),
        )
    has_words = any(term.operator == "search" for term in narrow.terms)
    advice = "Fewer words, or other ones, may find some." if has_words else ""
    return Empty("No messages match", advice, (("go.search", "searches again"), TO_ALL))


def _nobody_wrote(narrow: Narrow) -> str:
    if narrow.direct_user_ids is not None:
        return "Nobody has written in this conversation."
    return f"Nobody has written to this {'channel' if narrow.topic_name is None else 'topic'}."


def _no_messages_at_all(state: State) -> Empty:
    subscribed = state.channels.subscribed()
    if any(channel.first_message_id is not None for channel in subscribed):
        older = "Messages from before you joined are in the channels."
        return Empty("No messages here yet", older, (("pane.find-channel", "finds a channel"),))
    writes = (("write.channel", "writes to a channel"), ("write.direct", "writes to a person"))
    if not subscribed:
        return Empty(
            "No messages yet",
            "You are not subscribed to any channel.",
            (("channel.browse", "browses channels"), *writes),
        )
    return Empty("No messages yet", "You can write the first.", writes)
