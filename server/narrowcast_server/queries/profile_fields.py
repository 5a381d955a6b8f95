"""Custom profile fields in responses and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def field_object(row: Row) -> dict[str, object]:
    result: dict[str, object] = {
        "id": row["id"],
        "name": row["name"],
        "type": row["type"],
        "hint": row["hint"],
        "field_data": row["field_data"],
        "order": row["position"],
        "required": bool(row["required"]),
        "editable_by_user": bool(row["editable_by_user"]),
    }
    if row["display_in_profile_summary"]:
        result["display_in_profile_summary"] = True
    return result


def fields_of(core: Core) -> list[dict[str, object]]:
    """All field definitions, in order."""
    return [field_object(row) for row in core.store.all("SELECT * FROM profile_fields ORDER BY position, id")]
