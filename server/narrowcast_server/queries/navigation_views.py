"""A user's navigation entries, and the hints that they have not dismissed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


BUILT_IN: Final = frozenset(
    {
        "inbox",
        "recent",
        "feed",
        "drafts",
        "scheduled",
        "reminders",
        "narrow/has/reaction/sender/me",
        "narrow/is/mentioned",
        "narrow/is/starred",
    }
)
"""Fragments of built-in views, which have a name in every client."""
STEPS: Final = (
    "visibility_policy_banner",
    "intro_inbox_view_modal",
    "intro_recent_view_modal",
    "first_stream_created_banner",
    "jump_to_conversation_banner",
    "non_interleaved_view_messages_fading",
    "interleaved_view_messages_fading",
    "intro_resolve_topic",
    "navigation_tour_video",
)
"""Hints that clients show once."""


def view_object(row: Row) -> dict[str, object]:
    """A navigation entry in lists and events."""
    return {"fragment": row["fragment"], "is_pinned": bool(row["is_pinned"]), "name": row["name"]}


def views_of(core: Core, user: User) -> list[dict[str, object]]:
    """A user's navigation entries, by fragment."""
    rows = core.store.all("SELECT * FROM navigation_views WHERE user_id = ? ORDER BY fragment", user.id)
    return [view_object(row) for row in rows]


def steps_of(core: Core, user: User) -> list[dict[str, object]]:
    """The hints that a user has not seen yet; none for bots."""
    if user.is_bot:
        return []
    seen = set(core.store.strings("SELECT step FROM onboarding_steps WHERE user_id = ?", user.id))
    return [{"type": "one_time_notice", "name": step} for step in STEPS if step not in seen]
