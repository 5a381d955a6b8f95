"""The user's pinned views: searches and conversations that are saved under a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from narrowcast.content.addresses import InApp, resolve

if TYPE_CHECKING:
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.resources.navigation_views import NavigationView
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
"""Views that exist in every client, with their names."""

_ROWS_OF_THEIR_OWN = frozenset({"inbox", "feed", "drafts", "narrow/is/mentioned", "narrow/is/starred"})


def title(view: NavigationView) -> str:
    """The name of a view; a view that exists in every client has a fixed name."""
    return view.name or BUILT_IN.get(view.fragment, view.fragment)


def pinned(state: State) -> Iterator[tuple[str, str, Narrow]]:
    """Fragment, title and narrow of each pinned view that can be opened here and has no other row."""
    for view in sorted(state.navigation_views.all(), key=lambda one: title(one).casefold()):
        if not view.is_pinned or view.fragment in _ROWS_OF_THEIR_OWN:
            continue
        target = resolve(f"#{view.fragment}", state)
        if isinstance(target, InApp):
            yield view.fragment, title(view), target.narrow
