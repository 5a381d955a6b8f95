"""The drafts: open one, delete one, resolve conflicts between two devices or windows, restore one that is missing."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.strip import Strip

from narrowcast.content.wrapping import Run, wrap
from narrowcast.keys.hints import KeyHint
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.dialog import LARGE, Dialog
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.narrow.destinations import Destination, same_conversation
from narrowcast_api.state.changes import DraftsChanged
from narrowcast_api.storage.records import Draft

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


MARGIN = 2
"""Columns of the list that are not text: the selection bar and the scrollbar."""


class DraftsScreen(ManageScreen[Draft]):
    """Three lines per draft: destination and time, its beginning, and a warning if any. ``only``: those for this
    conversation.

    Dismissed with the id of the draft to open.
    """

    TITLE_TEXT = "Drafts"
    VIEW = "go.drafts"
    KEYS = (
        ("list.select", "opens"),
        ("manage.delete", "deletes"),
        ("drafts.restore", "undoes deletion"),
        ("drafts.versions", "both versions"),
    )
    EMPTY = Empty("No drafts", "Unsent messages are saved here automatically.")
    LINES = 3
    FOLLOWS = (DraftsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.DRAFTS)]

    def __init__(self, session: Session, *, only: Destination | None = None) -> None:
        super().__init__(session)
        self._only = only
        self._deleted: list[Draft] = []

    def title_text(self) -> str:
        return (
            self.TITLE_TEXT
            if self._only is None
            else f"Drafts for {names.destination(self.state, self._only)}"
        )

    def rows(self) -> Sequence[ListRow[Draft]]:
        drafts = self.session.drafts.all()
        if self._only is not None:
            drafts = [draft for draft in drafts if same_conversation(draft.destination, self._only)]
        return [self._row(draft) for draft in drafts]

    def key_hints(self) -> Sequence[KeyHint]:
        missing = self.session.drafts.missing()
        return (*self.KEYS, ("drafts.removed", f"{len(missing)} removed elsewhere")) if missing else self.KEYS

    def _row(self, draft: Draft) -> ListRow[Draft]:
        problem = ""
        if draft.conflict_with is not None:
            problem = "two versions: also edited on another device or in another window (see both versions)"
        elif draft.error:
            problem = f"saved on this device only: {draft.error}"
        where, when = _recipients(self.session, draft), _moment(self.session, draft.edited)
        return ListRow(draft.draft_id, draft, where, when, draft.content, warn=bool(problem), last=problem)

    def open(self, item: Draft) -> None:
        if item.conflict_with is not None:
            self.action_conflict()
        else:
            self.dismiss(item.draft_id)

    def action_delete(self) -> None:
        """Deletes the selected draft; it can be restored with a key."""
        if (draft := self.selected) is not None:
            self._deleted.append(draft)
            self.session.drafts.delete(draft.draft_id)
            self.refresh_rows()

    def action_put_back(self) -> None:
        if self._deleted:
            draft = self._deleted.pop()
            self.session.drafts.save(None, draft.destination, draft.content)
            self.refresh_rows()

    def action_conflict(self) -> None:
        """Shows both versions of the selected draft."""
        draft = self.selected
        for conflict in self.session.drafts.conflicts():
            if draft is not None and draft.draft_id in {version.draft_id for version in conflict}:
                self.app.push_screen(ConflictScreen(self.session, conflict), self._settled)
                return
        self.say("This draft has only one version.")

    def action_removed(self) -> None:
        """Shows the texts that another device has removed or replaced, or the server has lost."""

        def restored(draft_id: object) -> None:
            self.refresh_rows(select=draft_id if isinstance(draft_id, str) else None)
            self.show_keys()

        self.app.push_screen(RemovedDraftsScreen(self.session), restored)

    def _settled(self, draft_id: str | None) -> None:
        self.refresh_rows()
        if draft_id is not None:
            self.dismiss(draft_id)


class RemovedDraftsScreen(ManageScreen[Draft]):
    """Texts that were drafts, until the server was found not to have them any more. Dismissed with the id of the draft
    that was restored.
    """

    TITLE_TEXT = "Drafts removed elsewhere"
    KEYS = (("list.select", "restores"), ("manage.delete", "deletes"))
    EMPTY = Empty(
        "No removed drafts",
        "What another device sends, deletes or replaces while this one is away is kept here for 30 days.",
    )
    LINES = 2
    FOLLOWS = (DraftsChanged,)

    def rows(self) -> Sequence[ListRow[Draft]]:
        return [
            ListRow(
                draft.draft_id,
                draft,
                _recipients(self.session, draft),
                _moment(self.session, draft.missing_since or draft.edited),
                draft.content,
            )
            for draft in self.session.drafts.missing()
        ]

    def open(self, item: Draft) -> None:
        self.dismiss(self.session.drafts.save(item.draft_id, item.destination, item.content))

    def question(self, item: Draft) -> Question:
        return Question("Delete this text?", "Delete", "It cannot be restored then.")

    async def delete(self, item: Draft) -> None:
        self.session.drafts.delete(item.draft_id)


def _recipients(session: Session, draft: Draft) -> str:
    if draft.destination is None:
        return "no recipients yet"
    return names.destination(session.state, draft.destination)


def _moment(session: Session, when: float) -> str:
    return moment(when, time.time(), long=has_long_clock(session.state))


def _folded(text: str, width: int) -> list[str]:
    """The rows of a text."""
    lines = safe_block(text).splitlines()
    folded = (row for line in lines for row in wrap([Run(line, Style.null())], max(1, width)))
    return ["".join(run.text for run in row.runs) for row in folded]


class TextLines(VirtualList[str]):
    """A text to read, wrapped to the available width; shown from where it begins to differ from ``other``."""

    def __init__(self, text: str, other: str) -> None:
        super().__init__()
        self.text = text
        self._other = other

    def looks_changed(self, resized: bool) -> None:
        super().looks_changed(resized)
        if not resized:
            return
        rows, other = (_folded(text, self.room.width - MARGIN) for text in (self.text, self._other))
        self.set_items(rows)
        pairs = enumerate(zip_longest(rows, other))
        first = next((number for number, (row, its) in pairs if row != its), 0)
        if first >= self.room.height:
            self.scroll_rows(-len(rows))
            self.scroll_rows(first)

    def rows_at(self, width: int) -> int:
        return len(_folded(self.text, width - MARGIN))

    def render_item(self, item: str, width: int, selected: bool) -> Sequence[Strip]:
        return [compose_line(width, [(item, Style.null())], base=Style.null())]

    def key_of(self, item: str) -> Hashable:
        return id(item)


class ConflictScreen(Dialog[str | None]):
    """Two versions of one draft, one above the other. Dismissed with the id of the one to open."""

    WIDTH = LARGE
    TITLE_TEXT = "Two versions of this draft"
    KEYS = (
        ("conflict.first", "keeps the first"),
        ("conflict.second", "the second"),
        ("conflict.both", "both"),
        ("dialog.close", "decides later"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.DRAFT_CONFLICT)]

    def __init__(self, session: Session, conflict: tuple[Draft, Draft]) -> None:
        super().__init__()
        self.session = session
        self.conflict = conflict
        self.add_class("-grave")

    def body(self) -> ComposeResult:
        heads = ("1  First version", "2  Second version")
        for head, draft, other in zip(heads, self.conflict, reversed(self.conflict), strict=True):
            line = OneLine()
            line.show_pieces([(head, "accent")], [(f"{_moment(self.session, draft.edited)} ", "dim")])
            yield line
            yield TextLines(draft.content, other.content)

    def rows_beside(self) -> int:
        return 2

    def action_keep(self, which: int) -> None:
        """Keeps the first, the second, or both as two drafts."""
        mine, theirs = (draft.draft_id for draft in self.conflict)
        if which == 0:
            self.session.drafts.keep_both(mine)
            self.dismiss(None)
            return
        kept, dropped = (mine, theirs) if which == 1 else (theirs, mine)
        self.session.drafts.delete(dropped)
        self.dismiss(kept)
