"""Parts of the snapshot: drafts, scheduled messages, reminders, snippets, and navigation entries."""

from __future__ import annotations

from typing import Final

from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.drafts import drafts_of
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
