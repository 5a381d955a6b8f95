"""Small apps without an account, for single widgets and for what the app knows of Textual."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from rich.console import RenderableType
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from narrowcast.app.theme_colours import computed_colours
from narrowcast.commands.run import AppWithCommands
from narrowcast.runtime.background import could_not
from narrowcast.runtime.looking import Looking
from narrowcast.terminal.output import difference
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast.terminal.textual_fixes import FixedApp
from narrowcast_api.tasks import Tasks


class ThemedApp(App[None]):
    """Has the variables of the theme that widgets are painted with."""

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        self.theme_variables = {**variables, **computed_colours(self.current_theme, variables)}
        return self.theme_variables


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


class NoAccounts:
    """No account is on the screen."""

    screen = None


class ContextApp(ThemedApp, AppWithCommands[None], FixedApp[None]):
    """The part of `AppContext` that a single widget needs. ``told``: the notices shown, newest last."""

    accounts = NoAccounts()
    keys_wait = False

    def __init__(self) -> None:
        super().__init__()
        self.looking = Looking()
        self.looking.key_pressed()
        self.told: list[str] = []
        self._tasks = Tasks(lambda what, error: self.tell(could_not(what, error)))

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        self.told.append(text)

    def refuse(self, text: str) -> bool:
        if text:
            self.told.append(text)
        return bool(text)

    def copy(self, text: str, copied: Callable[[], object]) -> None:
        self.copy_to_clipboard(text)
        copied()

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        return self._tasks.start(work, what)
