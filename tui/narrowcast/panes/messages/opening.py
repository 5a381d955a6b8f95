"""What a view shows when it is opened: its position, and the user's own messages that wait to be sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast.panes.messages.position import Position
    from narrowcast_api.protocols.outbox_item import OutboxEntry
    from narrowcast_api.sync.message_view import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["set_position", "waiting_messages"]


def set_position(position: Position, view: MessageView, anchor: int | str | None) -> None:
    """Sets the position that ``view`` has after opening at ``anchor``: see `MessagesPane.show`."""
    if isinstance(anchor, int) and anchor in view.ids:
        position.jump(anchor)
    elif anchor == "newest":
        position.jump(None)
    elif anchor == "oldest":
        position.to_oldest()
    elif view.position is not None and anchor is None and view.position in view.ids:
        position.jump(view.position)
    elif anchor == "first_unread" and view.first_unread in view.ids:
        position.jump(view.first_unread)
    else:
        position.jump(view.anchor if view.anchor in view.ids else None)


def waiting_messages(session: Session, view: MessageView) -> Sequence[OutboxEntry]:
    """The user's own messages in ``view`` that the server has not confirmed yet."""
    messages = session.state.messages
    return [
        entry
        for entry in session.outbox.entries()
        if (entry.message_id is None or entry.message_id not in messages)
        and view.narrow.shows(entry.destination)
    ]
