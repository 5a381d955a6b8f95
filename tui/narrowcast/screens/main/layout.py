"""Which panes fit, and the stylesheet that places them."""

from __future__ import annotations

from msgspec import Struct

NARROW_BELOW = 96
"""Minimum columns to show the channels beside the messages; below, they cover them."""
WIDE_FROM = 140
"""Minimum columns to show the people pane."""
WIDEST_FROM = 200
"""The same beside two conversations."""

CSS = """
MainScreen { layers: base above; background: $background; color: $foreground; }
MainScreen #panes { height: 1fr; }
MainScreen #title { background: $panel; }
MainScreen ConversationPane.-beside.-active #title { background: $primary; color: $background; }
MainScreen ConversationPane.-beside.-active #title:ansi { text-style: reverse; }
MainScreen ConversationPane.-left { border-right: solid $panel; }
MainScreen #banner { display: none; background: $panel; }
MainScreen.-banner #banner { display: block; }
MainScreen #navigation { width: 28; border-right: none; }
MainScreen #navigation:ansi { border-right: solid $primary; }
MainScreen #people:ansi { border-left: solid $primary; }
MainScreen #title:ansi { text-style: underline; }
MainScreen.-wide #navigation { width: 34; }
MainScreen #people { width: 28; }
MainScreen.-no-people #people { display: none; }
MainScreen.-no-navigation #navigation { display: none; }
MainScreen.-narrow #navigation { layer: above; dock: left; width: 36; max-width: 90%; height: 100%; }
MainScreen.-narrow #people { layer: above; dock: right; width: 30; max-width: 90%; height: 100%; }
"""


class PanePlan(Struct):
    """Panes that the user showed or hid; None: depends on the width."""

    width: int = 0
    people_wanted: bool = True
    navigation: bool | None = None
    people: bool | None = None
    conversations: int = 1
    """Number of conversations side by side."""

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
