"""Selecting several messages, for the commands that then act on all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.reactions import Flags
from narrowcast.panes.messages.requests import ForwardRequested, MoveRequested, QuoteRequested
from narrowcast.panes.messages.writing import ReplyAndEdit
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.text.formats import counted
from narrowcast_api import permissions
from narrowcast_api.errors import BadRequest

if TYPE_CHECKING:
    from narrowcast.panes.messages.items import Key
    from narrowcast.panes.messages.row_values import RowCanvas
    from narrowcast_api.model.messages import Message

__all__ = ["SelectedMessages", "Several"]

KEYS = (
    "<message.star> stars · <message.copy> copies · <message.quote> quotes · <message.forward> forwards · "
    "<topic.move> moves · <message.delete> deletes · <found.close> ends"
)


class SelectedMessages:
    """Marks the messages that are chosen. ``commands``: the handlers that `Context.FOUND` has meanwhile."""

    def __init__(self, commands: Mapping[str, Callable[[], None]]) -> None:
        self.ids: set[int] = set()
        self.commands = commands

    def apply(self, view: RowCanvas, y: int, key: Key, strip: Strip) -> Strip:
        """The row with a mark in its first column, if its message is chosen."""
        if key not in self.ids or not strip.cell_length:
            return strip
        first = next(iter(strip.crop(0, 1)), None)
        style = (first.style if first is not None else None) or Style()
        look = style + view.part_style("messages--hint")
        return Strip([Segment("✓", look), *strip.crop(1)], strip.cell_length)


class Several:
    """The mode in which messages are chosen one by one: commands act on all of them, else on the selected message."""

    def __init__(self, pane: PaneContext, clipboard: Clipboard, writing: ReplyAndEdit, flags: Flags) -> None:
        self._pane = pane
        self._clipboard = clipboard
        self._writing = writing
        self._flags = flags

    @property
    def chosen(self) -> list[Message]:
        """The chosen messages that are still there, oldest first; empty outside of the mode."""
        overlay = self._pane.list.overlay
        ids = sorted(overlay.ids) if isinstance(overlay, SelectedMessages) else []
        return list(self._pane.session.state.messages.known(ids))

    def toggle(self) -> None:
        """Chooses the selected message, or no longer; goes to the next one."""
        message = self._pane.message_or_notify()
        if message is None:
            return
        overlay = self._pane.list.overlay
        if not isinstance(overlay, SelectedMessages):
            overlay = self._pane.list.overlay = SelectedMessages({"found.close": self._pane.leave_modes})
        overlay.ids ^= {message.id}
        if overlay.ids:
            self._pane.say_mode(f"{len(overlay.ids)} selected: {self._pane.with_keys(KEYS)}")
            self._pane.list.changed()
            self._pane.list.position.step(1)
        else:
            self._pane.leave_modes()

    def star(self) -> None:
        """Stars all; if all have a star, removes it."""
        messages, session = self.chosen, self._pane.session
        if not messages:
            self._flags.star()
            return
        on = not all(message.is_starred for message in messages)
        for message in messages:
            if not self._pane.refuse(permissions.flag_refusal(session.state, message.channel_id)):
                self._pane.work(
                    session.message_actions.flag(message.id, "starred", on), "change the flag starred"
                )
        self._pane.leave_modes()
        self._pane.say(f"{counted(len(messages), 'message')} {'starred' if on else 'unstarred'}.")

    def copy(self) -> None:
        """Copies the texts of all, one below the other."""
        messages = self.chosen
        if not messages:
            self._clipboard.copy_message()
            return
        text = "\n\n".join(self._pane.list.rows.text_of(message) for message in messages)
        self._pane.leave_modes()
        self._clipboard.copy(text, counted(len(messages), "message"))

    def quote(self) -> None:
        """Replies to the conversation of the newest one below quotes of all."""
        messages = self.chosen
        if not messages:
            self._writing.quote()
            return
        self._pane.leave_modes()
        self._pane.post(QuoteRequested(messages))

    def forward(self) -> None:
        """Forwards the chosen messages, or the selected one."""
        messages = self.chosen
        if not messages and (message := self._pane.message_or_notify()) is not None:
            messages = [message]
        if messages:
            self._pane.post(ForwardRequested(messages))
        if isinstance(self._pane.list.overlay, SelectedMessages):
            self._pane.leave_modes()

    def delete(self) -> None:
        """Deletes all after confirmation; what may not be deleted is counted first."""
        session = self._pane.session
        if not self.chosen:
            self._writing.delete()
            return
        now = session.clock.now()
        allowed = [
            message.id
            for message in self.chosen
            if not permissions.delete_refusal(session.state, message, now)
        ]
        others = len(self.chosen) - len(allowed)
        if not allowed:
            self._pane.refuse("You may delete none of these messages.")
            return

        async def delete() -> None:
            for message_id in allowed:
                try:
                    await session.client.messages.delete(message_id=message_id)
                except BadRequest:
                    if message_id in session.state.messages:  # else somebody was faster
                        raise

        def confirmed() -> None:
            self._pane.leave_modes()
            self._pane.work(delete(), "delete the messages")

        rest = f" You may not delete the other {others}." if others else ""
        question = Question(
            f"Delete {counted(len(allowed), 'message')}?",
            "Delete messages",
            f"They are deleted for everybody.{rest}",
        )
        self._pane.confirm(question, confirmed)

    def move(self) -> bool:
        """Asks for another topic for the chosen messages; False if none are chosen."""
        messages = self.chosen
        if messages:
            self._pane.leave_modes()
            self._pane.post(
                MoveRequested([message for message in messages if message.channel_id is not None])
            )
        return bool(messages)
