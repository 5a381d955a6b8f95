"""Going from a message to its channel, its conversation or its sender, or to the target of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.content.addresses import InApp
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.requests import NarrowRequested, PersonRequested
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

__all__ = ["Going"]


class Going:
    """Asks the screen for another view."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def channel(self) -> None:
        """Goes to the whole channel of the message, or all direct messages."""
        if (message := self._pane.message_or_notify()) is not None:
            is_direct = message.channel_id is None
            narrow = Narrow.directs() if is_direct else Narrow.channel(message.channel_id or 0)
            self._pane.post(NarrowRequested(narrow, message.id))

    def topic(self) -> None:
        """Goes to the conversation of the message."""
        if (message := self._pane.message_or_notify()) is not None:
            narrow = Narrow.from_destination(message.destination(self._pane.session.state.me))
            self._pane.post(NarrowRequested(narrow, message.id))

    def sender(self) -> None:
        """Shows the card of the message's sender."""
        if (message := self._pane.message_or_notify()) is not None:
            self._pane.post(PersonRequested(message.sender_id))

    def go_to(self, target: InApp) -> None:
        """Goes to a view; if it is that of a message, to where the message is now, as it may have been moved since."""
        message_id = target.message_id
        if message_id is None or not target.narrow.is_conversation:
            self._pane.post(NarrowRequested(target.narrow, message_id))
        else:
            self._pane.work(self._go_to_message(target, message_id), "find the message")

    async def find(self, message_id: int) -> Message | None:
        """A message by its id, fetched if necessary; None and a notice if it does not exist or cannot be fetched."""
        try:
            message = await self._pane.session.loader.message(message_id)
        except NarrowcastError as error:
            self._pane.say(f"Could not load the message: {error.user_message}")
            return None
        if message is None:
            self._pane.say(f"There is no message {message_id}, or you do not have access to it.")
        return message

    async def _go_to_message(self, target: InApp, message_id: int) -> None:
        message = await self.find(message_id)
        narrow = target.narrow
        if message is not None:
            narrow = Narrow.from_destination(message.destination(self._pane.session.state.me))
        self._pane.post(NarrowRequested(narrow, message_id if message is not None else None))
