"""What the message pane requests from the screen around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message as TextualMessage

from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

__all__ = [
    "EditRequested",
    "ForwardRequested",
    "HintChanged",
    "LinkRequested",
    "MoveRequested",
    "NarrowRequested",
    "PersonRequested",
    "QuoteRequested",
    "ReplyRequested",
]


class NarrowRequested(TextualMessage, namespace="messages_pane"):
    """Go to a view, and to a message in it."""

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


class QuoteRequested(TextualMessage, namespace="messages_pane"):
    """Reply to the last of some messages below quotes of their sources."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self.messages = messages


class ForwardRequested(TextualMessage, namespace="messages_pane"):
    """Forward messages to another conversation."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self.messages = messages


class MoveRequested(TextualMessage, namespace="messages_pane"):
    """Move messages of channels to another topic."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self.messages = messages


class EditRequested(TextualMessage, namespace="messages_pane"):
    def __init__(self, message_id: int) -> None:
        super().__init__()
        self.message_id = message_id


class LinkRequested(TextualMessage, namespace="messages_pane"):
    """Open an external address, or an uploaded file. `label` is the text of the link."""

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
    """The available keys changed: see `mode_hint` and `selected_hints` of the pane."""
