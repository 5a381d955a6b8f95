"""A text that fills the screen: to be read, or until something has started."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.widgets.style_sheet import style_sheet


class TextScreen(FixedScreen[None]):
    """A text to read, until the user closes it."""

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.TEXT, Context.DIALOG)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield Static(self._text, markup=False)

    def action_leave(self) -> None:
        self.dismiss(None)


class WaitScreen(TextScreen, inherit_bindings=False):
    """A text shown while something starts, which no key closes."""
