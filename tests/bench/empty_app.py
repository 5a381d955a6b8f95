"""The reference for startup: a Textual app with three empty panes, an input line and a footer.

PYTHONPATH=tests python -m bench.empty_app
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, Static


class EmptyApp(App[None]):
    """An empty pane with a border."""

    CSS = "#left, #right { width: 28; } #middle Static { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c", "quit", "Quit")]

    def compose(self) -> ComposeResult:
        """An app with three panes."""
        with Horizontal():
            yield Static("left", id="left")
            with Vertical(id="middle"):
                yield Static("nothing to read")
                yield Input()
            yield Static("right", id="right")
        yield Footer()


if __name__ == "__main__":
    EmptyApp().run()
