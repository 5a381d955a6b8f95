"""What the pane of messages asks of the screen around it."""

from __future__ import annotations

from textual.message import Message as TextualMessage

from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.narrow.narrow import Narrow

__all__ = [
    "EditRequested",
    "HintChanged",
    "LinkRequested",
    "NarrowRequested",
    "PersonRequested",
    "ReplyRequested",
]


class NarrowRequested(TextualMessage, namespace="messages_pane"):
    """Go to a view, and there to a message."""

    def __init__(self, narrow: Narrow, message_id: int | None = None) -> None:
        super().__init__()
        self.narrow = narrow
        self.message_id = message_id


class ReplyRequested(TextualMessage, namespace="messages_pane"):
    """Write to `destination`, beginning with `quote` if there is one."""

    def __init__(self, destination: Destination, quote: str | None = None) -> None:
        super().__init__()
        self.destination = destination
        self.quote = quote


class EditRequested(TextualMessage, namespace="messages_pane"):
    """Edit one's own message."""

    def __init__(self, message_id: int) -> None:
        super().__init__()
        self.message_id = message_id


class LinkRequested(TextualMessage, namespace="messages_pane"):
    """Open an address outside, or a file of the organization. `label` is the text that the link had."""

    def __init__(self, url: str, label: str = "") -> None:
        super().__init__()
        self.url = url
        self.label = label


class PersonRequested(TextualMessage, namespace="messages_pane"):
    """Show the card of a user."""

    def __init__(self, user_id: int) -> None:
        super().__init__()
        self.user_id = user_id


class HintChanged(TextualMessage, namespace="messages_pane"):
    """Other keys matter now: `mode_hint` or `selected_hints` of the pane says which."""
