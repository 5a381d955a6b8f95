"""The search dialog: words and operators, completed while typing and checked before searching, with what the cache
already has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.dialog import LEAST_WITH_PREVIEW, BesidePreview, PreviewPane
from narrowcast.screens.dialogs.manage_list import ListRow, ManageList
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.text.safe_text import safe_line
from narrowcast.text.search_completion import SHOWN, SearchOffer
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["CachedFinds", "MessageSearch", "SearchScreen"]

OPERATORS = (
    "channel:NAME  topic:NAME  sender:NAME  dm:NAME",
    "has:link  has:image  has:attachment  has:reaction  in:home",
    "is:unread  is:starred  is:mentioned  is:resolved  -term excludes",
)
NOTHING = Empty("No cached messages match")
FEW_ROWS = 5
"""Rows of the messages that are found, where no preview is beside them."""


class CachedFinds(Struct, frozen=True):
    """What the cache has for a text: how many messages, in words, and the newest of them."""

    count: str = ""
    rows: Sequence[ListRow[Any]] = ()


class MessageSearch(Protocol):
    """What the dialog needs to know of messages."""

    def offers(self, text: str, cursor: int) -> Sequence[SearchOffer]:
        """The completions of a text at the cursor."""

    async def cached(self, text: str) -> CachedFinds:
        """What the cache has for a text."""

    def problem(self, text: str) -> str:
        """Why a text cannot be searched for; empty if it can."""

    def go(self, found: object) -> None:
        """Goes to a message that the cache has found."""


class SearchScreen(AskScreen):
    """Asks for words and operators; shows what the cache has while one types, where there is room with a preview.
    Dismissed with the text, or with None if the user goes to one of these messages.

    ``problem``: why an earlier text was refused; ``note``: a remark on this search.
    """

    DEFAULT_CSS = style_sheet(__name__)

    def __init__(
        self, text: str, search: MessageSearch, preview: PreviewPane, *, problem: str = "", note: str = ""
    ) -> None:
        self._terms = TermCompletion(search, preview)
        super().__init__(
            "Search messages",
            text,
            placeholder="words, and operators such as channel:general from:ada",
            notes=(note,) if note else (),
            does="searches",
            check=lambda typed: search.problem(typed) if typed else "",
            problem=problem,
            completion=self._terms,
        )
        self._search = search
        self._below = int(bool(note))
        self.preview = preview
        self._goes = False
        """Whether Enter goes to the selected message, which the user has moved to."""

    def fit(self) -> None:
        """Keeps the rows of what is found whatever is typed, so that nothing moves."""
        super().fit()
        self._terms.found.show_in(2 if self.shows_preview else 1)
        rows = self._found_rows
        self._terms.found.styles.height = rows
        if self.preview is not None:
            self.preview.styles.height = rows

    @property
    def _found_rows(self) -> int:
        wanted = LEAST_WITH_PREVIEW if self.shows_preview else FEW_ROWS
        return max(1, min(wanted, self.rows_left(3 + SHOWN + self._below)))

    def rows_beside(self) -> int:
        return 3 + self._below + (self._found_rows if self._terms.has_found else len(OPERATORS))

    def previewed(self) -> object:
        item = self._terms.found.selected_item
        return item.value if item is not None else None

    def completion_changed(self) -> None:
        """The cache was searched: what it has is shown in place of the operators once it had something."""
        self.set_class(self._terms.has_found, "-searched")
        self.fit()
        self._enter_goes(False)
        self.show_preview()

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """`AskScreen` handles it afterwards, as Textual calls the handler of each class."""
        self._enter_goes(False)

    def _enter_goes(self, goes: bool) -> None:
        """Whether Enter goes to the selected message, or searches."""
        self._terms.found.lead(goes)
        if goes is not self._goes:
            self._goes = goes
            self.does = "goes to the message" if goes else "searches"
            self.show_keys()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        if event.control is self._terms.found:
            self.show_preview()

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """A click on a message goes to it; `AskScreen` handles one on a completion."""
        if event.control is self._terms.found:
            event.stop()
            event.prevent_default()
            self._go()

    def action_offer(self, direction: int) -> None:
        """Selects another completion, or a message; the first Down chooses the one that is shown already."""
        begins = direction > 0 and self._terms.is_among_found and not self._goes
        if not begins:
            super().action_offer(direction)
        self._enter_goes(self._terms.is_among_found)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Goes to the message that was chosen; `AskScreen` searches if none was."""
        if self._goes:
            event.stop()
            event.prevent_default()
            self._go()

    def _go(self) -> None:
        found = self.previewed()
        if found is not None:
            self.dismiss(None)
            self._search.go(found)


