"""Replying to messages, and editing and deleting own messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.requests import EditRequested, QuoteRequested, ReplyRequested
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.text.formats import excerpt, has_long_clock
from narrowcast.text.safe_text import safe_line
from narrowcast_api import permissions
from narrowcast_api.narrow.destinations import DirectDestination

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

__all__ = ["ReplyAndEdit"]

SHOWN_OF_DELETED = 60
"""Maximum cells of the message's text, and of its sender's name, in the question whether to delete it."""


class ReplyAndEdit:
    """Requests a reply to or an edit of the selected message; deletes it."""

    def __init__(self, pane: PaneContext, clipboard: Clipboard) -> None:
        self._pane = pane
        self._clipboard = clipboard

    def reply(self) -> None:
        """Replies to the conversation of the message."""
        where = self._pane.selected_destination
        if where is None and self._pane.view is not None:
            where = self._pane.view.narrow.destination  # a reply is also possible in an empty conversation
        if where is not None:
            self._pane.post(ReplyRequested(where))
        else:
            self._pane.message_or_notify()

    def reply_sender(self) -> None:
        """Replies to the sender only."""
        if (message := self._pane.message_or_notify()) is not None:
            others = frozenset({message.sender_id}) - {self._pane.session.state.me}
            self._pane.post(ReplyRequested(DirectDestination(others)))

    def mention(self) -> None:
        """Replies with a mention of the sender at the beginning."""
        if (message := self._pane.message_or_notify()) is not None:
            name = self._pane.session.state.users.name(message.sender_id)
            mention = f"@**{name}|{message.sender_id}** "
            self._pane.post(ReplyRequested(message.destination(self._pane.session.state.me), mention))

    def quote(self) -> None:
        """Replies with a quote of the message's source, or of its selected text, at the beginning."""
        message = self._pane.message_or_notify()
        selected = self._pane.take_selected_text()
        if message is not None and selected:
            where = message.destination(self._pane.session.state.me)
            self._pane.post(ReplyRequested(where, self._quoted(message, selected)))
        elif message is not None:
            self._pane.post(QuoteRequested([message]))

    async def quote_of(self, message: Message) -> str:
        """The Markdown of a quote of the message's source, which is fetched from the server."""
        return self._quoted(message, await self._clipboard.source_of(message.id))

    def _quoted(self, message: Message, source: str) -> str:
        fence = "```"
        while fence in source:
            fence += "`"
        name = self._pane.session.state.users.name(message.sender_id)
        link = self._clipboard.link_of(message)
        return f"@_**{name}|{message.sender_id}** [said]({link}):\n{fence}quote\n{source}\n{fence}\n"

    def edit(self) -> None:
        message = self._pane.message_or_notify()
        if message is None:
            return
        session = self._pane.session
        if not self._pane.refuse(permissions.edit_refusal(session.state, message, session.clock.now())):
            self._pane.post(EditRequested(message.id))

    def delete(self) -> None:
        """Deletes the message after confirmation."""
        message = self._pane.message_or_notify()
        if message is None:
            return
        session = self._pane.session
        if self._pane.refuse(permissions.delete_refusal(session.state, message, session.clock.now())):
            return
        message_id = message.id

        def delete() -> None:
            self._pane.work(session.client.messages.delete(message_id=message_id), "delete the message")

        self._pane.confirm(self._question_of_deleting(message), delete)

    def _question_of_deleting(self, message: Message) -> Question:
        """Describes the message in the question: the selection may have moved before the key was handled."""
        state = self._pane.session.state
        whose = "your message" if message.sender_id == state.me else "the message of "
        if message.sender_id != state.me:
            whose += safe_line(state.users.name(message.sender_id), SHOWN_OF_DELETED)
        now = self._pane.session.clock.now()
        text = excerpt(message.content, now, long=has_long_clock(state))
        question = f"Delete {whose}? {safe_line(text, SHOWN_OF_DELETED)}".strip()
        return Question(question, "Delete message", "It is deleted for everybody.")
