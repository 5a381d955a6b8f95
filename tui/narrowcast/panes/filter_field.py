"""The filter field above the list of a side pane."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import by_id
from narrowcast.widgets.find_field import FindField

__all__ = ["FilterField"]


class FilterField(FindField):
    """Handles the list's keys while the user types in the field: up and down move its selection."""

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