class FoundList(ManageList[Any]):
    """Messages that the cache has found, in two lines each, or in one."""

    def show_in(self, lines: int) -> None:
        """Sets the number of lines of a message."""
        if lines != self.item_rows:
            self.item_rows = lines
            self.invalidate()

    def render_item(self, item: ListRow[Any], width: int, selected: bool) -> Sequence[Strip]:
        if self.item_rows > 1:
            return super().render_item(item, width, selected)
        text = safe_line(f"{item.text}: {item.note}", width)
        return [compose_line(width, [(text, Style.null())], base=Style.null())]


class TermCompletion:
    """Offers completions of the term at the cursor while the user types, and shows what the cache has."""

    def __init__(self, search: MessageSearch, preview: PreviewPane) -> None:
        self._search = search
        self._wanted: str | None = None
        """The text that is searched for next, while one is searched for."""
        self._is_searching = False
        self.has_found = False
        """Whether the cache had something for any text so far."""
        self._count = OneLine(id="count")
        self._list: ChoiceList[SearchOffer] = ChoiceList(id="offers")
        self._list.can_focus = False
        self.found = FoundList()
        self.found.can_focus = False
        operators = [OneLine(classes="operators") for _ in OPERATORS]
        for line, words in zip(operators, OPERATORS, strict=True):
            line.show_pieces([(words, "dim")])
        self.widgets: Sequence[Widget] = (
            self._list,
            self._count,
            *operators,
            BesidePreview(self.found, preview),
        )

    def typed(self, ask: AskScreen) -> None:
        editor = ask.editor
        offers = self._search.offers(editor.text, editor.buffer.cursor)[:SHOWN] if editor.text else []
        self._list.set_items([Choice(offer, offer.label, offer.detail) for offer in offers])
        self._list.styles.height = len(offers)
        self._list.set_class(bool(offers), "-some")
        self._list.action_first()
        self._wanted = editor.text.strip()
        if not self._is_searching:
            self._is_searching = True
            app_of(ask).spawn(self._find(ask), "search the cache")

    async def _find(self, ask: AskScreen) -> None:
        """Searches for what was typed last, again while it changes meanwhile."""
        try:
            while (text := self._wanted) is not None and ask.is_attached:
                self._wanted = None
                self._show(ask, await self._search.cached(text) if text else CachedFinds())
        finally:
            self._is_searching = False

    def _show(self, ask: AskScreen, finds: CachedFinds) -> None:
        self._count.show_pieces([(finds.count, "accent")])
        self.found.empty = NOTHING if finds.count else Empty()
        self.found.set_items(finds.rows)
        self.found.action_first()
        self.has_found = self.has_found or bool(finds.rows)
        ask.completion_changed()

    @property
    def is_among_found(self) -> bool:
        """Whether the arrows move among the messages, because nothing is offered."""
        return not self._list.items and bool(self.found.items)

    def move(self, direction: int) -> bool:
        listing = self.found if self.is_among_found else self._list
        if not listing.items:
            return False
        listing.action_cursor_up() if direction < 0 else listing.action_cursor_down()
        return True

    def complete(self, ask: AskScreen) -> None:
        """Replaces the typed term with the selected completion."""
        item = self._list.selected_item
        if item is not None:
            ask.editor.replace(item.value.start, ask.editor.buffer.cursor, item.value.insert)
