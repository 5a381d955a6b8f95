"""Sending the text: to the outbox, or as the new text of a message."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from narrowcast.panes.compose.field_order import FieldOrder
from narrowcast.panes.compose.rules import SendRules
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.text.formats import counted
from narrowcast.text.safe_text import safe_line
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.storage.records import Edit

__all__ = ["Sending"]


Slash = Callable[[str, Callable[[str | None], None]], bool]
"""Runs the slash command of an extension, and returns whether the text is one. Calls back with the text to
send instead, or None for nothing."""


class Sending:
    """Text that cannot be sent stays in compose, and the reason is shown. ``sent`` is called with the
    destination of the text, ``edited`` with an edit that is to be saved.
    """

    def __init__(
        self,
        pane: ComposeContext,
        rules: SendRules,
        uploads: UploadRows,
        order: FieldOrder,
        *,
        slash: Slash,
        sent: Callable[[Destination], object],
        edited: Callable[[Edit], object],
    ) -> None:
        self._pane = pane
        self._rules = rules
        self._uploads = uploads
        self._order = order
        self._slash = slash
        self._sent = sent
        self._edited = edited

    def send(self) -> None:
        """Sends the text in compose, unless it was sent, deleted or changed elsewhere and not shown so yet."""
        if self._pane.writing.follow_draft():
            return
        if problem := self._edit_problem():
            self._pane.tell(problem, severity="warning")
            return
        content = self._pane.text.text.strip()
        if not content:
            self._pane.tell("You have nothing to send!")
            return
        over = len(content) - self._pane.session.state.limits.max_message_length
        if over > 0:
            self._pane.tell(f"The message is {counted(over, 'character')} over the limit.", severity="error")
        elif (edit := self._pane.writing.saved()) is not None:
            self._edited(edit)
        elif not (content.startswith("/") and self._slash(content, partial(self._slash_done, content))):
            self._hand_over(content)

    def _edit_problem(self) -> str:
        """Why the edit cannot be saved now; empty if it can, or if there is none."""
        writing = self._pane.writing
        if writing.edits.is_loading:
            return "The message is still loading."
        if writing.edits.is_too_late:
            writing.leave_edit()
            return "The time for edits is over. Your text is in Drafts."
        if writing.was_just_changed:
            return "The message was changed elsewhere just now. Saving again overwrites that."
        return ""

    def _slash_done(self, content: str, text: str | None) -> None:
        """Sends ``text``, which a slash command returned in place of ``content``; None sends nothing."""
        is_edit = self._pane.is_edit
        if not self._pane.host.is_attached or self._pane.text.text.strip() != content or is_edit:
            self._pane.tell("The text has changed meanwhile: nothing was sent.", severity="warning")
        elif text is None or not text.strip():
            self._pane.writing.sent()
        else:
            self._hand_over(text.strip())

    def _hand_over(self, content: str) -> None:
        where, problem = self._pane.writing.destination()
        if where is None:
            self._pane.tell(problem, severity="warning")
            self._order.enter_first()
            return
        self._rules.refresh()
        if self._rules.refusal:
            self._pane.tell(self._rules.refusal, severity="warning")
            return
        self._pane.session.typing.stop()
        late = self._uploads.pending(where)
        try:
            self._pane.session.outbox.send(where, content)
        except InvalidInput as error:
            self._pane.tell(error.user_message, severity="error")
            return
        self._pane.writing.sent()
        if late:
            text = f"Sent without {safe_line(late[0].name, 60)}: its link comes here once it is uploaded."
            self._pane.tell(text, severity="warning")
        self._sent(where)
