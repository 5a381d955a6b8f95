"""Small apps of Textual alone, for what the app knows of its private parts."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from narrowcast.terminal.output import difference
from narrowcast.terminal.screen_memory import ScreenMemory
from support.themed_app import ThemedApp


class OnScreen(ThemedApp):
    """An app whose first screen is of a class of the test's choice."""

    def __init__(self, screen: type[Screen[Any]] = Screen) -> None:
        super().__init__()
        self._kind = screen
        self._terminal = ScreenMemory()

    @property
    def shown(self) -> str:
        """What a terminal shows after all frames."""
        return "\n".join("".join(cell[0] for cell in row) for _, row in sorted(self._terminal.rows.items()))

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        difference(self._terminal, renderable, self.console)
        super()._display(screen, renderable)

    def get_default_screen(self) -> Screen[Any]:
        return self._kind(id="_default")

    def compose(self) -> ComposeResult:
        yield Static("below")


class Layers(OnScreen):
    """Widgets next to, inside and on top of each other."""

    CSS = """
    Screen { layout: horizontal; layers: below above; }
    #left { width: 7; } #middle { width: 1fr; padding: 1; border: round red; }
    #over { layer: above; width: 9; height: 3; offset: 5 2; }
    """

    def compose(self) -> ComposeResult:
        yield Static("left\n" * 8, id="left")
        with Vertical(id="middle"):
            yield Static("middle of the screen\n" * 2)
            yield Static("界界界 wide")
        yield Static("lies over\n" * 3, id="over")
