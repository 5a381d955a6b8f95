"""The user's own messages that the server has not confirmed yet: which ones a view shows, and the note on each."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from narrowcast.keys.hints import Keys, with_keys
from narrowcast.text.safe_text import safe_line
from narrowcast_api.protocols.outbox_item import OFFER_AFTER, SHOW_AFTER, SILENCE_AFTER, OutboxState

if TYPE_CHECKING:
    from narrowcast_api.protocols.outbox_item import OutboxEntry
    from narrowcast_api.sync.message_view import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["echo_note", "waiting_messages"]


def echo_note(entry: OutboxEntry, now: float, keys: Keys) -> tuple[str, str]:
    """The note on a message that is not confirmed yet, and its style: "error" or empty."""
    age = now - entry.created
    cancel = with_keys(keys, "<write.outbox-cancel> cancels")
    if entry.state is OutboxState.FAILED:
        settle = with_keys(keys, "<write.outbox-retry> resends, <write.outbox-cancel> cancels")
        return f"not sent: {safe_line(entry.error or '', 300)} {settle}", "error"
    if entry.state is OutboxState.UNCONFIRMED:
        return f"unconfirmed: checking whether it arrived… {cancel}", "error"
    if entry.held_for > 0:
        takes_back = with_keys(keys, "<compose.leave> in the compose box takes it back")
        return f"sent in {ceil(entry.held_for)} s: {takes_back}", ""
    if age < SHOW_AFTER or entry.state is OutboxState.SENT:
        return "", ""
    if entry.waits_for is not None:
        return "waiting for the previous message", ""
    if entry.state is OutboxState.WAITING:
        return f"waiting to be sent… {cancel}", ""
    if entry.sent_at is not None and now - entry.sent_at >= SILENCE_AFTER:
        return f"no response for {int(SILENCE_AFTER)} s, still waiting… {cancel}", ""
    if age > OFFER_AFTER:
        return f"still sending… {cancel}", ""
    return "sending…", ""


def waiting_messages(session: Session, view: MessageView) -> Sequence[OutboxEntry]:
    """The user's own messages in ``view`` that the server has not confirmed yet."""
    messages = session.state.messages
    return [
        entry
        for entry in session.outbox.entries()
        if (entry.message_id is None or entry.message_id not in messages)
        and view.narrow.shows(entry.destination)
    ]
