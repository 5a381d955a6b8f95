"""Going to a date, or to a message by its id or link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.content.addresses import InApp, resolve
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.date_jump import DateJump
from narrowcast.panes.messages.going import Going
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

__all__ = ["Jumps"]


class Jumps:
    """Asks where to go, and goes there."""

    def __init__(self, pane: PaneContext, going: Going) -> None:
        self._pane = pane
        self._going = going

    def date(self) -> None:
        """Asks for a date and goes to its first message."""
        DateJump(self._pane).ask()

    def message(self) -> None:
        """Asks for the id or the link of a message and goes there."""
        self._pane.ask(AskScreen("Go to message", placeholder="message ID or link"), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if not text:
            return
        if text.strip().isdecimal() and len(text) < 16 and self._pane.view is not None:
            self._go_to_number(int(text), self._pane.view.narrow)
            return
        target = resolve(text.strip(), self._pane.session.state)
        if isinstance(target, InApp):
            self._going.go_to(target)
        else:
            self._pane.say("Not a message ID or link.")

    def _go_to_number(self, message_id: int, here: Narrow) -> None:
        """Goes to a message: in this view if it shows all messages or contains this one, else in its conversation."""

        def narrow_for(message: Message | None) -> Narrow | None:
            if message is None:
                return None
            conversation = Narrow.from_destination(message.destination(self._pane.session.state.me))
            return conversation if here.terms else here

        self._going.find(message_id, narrow_for)
