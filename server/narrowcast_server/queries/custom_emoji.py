"""The organization's own emoji, as the API shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def custom_emoji_table(core: Core) -> dict[str, dict[str, object]]:
    """All custom emoji by id, including deactivated ones: `realm_emoji` of registration."""
    return {
        str(row["id"]): {
            "id": str(row["id"]),
            "name": row["name"],
            "source_url": row["source_url"],
            "deactivated": bool(row["deactivated"]),
            "author_id": row["author_id"],
            "still_url": row["still_url"],
        }
        for row in core.store.all("SELECT * FROM custom_emoji ORDER BY id")
    }
