"""Whether the text may be sent, and sending it: to the outbox, or as the new text of a message."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.banners import Banners, everybody_mentioned
from narrowcast.panes.compose.field_order import FieldOrder
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.text.formats import counted
from narrowcast.text.safe_text import safe_line
from narrowcast_api import permissions
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.storage.records import Edit

__all__ = ["SendRules", "Sending"]

WAIT_FOR_DISK = 1.0
"""Seconds for which sending waits until it is known what other windows have just sent and written."""
READ_ONLY = "This window is read-only: the account is open elsewhere, where its files cannot be shared."
"""Text that could not be saved is not accepted at all."""
MOST_HELD = 20
"""Seconds for which a message may be held back."""
MANY = 15
"""Number of subscribers above which mentioning all of them is confirmed, as in Zulip's web app."""

Slash = Callable[[str, Callable[[str | None], None]], bool]
"""Runs the slash command of an extension, and returns whether the text is one. Calls back with the text to
send instead, or None for nothing."""


class SendRules:
    """``changed`` is called after each check; ``banners`` are checked along."""

    def __init__(self, pane: ComposeContext, changed: Callable[[], None], banners: Banners) -> None:
        self._pane = pane
        self._banners = banners
        self._changed = changed
        self.refusal = ""
        """Why nothing can be sent to the current destination; empty if it can."""

    @property
    def read_only(self) -> str:
        """Why nothing can be written at all; empty if it can."""
        return READ_ONLY if self._pane.session.read_only else ""

    @property
    def _how_to_begin(self) -> str:
        begin = "message.reply" if self._pane.target.is_direct else "write.channel"
        return with_keys(keys_of(self._pane.text), f"Write a message (<{begin}>)")

    def refresh(self) -> None:
        """Checks again whether the channel takes topics, and whether the user may write there."""
        state, is_edit = self._pane.session.state, self._pane.is_edit
        self._pane.target.show_rules(state)
        where = self._pane.writing.destination()[0] if not is_edit else None
        refusal = "" if where is None else permissions.write_refusal(state, where)
        if not refusal and isinstance(where, ChannelDestination) and self._pane.text.text.strip():
            refusal = permissions.topic_refusal(state, where.channel_id, where.topic)
        self.refusal = refusal
        self._changed()
        self._banners.refresh(self.read_only or refusal)
        self._pane.text.placeholder = self.read_only or refusal or self._how_to_begin


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

    async def send(self) -> None:
        """Sends the text in compose, unless it was sent, deleted or changed elsewhere and not shown so yet."""
        content = self._pane.text.text
        await self._pane.session.journal_watcher.catch_up(WAIT_FOR_DISK)
        is_same = self._pane.host.is_attached and self._pane.text.text == content
        if not is_same or self._pane.writing.follow_draft():
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

    def _hand_over(self, content: str, *, is_confirmed: bool = False) -> None:
        where, problem = self._pane.writing.destination()
        if where is None:
            self._pane.tell(problem, severity="warning")
            self._order.enter_first()
            return
        self._rules.refresh()
        if self._rules.refusal:
            self._pane.tell(self._rules.refusal, severity="warning")
            return
        if is_confirmed or not self._asks_for_everybody(where, content):
            self._send_to(where, content)

    def take_back(self) -> bool:
        """Cancels the newest message that is held back, and puts its text into compose; False if there is none."""
        outbox = self._pane.session.outbox
        held = [entry for entry in outbox.unsent() if entry.held_for > 0]
        if not held or self._pane.writing.is_busy:
            return False
        with self._pane.session.one_write():
            if (entry := outbox.cancel(held[-1].local_id)) is None:
                return False
            self._pane.writing.address(entry.destination)
            self._pane.text.insert(entry.content)
            self._pane.writing.keep()
        self._pane.tell("Not sent: the text is in the compose box again.")
        return True

    def _asks_for_everybody(self, where: Destination, content: str) -> bool:
        """Asks before a message notifies many subscribers of a channel; returns whether it does."""
        state = self._pane.session.state
        channel = state.channels.get(where.channel_id) if isinstance(where, ChannelDestination) else None
        count = channel.subscriber_count if channel is not None else None
        if channel is None or count is None or count <= MANY or not everybody_mentioned(content):
            return False

        def send() -> None:
            if self._pane.host.is_attached and self._pane.text.text.strip() == content:
                self._hand_over(content, is_confirmed=True)

        question = f"Notify all {count} subscribers of #{channel.name}?"
        effect = "The message mentions all of them."
        ask_first(self._pane.host, Question(question, "Send", effect), send)
        return True

    def _send_to(self, where: Destination, content: str) -> None:
        self._pane.session.typing.stop()
        late = self._uploads.pending(where)
        try:
            hold = min(max(0, app_of(self._pane.host).config.compose.undo_send), MOST_HELD)
            with self._pane.session.one_write():
                self._pane.session.outbox.send(where, content, hold=hold)
                self._pane.writing.sent()
        except InvalidInput as error:
            self._pane.tell(error.user_message, severity="error")
            return
        if late:
            text = f"Sent without {safe_line(late[0].name, 60)}: its link comes here once it is uploaded."
            self._pane.tell(text, severity="warning")
        self._sent(where)
