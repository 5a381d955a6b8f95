"""Views that the current user has pinned or hidden in the navigation."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, optional_text, required_text


class NavigationView(NamedTuple):
    """A view that the current user has pinned or hidden in the navigation."""

    fragment: str
    is_pinned: bool
    name: str | None


def read_navigation_view(row: RawRecord) -> NavigationView:
    """Reads a row of `navigation_views`."""
    return NavigationView(
        required_text(row, "fragment"), boolean(row, "is_pinned"), optional_text(row, "name")
    )
