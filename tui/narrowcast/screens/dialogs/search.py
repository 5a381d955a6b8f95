"""What to search for: words and operators, completed while one types, refused here and not later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from narrowcast.commands.hints import KeyHint
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.text.search_completion import SHOWN, SearchOffer
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine

NOTES = (
    "channel:NAME  topic:NAME  sender:NAME  dm:NAME",
    "has:link  has:image  has:attachment  has:reaction",
    "is:unread  is:starred  is:mentioned  is:resolved   -term leaves out",
)


class SearchScreen(AskScreen):
    """Gives back the text. ``offer``: what completes it at the cursor; ``check``: what is wrong with it, or nothing.

    ``problem``: why it was refused before; ``note``: what is special about this search.
    """

    DEFAULT_CSS = """
    SearchScreen #offers { height: auto; max-height: 6; background: $panel; display: none; }
    SearchScreen.-offering #offers { display: block; }
    """
    KEYS: ClassVar[tuple[KeyHint, ...]] = (("ask.complete", "completes"),)

    def __init__(
        self,
        text: str,
        *,
        offer: Callable[[str, int], Sequence[SearchOffer]],
        check: Callable[[str], str],
        problem: str = "",
        note: str = "",
    ) -> None:
        super().__init__(
            "Search messages",
            text,
            placeholder="words, and operators such as channel:general from:ada",
            notes=(*NOTES, *([note] if note else [])),
            does="searches",
        )
        self._offer = offer
        self._check = check
        self._problem = problem
        self._said = OneLine(id="problem")
        self.offers: ChoiceList[SearchOffer] = ChoiceList(id="offers")
        self.offers.can_focus = False

    def compose(self) -> ComposeResult:
        yield from super().compose()

    def on_mount(self) -> None:
        box = self.query_one(Vertical)
        box.mount(self.offers, after=self.editor)
        box.mount(self._said, after=self.offers)
        self._say(self._problem)

    def _say(self, problem: str) -> None:
        self._said.show_pieces([(problem, "bad")])

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Offer what the term could become; what was wrong may be mended now."""
        event.stop()
        editor = event.editor
        offers = self._offer(editor.text, editor.buffer.cursor) if editor.text else []
        self.offers.set_items([Choice(offer, offer.label, offer.detail) for offer in offers[:SHOWN]])
        self.offers.styles.height = len(offers[:SHOWN])
        self.offers.action_first()
        self.set_class(bool(offers), "-offering")
        if event.edited:
            self._say("")

    async def _on_key(self, event: events.Key) -> None:
        if self.has_class("-offering") and event.key in ("up", "down"):
            event.stop()
            event.prevent_default()
            self.offers.action_cursor_up() if event.key == "up" else self.offers.action_cursor_down()

    def action_complete(self) -> None:
        """Put the chosen offer in place of the term that is typed."""
        item = self.offers.selected_item
        if item is not None and self.has_class("-offering"):
            editor = self.editor
            editor.replace(item.value.start, editor.buffer.cursor, item.value.insert)

    def answer(self, text: str) -> None:
        """A text that means nothing stays in the box, with the reason under it."""
        problem = self._check(text) if text else ""
        if problem:
            self._say(problem)
        else:
            self.dismiss(text)
