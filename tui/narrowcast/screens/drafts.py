"""The kept drafts: open one, delete one, and settle what was written on two devices at once."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip

from narrowcast import names
from narrowcast.content.wrapping import Run, wrap
from narrowcast.safe_text import safe_block, safe_line
from narrowcast.widgets.line_view import compose_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.protocols.draft_sheets import Draft, DraftConflict

if TYPE_CHECKING:
    from narrowcast_api.session import Session


MARGIN = 2
"""Columns of a list that are not for text: the bar of the selection and the scrollbar."""


class DraftList(VirtualList[Draft]):
    """Three rows a draft: where to and when, its beginning, and a warning or nothing."""

    DEFAULT_CSS = """
    DraftList { background: $surface; height: 1fr; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "drafts--where": Look("primary"),
        "drafts--warn": Look("warning", letters=Style(bold=True)),
    }

    def __init__(self, session: Session) -> None:
        super().__init__(
            session.drafts.all(), item_rows=3, empty_text="No drafts. What you leave unsent is kept here."
        )
        self.session = session

    def render_item(self, item: Draft, width: int, selected: bool) -> Sequence[Strip]:
        """Where to, the text, what is wrong."""
        dim = self.part_style("virtual-list--dim")
        where = "to nobody yet"
        if item.destination is not None:
            where = names.destination(self.session.state, item.destination)
        when = time.strftime("%d %b %H:%M ", time.localtime(item.edited))
        note, look = ("", dim)
        if item.conflict_with is not None:
            note, look = (
                "two versions: also written on another device (c shows both)",
                self.part_style("drafts--warn"),
            )
        elif item.error:
            note, look = f"kept here only: {item.error}", self.part_style("drafts--warn")
        base = Style.null()
        first = [(safe_line(where, width), self.part_style("drafts--where"))]
        return [
            compose_line(width, first, [(when, dim)], base=base),
            compose_line(width, [("  " + safe_line(item.content, width), base)], base=base),
            compose_line(width, [("  " + safe_line(note, width), look)], base=base),
        ]

    def key_of(self, item: Draft) -> Hashable:
        """The draft, whatever is written in it."""
        return item.draft_id


class DraftsScreen(ModalScreen[str | None]):
    """Gives back the id of the draft to open."""

    DEFAULT_CSS = """
    DraftsScreen { align: center middle; background: $background 40%; }
    DraftsScreen > Vertical {
        width: 90; max-width: 96%; height: 80%; background: $surface; border: round $primary; padding: 0 1;
    }
    DraftsScreen OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,d", "leave", "Leave", show=False),
        Binding("x,delete", "drop", "Delete", show=False),
        Binding("u", "put_back", "Undo", show=False),
        Binding("c", "conflict", "Both versions", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.list = DraftList(session)
        self._deleted: list[Draft] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            title = OneLine()
            title.show_pieces(
                [("Drafts", "strong")], [("Enter opens · x deletes · u undoes · Esc closes", "dim")]
            )
            yield title
            yield self.list

    def refresh_drafts(self) -> None:
        """Read them again."""
        self.list.set_items(self.session.drafts.all())

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """Open it; one with two versions shows both first."""
        event.stop()
        draft = self.list.selected_item
        if draft is None:
            return
        if draft.conflict_with is not None:
            self.action_conflict()
        else:
            self.dismiss(draft.draft_id)

    def action_drop(self) -> None:
        """Delete the selected draft."""
        if (draft := self.list.selected_item) is not None:
            self._deleted.append(draft)
            self.session.drafts.delete(draft.draft_id)
            self.refresh_drafts()

    def action_put_back(self) -> None:
        """Keep again what was deleted last."""
        if self._deleted:
            draft = self._deleted.pop()
            self.session.drafts.save(None, draft.destination, draft.content)
            self.refresh_drafts()

    def action_conflict(self) -> None:
        """Show both versions of the selected draft."""
        draft = self.list.selected_item
        for conflict in self.session.drafts.conflicts():
            if draft is not None and draft.draft_id in {conflict.mine.draft_id, conflict.theirs.draft_id}:
                self.app.push_screen(ConflictScreen(self.session, conflict), self._settled)
                return
        self.app.notify("This draft has one version only.", markup=False)

    def _settled(self, draft_id: str | None) -> None:
        self.refresh_drafts()
        if draft_id is not None:
            self.dismiss(draft_id)

    def action_leave(self) -> None:
        """Open none."""
        self.dismiss(None)


class TextLines(VirtualList[str]):
    """A text for reading, its long lines folded to the width there is."""

    DEFAULT_CSS = "TextLines { background: $panel; height: 1fr; width: 1fr; }"

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def on_resize(self, event: events.Resize) -> None:
        """Fold the lines anew."""
        rows: list[str] = []
        for line in safe_block(self.text).splitlines():
            folded = wrap([Run(line, Style.null())], max(1, event.size.width - MARGIN))
            rows.extend("".join(run.text for run in row.runs) for row in folded)
        self.set_items(rows)

    def render_item(self, item: str, width: int, selected: bool) -> Sequence[Strip]:
        """One line."""
        return [compose_line(width, [(item, Style.null())], base=Style.null())]

    def key_of(self, item: str) -> Hashable:
        """Lines may repeat: none is the same as another."""
        return id(item)


class ConflictScreen(ModalScreen[str | None]):
    """Two versions of one draft, one above the other. Gives back the id of the one to open."""

    DEFAULT_CSS = """
    ConflictScreen { align: center middle; background: $background 40%; }
    ConflictScreen > Vertical {
        width: 90; max-width: 96%; height: 90%; background: $surface; border: round $warning; padding: 0 1;
    }
    ConflictScreen OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "keep(1)", "Keep mine", show=False),
        Binding("2", "keep(2)", "Keep theirs", show=False),
        Binding("b", "keep(0)", "Keep both", show=False),
        Binding("escape,q", "leave", "Leave", show=False),
    ]

    def __init__(self, session: Session, conflict: DraftConflict) -> None:
        super().__init__()
        self.session = session
        self.conflict = conflict

    def compose(self) -> ComposeResult:
        with Vertical():
            title = OneLine()
            title.show_pieces(
                [("One draft, two versions", "strong")],
                [("1 keeps the first · 2 the second · b both · Esc decides later", "dim")],
            )
            yield title
            for head, draft in (
                ("1  Written here", self.conflict.mine),
                ("2  Written on another device", self.conflict.theirs),
            ):
                line = OneLine()
                line.show_pieces([(head, "accent")])
                yield line
                yield TextLines(draft.content)

    def action_keep(self, which: int) -> None:
        """Keep the first, the second, or both as two drafts."""
        mine, theirs = self.conflict.mine.draft_id, self.conflict.theirs.draft_id
        if which == 0:
            self.session.drafts.settle(mine)
            self.dismiss(None)
            return
        kept, dropped = (mine, theirs) if which == 1 else (theirs, mine)
        self.session.drafts.delete(dropped)
        self.dismiss(kept)

    def action_leave(self) -> None:
        """Decide later."""
        self.dismiss(None)
