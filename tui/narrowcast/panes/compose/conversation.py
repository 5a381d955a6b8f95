"""What stands in compose: for which conversation, which draft of it, and the message that is being edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.app.context import focus_now
from narrowcast.panes.compose.draft import DraftInHand
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.offers import ComposeOffers
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.widgets.editor import Editor
from narrowcast_api.narrow.destinations import Destination

if TYPE_CHECKING:
    from narrowcast_api.protocols.draft_store import Draft
    from narrowcast_api.sync.session import Session

ROOMY = 110
"""From this width on there is room for every hint beside a whole topic."""

COUNT_FROM = 0.8
"""Share of the length limit from which the count is shown."""
READ_ONLY = "Another window has this account open: write there, or close it and open this one again."
"""Words that could not be kept are not taken at all."""


def _same(one: Destination | None, other: Destination | None) -> bool:
    return one is not None and other is not None and one.key == other.key


class ComposeConversation(ComposeOffers):
    """The part of the compose pane that other panes speak to. ``enter_sends``: what Enter does."""

    def __init__(self, session: Session, *, enter_sends: bool = True) -> None:
        super().__init__(id="compose")
        self.session = session
        self.enter_sends = enter_sends
        self.target = TargetLine()
        self.text = Editor(multiline=True, placeholder="Write a message (c)", id="text")
        self.uploads = UploadRows(session, lambda: self.target.read(self.state)[0])
        self.draft = DraftInHand(session.drafts)
        self.editing: int | None = None
        self._before_edit: tuple[Destination | None, str, str | None] | None = None

    def _only_reads(self) -> bool:
        """Whether nothing can be written here, since it could not be kept; says so."""
        if self.session.read_only:
            self.app.notify(READ_ONLY, severity="warning", markup=False)
        return self.session.read_only

    @property
    def is_busy(self) -> bool:
        """Whether there is text that a change of view must not touch."""
        return bool(self.text.text.strip()) or self.editing is not None

    # where to, and what

    def follow(self, where: Destination | None) -> None:
        """The view changed: keep what is written as a draft, and take up the draft of ``where``."""
        if self.editing is not None:
            self.leave_edit()
        if where is None and not self.is_busy:
            return
        current, _ = self.target.read(self.state)
        if where is not None and current is not None and current.key == where.key and self.is_busy:
            return
        if where is not None:
            self.keep_draft()
            self._begin(where)

    def _begin(self, where: Destination | None) -> None:
        """An empty text for ``where``, or the draft that is kept for it."""
        self._stop_typing()
        self.target.show(self.state, where)
        draft = next(
            (
                draft
                for draft in self.session.drafts.all()
                if where is not None and draft.destination is not None and draft.destination.key == where.key
            ),
            None,
        )
        self._show_draft(draft)
        self.uploads.refresh_rows()

    def write_channel(self, where: Destination | None) -> None:
        """Address a new message to a channel; the fields that are known already are filled in."""
        if self._only_reads():
            return
        self._make_room()
        if where is not None:
            self._begin(where)
        self.target.show_kind(False)
        field = self.target.channel if not self.target.channel.text else self.target.topic
        focus_now(self.text if where is not None and self.target.topic.text else field)

    def write_direct(self, where: Destination | None = None) -> None:
        """Address a new message to people."""
        if self._only_reads():
            return
        self._make_room()
        self.target.show_kind(True)
        if where is not None:
            self._begin(where)
            focus_now(self.text)
        else:
            self.target.to.text = ""
            focus_now(self.target.to)

    def take_link(
        self, link: str, destination: Destination | None, draft_id: str | None
    ) -> Destination | None:
        """Put the link to a file into the text that it was chosen for; where that is, if it is not this one."""
        here, _ = self.target.read(self.state)
        drafts = self.session.drafts
        draft = drafts.get(draft_id) if draft_id is not None else None
        if draft is None and destination is not None:
            draft = next((d for d in drafts.all() if _same(d.destination, destination)), None)
        mine = draft is not None and draft.draft_id == self.draft.id
        if mine or _same(here, destination) or (draft is None and destination is None):
            self.text.insert(link + " ")
            self.keep_draft()
            return None
        before = draft.content if draft is not None else ""
        gap = " " if before and not before[-1].isspace() else ""
        where = draft.destination if draft is not None else destination
        drafts.save(draft.draft_id if draft is not None else None, where, f"{before}{gap}{link} ")
        return where

    def _make_room(self) -> None:
        if self.editing is not None:
            self.leave_edit()
        self.keep_draft()
        self.draft.put_down()
        self.text.text = ""

    def reply(self, where: Destination, quote: str | None) -> None:
        """Answer in ``where``, below ``quote`` (Markdown) if given."""
        if self._only_reads():
            return
        current, _ = self.target.read(self.state)
        if self.editing is not None or current is None or current.key != where.key:
            self.follow(where)
            self._begin(where) if not self.is_busy else self.target.show(self.state, where)
        if quote:
            head = "" if not self.text.text or self.text.text.endswith("\n") else "\n"
            self.text.insert(f"{head}{quote.rstrip()}\n")
        focus_now(self.text)

    def take_up(self, draft_id: str) -> Draft | None:
        """Show a kept draft, without moving the keys to it; None if it is gone."""
        draft = self.session.drafts.get(draft_id)
        if draft is None:
            return None
        self._make_room()
        self.target.show(self.state, draft.destination)
        self._show_draft(draft)
        return draft

    def _show_draft(self, draft: Draft | None) -> None:
        self.text.text = self.draft.take(draft, self.target.read(self.state)[0])
        self._fit()
        self._show_hint()

    def follow_draft(self) -> None:
        """Drafts changed: show what another device made of this one, and say so."""
        if self.draft.is_gone():
            self.app.notify(
                "This draft is gone: sent on another device, or deleted. Write on to keep what is still here.",
                markup=False,
            )
        elif (draft := self.draft.changed_elsewhere()) is not None:
            self.target.show(self.state, draft.destination)
            self._show_draft(draft)
            self.app.notify("This draft was changed on another device.", markup=False)
        if self.draft.has_new_conflict():
            self.app.notify(
                "This draft was written on another device as well. Both texts are kept: d, then c shows them.",
                severity="warning",
                markup=False,
            )

    def open_draft(self, draft_id: str) -> bool:
        """Go on writing a kept draft; False if it is gone."""
        if self._only_reads():
            return False
        draft = self.take_up(draft_id)
        if draft is None:
            return False
        focus_now(self.text if draft.destination is not None else self.target.channel)
        return True

    def edit(self, message_id: int, content: str) -> None:
        """Edit a message of one's own; what was being written comes back afterwards."""
        if self._only_reads():
            return
        if self.editing is None:
            self.keep_draft()
            where, _ = self.target.read(self.state)
            self._before_edit = (where, self.text.text, self.draft.id)
        self.editing = message_id
        self.draft.put_down()
        self.target.show_edit(" Editing your message · Enter saves · Esc leaves it as it was")
        self.text.text = content
        self._fit()
        self._show_hint()
        focus_now(self.text)

    def leave_edit(self) -> None:
        """Back to what was being written before."""
        self.editing = None
        where, text, draft_id = self._before_edit or (None, "", None)
        self._before_edit = None
        draft = self.session.drafts.get(draft_id) if draft_id is not None else None
        self.target.show(self.state, where)
        self._show_draft(draft)
        if draft is None:
            self.text.text = text
            self._fit()

    def _stop_typing(self) -> None:
        self.session.typing.stop()

    def keep_draft(self) -> None:
        """Hand the text to the journal, or drop the draft if there is nothing left of it.

        Cheap enough for every key: the journal writes in a thread of its own, within a fraction of a second.
        """
        if self.editing is not None:
            return
        where, _ = self.target.read(self.state)
        self.draft.keep(where, self.text.text)

    def _fit(self) -> None:
        """Grow with the text; a taller pane costs a whole repaint, so only where rows are missing."""
        room = max(3, min(12, self.screen.size.height // 3))
        wanted = min(room, max(3, self.text.row_count))
        if self.text.styles.height is None or self.text.styles.height.value != wanted:
            self.text.styles.height = wanted

    def _show_hint(self) -> None:
        if not self.size.width:
            return  # nothing is laid out yet: a class set now is taken back, and costs two rounds of styles
        used, limit = len(self.text.text), self.state.limits.max_message_length
        if used > limit:
            self.target.hint.show_pieces([], [(f"{used - limit} characters too many ", "bad")])
            return
        if used > limit * COUNT_FROM:
            self.target.hint.show_pieces([], [(f"{limit - used} characters left ", "warn")])
            return
        enter, other = ("sends", "new line") if self.enter_sends else ("new line", "sends")
        hint = f"Enter {enter} · Ctrl-j {other} · Esc leaves "
        roomy = self.size.width >= ROOMY
        if not roomy:
            hint = f"Enter {enter} "
        self.target.set_class(not roomy, "-narrow")
        self.target.hint.show_pieces([], [(hint, "dim")])
