"""Registration: drafts, scheduled messages, reminders, snippets."""

from __future__ import annotations

from narrowcast_server.personal import switched_on
from narrowcast_server.queries import written
from narrowcast_server.snapshot.parts import Snapshot, part


@part("drafts")
def drafts(request: Snapshot) -> dict[str, object]:
    """The caller's drafts, newest first; none where they are not synchronized."""
    if not switched_on(request.user, "enable_drafts_synchronization"):
        return {"drafts": []}
    return {"drafts": written.drafts(request.core, request.user.id, newest_first=True)}


@part("scheduled_messages")
def scheduled(request: Snapshot) -> dict[str, object]:
    """The caller's scheduled messages."""
    return {"scheduled_messages": written.scheduled_messages(request.core, request.user.id)}


@part("reminders")
def reminders(request: Snapshot) -> dict[str, object]:
    """The caller's reminders."""
    return {"reminders": written.reminders(request.core, request.user.id)}


@part("saved_snippets")
def snippets(request: Snapshot) -> dict[str, object]:
    """The caller's snippets."""
    return {"saved_snippets": written.snippets(request.core, request.user.id)}
