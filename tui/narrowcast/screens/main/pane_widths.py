"""How wide the panes at the sides are: by key, by mouse, and saved for the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.config.config_file import value_of
from narrowcast.runtime.context import app_of
from narrowcast.screens.main.layout import EDGE

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast.widgets.pane_edge import PaneEdge

__all__ = ["PaneWidths"]


class PaneWidths:
    """Applies the widths of the plan to the panes."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen

    def show(self) -> None:
        """Gives the panes their widths. Where one covers the messages, it has no edge."""
        screen = self._screen
        edge = 0 if screen.plan.is_narrow else EDGE
        screen.navigation.styles.width = screen.plan.navigation_columns - edge
        screen.people.styles.width = screen.plan.people_columns - edge

    def widen(self, by: int) -> None:
        """Makes the list with the focus wider by so many steps, or the conversation at the cost of the channel list."""
        screen = self._screen
        if screen.people.has_focus_within:
            screen.plan.widen_people(by)
        else:
            screen.plan.widen_navigation(by if screen.navigation.has_focus_within else -by)
        self.show()
        self._save()

    def drag(self, event: PaneEdge.Moved) -> None:
        """Moves an edge to where the mouse is."""
        plan = self._screen.plan
        if event.edge.id == "people-edge":
            plan.people_width = plan.width - event.column
        else:
            plan.navigation_width = event.column + EDGE
        self.show()
        if event.ended:
            self._save()

    def _save(self) -> None:
        screen, plan = self._screen, self._screen.plan
        app = app_of(screen.navigation)
        for key, columns in (
            ("appearance.channels_width", lambda: plan.navigation_width),
            ("appearance.people_width", lambda: plan.people_width),
        ):
            if value_of(app.config, key) != columns():
                screen.spawn(app.change_config(key, columns), "save the width of the pane")
