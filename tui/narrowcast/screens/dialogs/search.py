"""The search dialog: words and operators, completed while typing and checked before searching."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual.widget import Widget

from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.text.search_completion import SHOWN, SearchOffer
from narrowcast.widgets.one_line import OneLine

__all__ = ["search_question"]

NOTES = (
    "channel:NAME  topic:NAME  sender:NAME  dm:NAME",
    "has:link  has:image  has:attachment  has:reaction  in:home",
    "is:unread  is:starred  is:mentioned  is:resolved  -term excludes",
)

Offer = Callable[[str, int], Sequence[SearchOffer]]
Preview = Callable[[str], Awaitable[tuple[str, Sequence[str]]]]
"""What is found in the cache for a text: how many messages, in words, and lines about the first of them."""
PREVIEWED = 5
"""Number of messages that are shown while one types."""


def search_question(
    text: str,
    *,
    offer: Offer,
    preview: Preview,
    check: Callable[[str], str],
    problem: str = "",
    note: str = "",
) -> AskScreen:
    """The search dialog. ``offer``: completions for a text at the cursor; ``check``: the problem with a text, or
    empty; ``preview``: what the cache has, shown while one types.

    ``problem``: why an earlier text was refused; ``note``: a remark on this search.
    """
    return AskScreen(
        "Search messages",
        text,
        placeholder="words, and operators such as channel:general from:ada",
        notes=(*NOTES, *([note] if note else [])),
        does="searches",
        check=lambda typed: check(typed) if typed else "",
        problem=problem,
        completion=TermCompletion(offer, preview),
    )


class TermCompletion:
    """Offers completions of the term at the cursor while the user types, and shows what the cache has."""

    def __init__(self, offer: Offer, preview: Preview) -> None:
        self._offer = offer
        self._preview = preview
        self._wanted: str | None = None
        """The text whose preview is wanted next, while one is searched for."""
        self._is_searching = False
        self._count = OneLine(id="count")
        self._lines = [OneLine(classes="found") for _ in range(PREVIEWED)]
        self._list: ChoiceList[SearchOffer] = ChoiceList(id="offers")
        self._list.can_focus = False
        self.widgets: Sequence[Widget] = (self._list, self._count, *self._lines)

    def typed(self, ask: AskScreen) -> None:
        editor = ask.editor
        offers = self._offer(editor.text, editor.buffer.cursor)[:SHOWN] if editor.text else []
        self._list.set_items([Choice(offer, offer.label, offer.detail) for offer in offers])
        self._list.styles.height = len(offers)
        self._list.set_class(bool(offers), "-some")
        self._list.action_first()
        self._wanted = editor.text.strip()
        if not self._is_searching:
            self._is_searching = True
            app_of(ask).spawn(self._search(ask), "search the cache")

    async def _search(self, ask: AskScreen) -> None:
        """Searches for what was typed last, again while it changes meanwhile."""
        try:
            while (text := self._wanted) is not None and ask.is_attached:
                self._wanted = None
                self._show(*(await self._preview(text) if text else ("", ())))
        finally:
            self._is_searching = False

    def _show(self, count: str, found: Sequence[str]) -> None:
        self._count.show_pieces([(count, "accent")])
        for number, line in enumerate(self._lines):
            line.show_pieces([(found[number] if number < len(found) else "", "")])
            line.set_class(number < len(found), "-some")

    def move(self, direction: int) -> bool:
        if not self._list.items:
            return False
        self._list.action_cursor_up() if direction < 0 else self._list.action_cursor_down()
        return True

    def complete(self, ask: AskScreen) -> None:
        """Replaces the typed term with the selected completion."""
        item = self._list.selected_item
        if item is not None:
            ask.editor.replace(item.value.start, ask.editor.buffer.cursor, item.value.insert)
