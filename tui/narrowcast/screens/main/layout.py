"""Which panes fit and how wide they are."""

from __future__ import annotations

from msgspec import Struct

NARROW_BELOW = 96
"""Minimum columns to show the channels beside the messages; below, one pane at a time is shown."""
WIDE_FROM = 150
"""Minimum columns to show the people pane."""
WIDEST_FROM = 200
"""The same beside two conversations."""
LEAST_PANE, LEAST_TEXT = 16, 60
"""Columns of the narrowest pane at a side, and of messages that no pane may make narrower."""
LEAST_PEOPLE, MOST_PEOPLE = 32, 36
"""Columns of the people pane, depending on the terminal."""
STEP = 2
"""Columns by which a key makes a pane wider."""
EDGE = 1
"""Columns of the edge of a pane."""


class PanePlan(Struct):
    """Which panes the user showed or hid (None: the width decides), and the columns of those at the sides, with their
    edges (0: the width decides).
    """

    width: int = 0
    people_wanted: bool = True
    navigation: bool | None = None
    people: bool | None = None
    conversations: int = 1
    """Number of conversations side by side."""
    navigation_width: int = 0
    people_width: int = 0

    @property
    def is_narrow(self) -> bool:
        return self.width < NARROW_BELOW

    @property
    def is_wide(self) -> bool:
        return self.width >= WIDE_FROM

    @property
    def shows_navigation(self) -> bool:
        return (not self.is_narrow) if self.navigation is None else self.navigation

    @property
    def shows_people(self) -> bool:
        if self.people is not None:
            return self.people
        return self.people_wanted and self.width >= (WIDE_FROM if self.conversations == 1 else WIDEST_FROM)

    @property
    def navigation_columns(self) -> int:
        """The columns of the channel list: all of a narrow terminal."""
        beside = self.people_columns if self.shows_people else 0
        return self._fitting(self.navigation_width, self._usual_navigation, beside)

    @property
    def people_columns(self) -> int:
        """The columns of the people pane: all of a narrow terminal."""
        usual = min(max(LEAST_PEOPLE, self.width * 22 // 100), MOST_PEOPLE)
        return self._fitting(self.people_width, usual, self._usual_navigation * self.shows_navigation)

    @property
    def _usual_navigation(self) -> int:
        return 34 if self.is_wide else 28

    def _fitting(self, wanted: int, usual: int, beside: int) -> int:
        """The wanted columns, as far as they and those of the pane on the other side leave room for the messages."""
        if self.is_narrow:
            return self.width
        most = max(usual, self.width - LEAST_TEXT - beside)
        return min(max(LEAST_PANE, wanted or usual), most)

    def widen_navigation(self, by: int) -> None:
        """Makes the channel list wider by so many steps; narrower if ``by`` is negative."""
        self.navigation_width = self.navigation_columns + STEP * by

    def widen_people(self, by: int) -> None:
        self.people_width = self.people_columns + STEP * by

    def resized(self, width: int) -> None:
        """Sets the width. If the kind of layout changes, panes shown or hidden by the user are reset."""
        before = (self.is_narrow, self.is_wide)
        self.width = width
        if before != (self.is_narrow, self.is_wide):
            self.navigation = self.people = None

    def classes(self) -> dict[str, bool]:
        return {
            "-narrow": self.is_narrow,
            "-wide": self.is_wide,
            "-no-navigation": not self.shows_navigation,
            "-no-people": not self.shows_people,
        }
