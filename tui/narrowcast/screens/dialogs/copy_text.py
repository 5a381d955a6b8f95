"""A text for the user to select and copy with the terminal, where the app cannot reach the clipboard."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.screens.dialogs.title import DialogTitle
from narrowcast.text.safe_text import safe_block

__all__ = ["CopyTextScreen"]

SHOWN = 20_000
"""Characters of the text that are shown."""


class CopyTextScreen(Dialog[None]):
    """Shows the text without a frame beside it, so that selecting rows selects nothing else."""

    DEFAULT_CSS = """
    CopyTextScreen > Vertical { width: 100%; max-width: 100%; border: none; padding: 0; }
    CopyTextScreen VerticalScroll { height: auto; max-height: 80%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.TEXT)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical():
            title = DialogTitle()
            title.show_pieces(
                [("Not copied: the clipboard cannot be reached. Select the text (hold Shift)", "strong")],
                [(self.hints(("dialog.close", "closes")), "dim")],
            )
            yield title
            with VerticalScroll():
                yield Static(safe_block(self._text[:SHOWN]), markup=False)
