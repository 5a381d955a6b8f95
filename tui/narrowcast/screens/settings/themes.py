"""Choosing a theme: the whole screen shows the selected one at once, and Escape takes it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.app import App
from textual.await_complete import AwaitComplete

from narrowcast.config.config import ThemeColors
from narrowcast.config.themes import theme_names
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["ThemePicker"]


class ThemePicker(Picker[str]):
    """All themes: those of Narrowcast, of the configuration, and of Textual. It leaves most of the screen visible."""

    DEFAULT_CSS = """
    ThemePicker { align: right top; padding-right: 2; }
    """
    WIDTH = 44
    DIMS = False

    def __init__(self, app: App[Any], own: Mapping[str, ThemeColors]) -> None:
        self._before = app.theme
        super().__init__("Theme", [_choice(app, name, own) for name in theme_names(own)])
        self.list.select_key(self._before)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Shows the selected theme."""
        if isinstance(event.item, Choice) and event.item.value != self.app.theme:
            self.app.theme = event.item.value

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Leaves the chosen theme on the screen, or the one before if none was chosen."""
        self.app.theme = self._before if result is None else result
        return super().dismiss(result)


def _choice(app: App[Any], name: str, own: Mapping[str, ThemeColors]) -> Choice[str]:
    theme = app.get_theme(name)
    kind = "dark" if theme is None or theme.dark else "light"
    about = f"your own, {kind}" if name in own else "" if theme is not None and theme.ansi else kind
    return Choice(name, name, "current" if name == app.theme else about)
