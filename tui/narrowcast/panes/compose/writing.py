"""What is being written: the text in compose, for the open view or for whom its writer chose in it, as a draft.

A change of view goes through here and nowhere else: what was written is kept as the draft of its conversation,
then address and text become those of the view that is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.panes.compose.draft import DraftInHand
from narrowcast.panes.compose.edits import CHANGED_MEANWHILE, Edits, to_draft
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.text import names
from narrowcast.widgets.editor import Editor
from narrowcast_api.narrow.destinations import ChannelDestination, Destination

if TYPE_CHECKING:
    from narrowcast_api.storage.records import Draft, Edit
    from narrowcast_api.sync.session import Session

Tell = Callable[..., None]
"""Says something to the user: a text, and its ``severity``."""


EDIT_KEPT = "Edit not saved. It is restored when you edit this message again."


def _same(one: Destination | None, other: Destination | None) -> bool:
    return one is not None and other is not None and one.key == other.key


class Writing:
    """``text`` is the editor and ``target`` the fields above it; ``shown`` is called when the text was replaced."""

    def __init__(
        self,
        session: Session,
        target: TargetLine,
        text: Editor,
        *,
        tell: Tell,
        shown: Callable[[], None],
    ) -> None:
        self._session = session
        self._target = target
        self._text = text
        self._tell = tell
        self._shown = shown
        self.draft = DraftInHand(session.drafts)
        self.edits = Edits(session)
        self._touched = False
        """Whether somebody wrote in this text since it was taken up."""
        self._before_edit: tuple[Destination | None, str | None] | None = None
        """Where one wrote to before the edit, and the draft of it."""

    @property
    def is_busy(self) -> bool:
        """Whether there is something that must not be lost."""
        return bool(self._text.text.strip()) or self.edits.message_id is not None

    def destination(self) -> tuple[Destination | None, str]:
        """Where the text goes, or None and what is wrong with the address."""
        return self._target.read(self._session.state)

    def _put(self, text: str) -> None:
        self._text.text = text
        self._touched = False
        self._shown()

    # keeping

    def typed(self) -> None:
        """Somebody changed text or address: keep it."""
        self._touched = True
        self.keep()

    def keep(self) -> None:
        """Hand the text to the journal, or drop the draft if there is nothing left of it.

        Cheap enough for every key: the journal writes in a thread of its own, within a fraction of a second.
        """
        if self.edits.message_id is None:
            self.draft.keep(self.destination()[0], self._text.text)
        else:
            self.edits.note(self._text.text)

    def put_away(self) -> None:
        """Its pane goes: keep what is written, and say where changes of a message are."""
        self.keep()
        if self.edits.note(self._text.text):
            self._tell(EDIT_KEPT)

    def set_aside(self) -> None:
        """Another text comes: this one stays, as a draft or as the edit of its message."""
        self._session.typing.stop()
        if self.edits.message_id is not None:
            if self.edits.leave(self._text.text):
                self._tell(EDIT_KEPT)
        else:
            self.keep()
            if self._touched and self._text.text.strip():
                where = self.destination()[0]
                whom = f" for {names.destination(self._session.state, where)}" if where is not None else ""
                self._tell(f"Saved as a draft{whom}.")
        self.draft.put_down()
        self._before_edit = None
        self._put("")

    # taking up

    def show_view(self) -> None:
        """What the open view says: its address, and the draft that is kept for it."""
        self._target.show_view(self._session.state)
        self._take_draft_of_target()

    def address(self, where: Destination | None) -> None:
        """Write to somebody else than the view says; their draft is taken up if there is one."""
        self._target.show(self._session.state, where)
        self._take_draft_of_target()

    def address_kind(self, direct: bool) -> None:
        """Write to people, or to a channel; to whom is still to be typed."""
        self._target.show(self._session.state, None)
        self._target.show_kind(direct)
        self._take(None)

    def _take_draft_of_target(self) -> None:
        where = self.destination()[0]
        drafts = self._session.drafts.all()
        self._take(next((draft for draft in drafts if _same(draft.destination, where)), None))

    def _take(self, draft: Draft | None) -> None:
        self._put(self.draft.take(draft, self.destination()[0]))

    def take_up(self, draft: Draft) -> None:
        """Show a kept draft and where it goes."""
        self._target.show(self._session.state, draft.destination)
        self._take(draft)

    def follow_draft(self) -> None:
        """Drafts changed: show what another device made of this one, and say so."""
        if self.draft.is_gone():
            self._tell(
                "This draft was sent on another device, or deleted. Continue writing to keep this text."
            )
        elif (draft := self.draft.changed_elsewhere()) is not None:
            self.take_up(draft)
            self._tell("This draft was changed on another device.")
        if self.draft.has_new_conflict():
            self._tell(
                "This draft was also edited on another device. Both versions are saved in Drafts.",
                severity="warning",
            )

    def take_link(
        self, link: str, destination: Destination | None, draft_id: str | None
    ) -> Destination | None:
        """Put the link to a file into the text that it was chosen for; where that is, if it is not this one."""
        here = self.destination()[0]
        drafts = self._session.drafts
        draft = drafts.get(draft_id) if draft_id is not None else None
        if draft is None and destination is not None:
            draft = next((d for d in drafts.all() if _same(d.destination, destination)), None)
        mine = draft is not None and draft.draft_id == self.draft.id
        if mine or _same(here, destination) or (draft is None and destination is None):
            self._text.insert(link + " ")
            self.keep()
            return None
        before = draft.content if draft is not None else ""
        gap = " " if before and not before[-1].isspace() else ""
        where = draft.destination if draft is not None else destination
        drafts.save(draft.draft_id if draft is not None else None, where, f"{before}{gap}{link} ")
        return where

    # editing and sending

    def begin_edit(self, message_id: int, content: str) -> Edit:
        """Edit a message of one's own; what was being written comes back afterwards."""
        before = self._before_edit or (self.destination()[0], None)
        if self.edits.message_id is None:
            self.keep()
            before = (self.destination()[0], self.draft.id)
            self._touched = False  # it comes back: nothing to tell
        self.set_aside()
        self._before_edit = before
        if (outdated := self.edits.outdated(message_id, content)) is not None:
            to_draft(outdated, self._session)
            self._tell(CHANGED_MEANWHILE)
        edit = self.edits.begin(message_id, content)
        self._put(edit.content)
        return edit

    def leave_edit(self) -> None:
        """Back to what one wrote before; changes are kept."""
        before = self._before_edit
        self.set_aside()
        self._return(before)

    def saved(self) -> Edit | None:
        """The edit is complete: back to what one wrote before. None if nothing was being edited."""
        edit = self.edits.take(self._text.text.strip())
        if edit is not None:
            self._session.typing.stop()
            self._return(self._before_edit)
        return edit

    def _return(self, before: tuple[Destination | None, str | None] | None) -> None:
        self._before_edit = None
        where, draft_id = before or (None, None)
        draft = self._session.drafts.get(draft_id) if draft_id is not None else None
        if draft is not None:
            self.take_up(draft)
        else:
            self.address(where)

    def sent(self) -> None:
        """The text was handed to the outbox."""
        self.draft.drop()
        self._put("")

    @property
    def goes_to_channel(self) -> bool:
        """Whether the fields are those of a channel and one is named."""
        return isinstance(self.destination()[0], ChannelDestination)
