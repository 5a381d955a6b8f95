"""A user's saved snippets (rows SNP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def snippet_object(row: Row) -> dict[str, object]:
    """A snippet in lists and events."""
    return {key: row[key] for key in ("id", "title", "content", "date_created")}


def snippets_of(core: Core, user: User) -> list[dict[str, object]]:
    """A user's snippets, in the order of creation."""
    rows = core.store.all("SELECT * FROM saved_snippets WHERE user_id = ? ORDER BY id", user.id)
    return [snippet_object(row) for row in rows]
