"""Channel folders in responses and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def folders_of(core: Core, *, with_archived: bool) -> list[dict[str, object]]:
    rows = core.store.all("SELECT * FROM channel_folders ORDER BY position, id")
    return [folder_object(row) for row in rows if with_archived or not row["is_archived"]]


def folder_object(row: Row) -> dict[str, object]:
    return {
        "id": row["id"],
        "name": row["name"],
        "description": row["description"],
        "rendered_description": row["rendered_description"],
        "order": row["position"],
        "date_created": row["date_created"],
        "creator_id": row["creator_id"],
        "is_archived": bool(row["is_archived"]),
    }
