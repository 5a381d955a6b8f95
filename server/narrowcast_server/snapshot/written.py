"""Registration: drafts, scheduled messages, reminders, snippets."""

from __future__ import annotations

from typing import Final

from narrowcast_server.actions.drafts import drafts_of
from narrowcast_server.actions.reminders import reminders_of
from narrowcast_server.actions.scheduled import scheduled_of
from narrowcast_server.actions.snippets import snippets_of
from narrowcast_server.personal import switched_on
from narrowcast_server.snapshot.parts import Snapshot, part

MAX_DRAFTS: Final = 1000


@part("drafts")
def drafts(request: Snapshot) -> dict[str, object]:
    """The caller's drafts, newest first; none where they are not synchronized."""
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
    """The caller's snippets."""
    return {"saved_snippets": snippets_of(request.core, request.user)}
