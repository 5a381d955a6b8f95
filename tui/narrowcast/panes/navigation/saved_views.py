"""Views of one's own that are pinned: searches and conversations that are kept under a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from narrowcast.content.addresses import InApp, resolve

if TYPE_CHECKING:
    from narrowcast_api.model.navigation_views import NavigationView
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.state.state import State

BUILT_IN = {
    "inbox": "Inbox",
    "recent": "Recent conversations",
    "feed": "Combined feed",
    "drafts": "Drafts",
    "scheduled": "Scheduled messages",
    "reminders": "Reminders",
    "narrow/is/mentioned": "Mentions",
    "narrow/is/starred": "Starred messages",
    "narrow/has/reaction/sender/me": "Reactions",
}
"""Views that every client has, under names of its own."""

_ROWS_OF_THEIR_OWN = frozenset({"inbox", "feed", "drafts", "narrow/is/mentioned", "narrow/is/starred"})


def title(view: NavigationView) -> str:
    """The name of a view; those that every client has, have names of their own."""
    return view.name or BUILT_IN.get(view.fragment, view.fragment)


def pinned(state: State) -> Iterator[tuple[str, str, Narrow]]:
    """Fragment, title and narrow of each pinned view that has no row anyway and that can be opened here."""
    for view in sorted(state.navigation_views.all(), key=lambda one: title(one).casefold()):
        if not view.is_pinned or view.fragment in _ROWS_OF_THEIR_OWN:
            continue
        target = resolve(f"#{view.fragment}", state)
        if isinstance(target, InApp):
            yield view.fragment, title(view), target.narrow
