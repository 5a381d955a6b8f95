"""Starting to write: to a channel, to people, a reply, a draft, or an edit of a message."""

from __future__ import annotations

from textual.timer import Timer

from narrowcast.panes.compose.field_order import FieldOrder
from narrowcast.panes.compose.sending import SendRules
from narrowcast.panes.compose.session import ComposeContext, ComposeState
from narrowcast_api import permissions
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, same_conversation
from narrowcast_api.storage.records import Edit

__all__ = ["ComposeStart"]

ASK_TIME_EVERY = 10.0
"""Seconds between updates of the time that is left for an edit."""


class ComposeStart:
    """Starts writing after saving the current text. If nothing can be written, shows the reason and changes nothing."""

    def __init__(self, pane: ComposeContext, rules: SendRules, order: FieldOrder) -> None:
        self._pane = pane
        self._rules = rules
        self._order = order
        self._timer: Timer | None = None
        self.was_writing = False
        """Whether compose had the focus when the edit was started."""

    def refused(self) -> bool:
        """Whether nothing can be written at all; then the reason is shown."""
        return self._pane.refuse(self._rules.read_only)

    def channel(self, where: ChannelDestination | None, *, is_topic: bool = False) -> None:
        """Writes to the channel and topic of ``where``; if None, the user enters them. ``is_topic``: an empty topic
        is the general chat, not one that is still to be entered.
        """
        if self.refused():
            return
        writing, target = self._pane.writing, self._pane.target
        if writing.is_busy and writing.edits.message_id is None and writing.goes_to_channel:
            self._order.enter_text()  # continue with the current text
            return
        writing.set_aside()
        if where is None:
            writing.address_kind(False)
            self._order.enter(target.channel)
        else:
            writing.address(where)
            state = self._pane.session.state
            is_topic = is_topic and not permissions.topic_refusal(state, where.channel_id, where.topic)
            ready = where.topic or is_topic or self._pane.text.text or not target.has_topics
            self._order.enter(self._pane.text if ready else target.topic)

    def direct(self, where: Destination | None = None) -> None:
        """Writes to the people of ``where``; without it, the user enters names."""
        if self.refused():
            return
        self._pane.writing.set_aside()
        if where is not None:
            self._pane.writing.address(where)
            self._order.enter_text()
        else:
            self._pane.writing.address_kind(True)
            self._order.enter(self._pane.target.to)

    def reply(self, where: Destination, quote: str | None = None) -> None:
        """Writes to ``where``, below ``quote`` (Markdown) if given."""
        if self.refused():
            return
        here, _ = self._pane.writing.destination()
        if self._pane.is_edit or not same_conversation(here, where):
            self._pane.writing.set_aside()
            self._pane.writing.address(where)
        if quote:
            self.append(f"{quote.rstrip()}\n")
        else:
            self._order.enter_text()

    def reply_below(self, where: Destination) -> ComposeState | None:
        """Writes to ``where``, below the text that is there, and returns what is written then, for a quote that
        follows; None if nothing can be written.
        """
        self.reply(where)
        text = self._pane.text
        if self._pane.host.screen.focused is not text:
            return None
        text.action_compose_text_end()
        writing = self._pane.writing
        return ComposeState(
            writing.destination(), text.text, writing.edits.message_id, self._pane.host.app.focused
        )

    def insert_quote(self, place: int, quote: str) -> None:
        """Inserts a quote at ``place``, above what was typed since then; the cursor stays in that."""
        text = self._pane.text
        lines = f"{quote.rstrip()}\n"
        if place and text.text[place - 1] != "\n":
            lines = f"\n{lines}"
        behind = len(text.text) - text.buffer.cursor
        text.replace(place, place, lines)
        cursor = len(text.text) - behind
        text.select(cursor, cursor)

    def insert(self, text: str) -> None:
        """Inserts text at the cursor."""
        if not self.refused():
            self._pane.text.insert(text)
            self._order.enter_text()

    def paste(self, text: str) -> None:
        """Inserts text that was pasted outside of a field."""
        if not self.refused():
            self._pane.text.paste(text)
            self._order.enter_text()

    def append(self, text: str) -> None:
        """Adds text at the end, beginning with a new line."""
        if not self.refused():
            editor = self._pane.text
            editor.buffer.cursor = end = len(editor.text)
            editor.insert(f"\n{text}" if end and not editor.text.endswith("\n") else text)
            self._order.enter_text()

    def show_draft(self, draft_id: str) -> bool:
        """Shows a saved draft without focusing it; False if it no longer exists."""
        draft = self._pane.session.drafts.get(draft_id)
        if draft is not None and draft_id != self._pane.writing.draft.id:
            self._pane.writing.set_aside()
            self._pane.writing.show_draft(draft)
        return draft is not None

    def open_draft(self, draft_id: str) -> bool:
        """Continues a saved draft; False if it no longer exists."""
        if self.refused() or not self.show_draft(draft_id):
            return False
        is_addressed = self._pane.writing.destination()[0] is not None
        self._order.enter(self._pane.text if is_addressed else self._pane.target.channel)
        return True

    def go_on(self, draft_id: str | None) -> None:
        """Continues a saved draft if it still exists, else a text for the open view."""
        if draft_id is None or not self.open_draft(draft_id):
            self._order.enter_text()

    def edit(self, message_id: int) -> bool:
        """Opens the text for an edit of an own message, which follows with `fill_edit`, so that what is typed until
        then is text; the text being written is restored afterwards. False if nothing can be written.
        """
        if self.refused():
            return False
        if not self._pane.is_edit:
            self.was_writing = self._pane.host.has_focus_within
        self._pane.writing.await_source(message_id)
        self._pane.target.show_edit(" Loading message…")
        self._order.enter_text()
        return True

    def fill_edit(self, message_id: int, content: str) -> None:
        """Shows the text of the message in its edit, unless the user has left that meanwhile."""
        if self.is_loading(message_id):
            self._take_edit(message_id, content)

    def is_loading(self, message_id: int) -> bool:
        """Whether the edit of a message is open and its text has not arrived yet."""
        edits = self._pane.writing.edits
        return self._pane.host.is_attached and edits.is_loading and edits.message_id == message_id

    def give_up_edit(self, message_id: int) -> None:
        """Closes the edit of a message whose text cannot be loaded; the focus goes where it was before."""
        if self.is_loading(message_id):
            self._pane.writing.leave_edit()

    def _take_edit(self, message_id: int, content: str) -> None:
        self._pane.writing.begin_edit(message_id, content)
        self._show_edit()

    def _show_edit(self) -> None:
        """Shows that a message is being edited, and how long that is still possible."""
        message_id, state = self._pane.writing.edits.message_id, self._pane.session.state
        if message_id is None or self._pane.writing.edits.is_loading:
            return
        message = state.messages.get(message_id)
        left = None
        if message is not None:
            left = permissions.edit_seconds_left(state, message, self._pane.session.clock.now())
        if left == 0:
            self._pane.writing.end_edit_in_time()
        self._pane.target.show_edit(
            " Editing message" + (f" · {_time_left(left)}" if left is not None else "")
        )
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._pane.host.set_timer(min(left or ASK_TIME_EVERY, ASK_TIME_EVERY), self._show_edit)

    def give_back(self, edit: Edit) -> None:
        """Restores the text of an edit that the server rejected; only saves it, and says where, if another
        text or an address is being written or the pane is closed. The focus stays, as the user may be
        reading.
        """
        host = self._pane.host
        self._pane.session.edits.update(edit)
        in_address = host.has_focus_within and not self._pane.text.has_focus
        if host.is_attached and not self._pane.writing.is_busy and not in_address:
            self.was_writing = host.has_focus_within
            self._take_edit(edit.message_id, edit.original)
        else:
            self._pane.tell(self._pane.writing.edits.keep(edit.message_id))

    def new_draft(self) -> None:
        """Starts an empty text to the current destination; the current text stays a draft."""
        where, _ = self._pane.writing.destination()
        self._pane.writing.set_aside()
        self._pane.target.show(self._pane.session.state, where)


def _time_left(seconds: float) -> str:
    """The time that is left for an edit, in a suitable unit."""
    if seconds <= 0:
        return "the time for edits is over"
    if seconds < 60:
        return "less than a minute left"
    minutes = int(seconds // 60)
    if minutes < 120:
        return f"{minutes} min left"
    return f"{minutes // 60} h left" if minutes < 48 * 60 else f"{minutes // 1440} days left"
