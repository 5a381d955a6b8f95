"""How wide the panes at the sides are: by key, by mouse, and saved for the next start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.runtime.context import app_of
from narrowcast.screens.main.layout import EDGE

if TYPE_CHECKING:
    from narrowcast.panes.navigation.pane import NavigationPane
    from narrowcast.panes.people import PeoplePane
    from narrowcast.screens.main.layout import PanePlan
    from narrowcast.widgets.pane_edge import PaneEdge

__all__ = ["PaneWidths"]


class PaneWidths:
    """Applies the widths of ``plan`` to the panes."""

    def __init__(self, plan: PanePlan, navigation: NavigationPane, people: PeoplePane) -> None:
        self._plan = plan
        self._navigation = navigation
        self._people = people

    def show(self) -> None:
        """Gives the panes their widths. Where one covers the messages, it has no edge."""
        edge = 0 if self._plan.is_narrow else EDGE
        self._navigation.styles.width = self._plan.navigation_columns - edge
        self._people.styles.width = self._plan.people_columns - edge

    def widen(self, by: int) -> None:
        """Makes the list with the focus wider by so many steps, or the conversation at the cost of the channel list."""
        if self._people.has_focus_within:
            self._plan.widen_people(by)
        else:
            self._plan.widen_navigation(by if self._navigation.has_focus_within else -by)
        self.show()
        self._save()

    def drag(self, event: PaneEdge.Moved) -> None:
        """Moves an edge to where the mouse is."""
        if event.edge.id == "people-edge":
            self._plan.people_width = self._plan.width - event.column
        else:
            self._plan.navigation_width = event.column + EDGE
        self.show()
        if event.ended:
            self._save()

    def _save(self) -> None:
        plan, appearance = self._plan, app_of(self._navigation).config.appearance
        if appearance.channels_width != plan.navigation_width:
            self._write("appearance.channels_width", lambda: plan.navigation_width)
        if appearance.people_width != plan.people_width:
            self._write("appearance.people_width", lambda: plan.people_width)

    def _write(self, key: str, columns: Callable[[], int]) -> None:
        app = app_of(self._navigation)
        app.spawn(app.change_config(key, columns), "save the width of the pane")
