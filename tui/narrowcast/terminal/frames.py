"""Frames of Textual as text: only the cells that differ from what the terminal shows."""

from __future__ import annotations

from rich.console import Console

from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows
from narrowcast.terminal.textual_reads import ChopsUpdate, CompositorUpdate, LayoutUpdate

__all__ = ["Written", "difference"]


class Written(CompositorUpdate):
    """A frame that is already text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def render_segments(self, console: Console) -> str:
        return self._text


def difference(memory: ScreenMemory, update: object, console: Console) -> str | None:
    """The text to write for ``update``, which ``memory`` then records as written; None if it is not a frame."""
    if isinstance(update, LayoutUpdate):
        return memory.of_layout(update, console)
    if isinstance(update, ChopsUpdate):
        return memory.of_chops(update, console)
    if isinstance(update, WidgetRows):
        return memory.of_rows(update, console)
    return None
