"""A text for the user to select and copy with the terminal, where the app cannot reach the clipboard."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.style_sheet import style_sheet

__all__ = ["CopyTextScreen"]

SHOWN = 20_000
"""Characters of the text that are shown."""


class CopyTextScreen(Dialog[None]):
    """Shows the text without a frame beside it, so that selecting rows selects nothing else."""

    DEFAULT_CSS = style_sheet(__name__)
    FRAMED = False
    TITLE_TEXT = "Not copied: the clipboard cannot be reached. Select the text (hold Shift)"
    KEYS = (("dialog.close", "closes"),)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.TEXT)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(safe_block(self._text[:SHOWN]), markup=False)
