"""The search dialog: words and operators, completed while typing and checked before searching."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.widget import Widget

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.text.search_completion import SHOWN, SearchOffer

__all__ = ["search_question"]

NOTES = (
    "channel:NAME  topic:NAME  sender:NAME  dm:NAME",
    "has:link  has:image  has:attachment  has:reaction",
    "is:unread  is:starred  is:mentioned  is:resolved   -term excludes",
)

Offer = Callable[[str, int], Sequence[SearchOffer]]


def search_question(
    text: str, *, offer: Offer, check: Callable[[str], str], problem: str = "", note: str = ""
) -> AskScreen:
    """The search dialog. ``offer``: completions for a text at the cursor; ``check``: the problem with a text, or
    empty.

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
        completion=TermCompletion(offer),
    )


class TermCompletion:
    """Offers completions of the term at the cursor while the user types."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._list: ChoiceList[SearchOffer] = ChoiceList(id="offers")
        self._list.can_focus = False
        self.widgets: Sequence[Widget] = (self._list,)

    def typed(self, ask: AskScreen) -> None:
        editor = ask.editor
        offers = self._offer(editor.text, editor.buffer.cursor)[:SHOWN] if editor.text else []
        self._list.set_items([Choice(offer, offer.label, offer.detail) for offer in offers])
        self._list.styles.height = len(offers)
        self._list.set_class(bool(offers), "-some")
        self._list.action_first()

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
