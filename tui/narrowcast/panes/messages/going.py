"""Going from a message to its channel, its conversation or its sender, or to the target of a link."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.content.addresses import InApp
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.requests import NarrowRequested, PersonRequested
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.dialogs.late import Attention
    from narrowcast_api.model.messages import Message
    from narrowcast_api.sync.message_view import MessageView

__all__ = ["Going", "place_of"]


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
            self._pane.post(NarrowRequested(place_of(message, self._pane.session.state.me), message.id))

    def sender(self) -> None:
        """Shows the card of the message's sender."""
        if (message := self._pane.message_or_notify()) is not None:
            self._pane.post(PersonRequested(message.sender_id))

    def go_to(self, target: InApp) -> None:
        """Goes to a view; if it is that of a message, to where the message is now, as it may have been moved since."""
        message_id = target.message_id
        if message_id is None or not target.follows_message:
            self._pane.post(NarrowRequested(target.narrow, message_id))
        else:
            me = self._pane.session.state.me
            self.find(message_id, lambda message: target.narrow if message is None else place_of(message, me))

    def find(self, message_id: int, narrow_for: Callable[[Message | None], Narrow | None]) -> None:
        """Goes to a message, which is fetched if necessary, unless the user does something else when it arrives.
        ``narrow_for`` returns the view for the message, or for None, if it does not exist or cannot be fetched.
        """
        work = self._find(message_id, narrow_for, self._pane.attention, self._pane.view)
        self._pane.work(work, "find the message")

    async def _find(
        self,
        message_id: int,
        narrow_for: Callable[[Message | None], Narrow | None],
        attention: Attention,
        view: MessageView | None,
    ) -> None:
        message = await self._fetched(message_id)
        narrow = narrow_for(message)
        if narrow is None:
            return
        if attention.is_here and self._pane.view is view:
            self._pane.post(NarrowRequested(narrow, message_id if message is not None else None))
        else:
            attention.tell_missed("The message", "Go to it again.")

    async def _fetched(self, message_id: int) -> Message | None:
        """A message by its id, fetched if necessary; None and a notice if it does not exist or cannot be fetched."""
        try:
            message = await self._pane.session.loader.message(message_id)
        except NarrowcastError as error:
            self._pane.say(f"Could not load the message: {error.user_message}")
            return None
        if message is None:
            self._pane.say(f"There is no message {message_id}, or you do not have access to it.")
        return message


def place_of(message: Message, me: int) -> Narrow:
    """The conversation of a message, as the user ``me`` sees it."""
    return Narrow.from_destination(message.destination(me))
