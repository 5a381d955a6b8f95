"""The field above the list of a pane at the side."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from narrowcast.commands.registry import by_id
from narrowcast.widgets.find_field import FindField

__all__ = ["FilterField"]


class FilterField(FindField):
    """Hears the keys of such a list while one types: up and down choose in it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        by_id()[command_id].binding()
        for command_id in ("navigation.leave", "navigation.down", "navigation.up")
    ]
    DEFAULT_CSS = """
    FilterField { padding: 0 1; height: 1; }
    """

    def action_navigation_down(self) -> None:
        self.move(1)

    def action_navigation_up(self) -> None:
        self.move(-1)
