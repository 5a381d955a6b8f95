"""Parts of the snapshot: drafts, scheduled messages, reminders, snippets, and navigation entries."""

from __future__ import annotations

from typing import Final

from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.drafts import drafts_of
from narrowcast_server.queries.navigation_views import steps_of, views_of
from narrowcast_server.queries.reminders import reminders_of
from narrowcast_server.queries.saved_snippets import snippets_of
from narrowcast_server.queries.scheduled_messages import scheduled_of
from narrowcast_server.queries.snapshot.parts import Snapshot, part

MAX_DRAFTS: Final = 1000


@part("drafts")
def drafts(request: Snapshot) -> dict[str, object]:
    """The caller's drafts, newest first; empty if the user does not synchronize drafts."""
    if not switched_on(request.user, "enable_drafts_synchronization"):
        return {"drafts": []}
    return {"drafts": drafts_of(request.core, request.user)[::-1][:MAX_DRAFTS]}


@part("scheduled_messages")
def scheduled(request: Snapshot) -> dict[str, object]:
    """The caller's scheduled messages."""
    return {"scheduled_messages": scheduled_of(request.core, request.user)}


@part("reminders")
def reminders(request: Snapshot) -> dict[str, object]:
    """The caller's reminders."""
    return {"reminders": reminders_of(request.core, request.user)}


@part("saved_snippets")
def snippets(request: Snapshot) -> dict[str, object]:
    return {"saved_snippets": snippets_of(request.core, request.user)}


# The name of the event is not that of the key, so clients may fetch either.
@part("navigation_view")
@part("navigation_views")
def navigation_views(request: Snapshot) -> dict[str, object]:
    """The caller's navigation entries."""
    return {"navigation_views": views_of(request.core, request.user)}


@part("onboarding_steps")
def onboarding_steps(request: Snapshot) -> dict[str, object]:
    """The hints that the caller has not seen."""
    return {
        "navigation_tour_video_url": None,
        "onboarding_steps": steps_of(request.core, request.user),
    }
