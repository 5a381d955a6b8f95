"""What the pane of messages asks of the screen around it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

from textual.message import Message as TextualMessage
from textual.widget import Widget

from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from narrowcast.panes.messages.message_list import MessageList
    from narrowcast_api.model.messages import Message
    from narrowcast_api.sync.message_lists import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["PaneBase"]

Answer = TypeVar("Answer")


class PaneBase(Widget):
    """What the parts of the pane share; `MessagesPane` is the whole."""

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
        """Show who somebody is."""

        def __init__(self, user_id: int) -> None:
            super().__init__()
            self.user_id = user_id

    class StatusRequested(TextualMessage, namespace="messages_pane"):
        """Say something to the user for a while. ``refused``: a key could not act, and this is why."""

        def __init__(self, text: str, refused: bool = False) -> None:
            super().__init__()
            self.text = text
            self.refused = refused

    class HintChanged(TextualMessage, namespace="messages_pane"):
        """Other keys matter now: `mode_hint` or `selected_hints` says which."""

    mode_hint: str = ""
    """What the keys do while they do not do what they usually do; '' otherwise."""
    selected_hints: tuple[tuple[str, str], ...] = ()
    """Actions for what the selected message holds (a poll, a picture, a spoiler) by id, and what each does."""

    session: Session
    list: MessageList
    view: MessageView | None

    @abstractmethod
    def work(self, request: Awaitable[object], what: str) -> None:
        """Runs a request in the background; what goes wrong is said, never raised."""

    def say_mode(self, hint: str) -> None:
        """Says which keys there are in the present mode, and which one leaves it; '' at its end."""
        if hint != self.mode_hint:
            self.mode_hint = hint
            self.post_message(self.HintChanged())

    async def waiting(self, request: Awaitable[Answer], hint: str) -> Answer:
        """The answer; until it is there `hint` says what is being waited for."""
        self.say_mode(hint)
        try:
            return await request
        finally:
            if self.mode_hint == hint:
                self.say_mode("")

    def say(self, text: str) -> None:
        """Says something to the user."""
        self.post_message(self.StatusRequested(text))

    def refuse(self, text: str) -> None:
        """Says why a key could not act."""
        self.post_message(self.StatusRequested(text, refused=True))

    def message_or_say(self) -> Message | None:
        """The selected message; says so where there is none, or none that the server has."""
        message = self.selected_message
        if message is None and self.selected_destination is not None:
            self.refuse("This message is still on its way; wait until the server has it.")
        elif message is None:
            self.refuse("There is no message here.")
        return message

    @property
    def selected_destination(self) -> Destination | None:
        """The conversation of the selected message, also of one that is still on its way."""
        if (message := self.selected_message) is not None:
            return message.destination(self.session.state.me)
        echoes = self.list.feed.echoes if self.list.feed is not None else ()
        return next((echo.destination for echo in echoes if echo.local_id == self.list.selected), None)

    @property
    def selected_message(self) -> Message | None:
        """The selected message; None on one that is still on its way."""
        key = self.list.selected
        return self.session.state.messages.get(key) if isinstance(key, int) else None
