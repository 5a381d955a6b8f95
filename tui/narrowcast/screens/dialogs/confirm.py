"""A confirmation before something that cannot be undone: the full question, with "no" selected first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from narrowcast.keys.hints import HasApp, KeyHint
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import SMALL, Dialog
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["ConfirmScreen", "ask_first"]


class ConfirmScreen(Dialog[bool]):
    """Dismissed with whether the user confirmed. ``yes``: the text of the confirming choice."""

    DEFAULT_CSS = """
    ConfirmScreen Static { background: $surface; max-height: 6; margin: 0 1 1 1; text-style: bold; }
    """
    WIDTH = SMALL
    KEYS: ClassVar[Sequence[KeyHint]] = (
        ("list.select", "selects"),
        ("confirm.yes", "yes"),
        ("confirm.no", "no"),
        ("dialog.close", "cancels"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.CONFIRM)]
    AUTO_FOCUS = "ChoiceList"

    def __init__(self, question: str, yes: str) -> None:
        super().__init__()
        self._question = question
        self.list: ChoiceList[bool] = ChoiceList([Choice(False, "Cancel"), Choice(True, yes)])
        self.add_class("-grave")

    def body(self) -> ComposeResult:
        yield Static(safe_block(self._question), markup=False)
        yield self.list

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        event.stop()
        if (choice := self.list.selected_item) is not None:
            self.dismiss(choice.value)

    def action_leave(self) -> None:
        self.dismiss(False)

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)


def ask_first(screen: HasApp, question: str, yes: str, then: Callable[[], object]) -> None:
    """Does something only after the user has confirmed it."""

    def answered(sure: bool | None) -> None:
        if sure:
            then()

    screen.app.push_screen(ConfirmScreen(question, yes), answered)
