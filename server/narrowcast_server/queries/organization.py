"""What administrators set up for everybody: linkifiers, playgrounds, custom emoji."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.dialect import playground_fields

if TYPE_CHECKING:
    from narrowcast_server.core import Core


def linkifiers(core: Core) -> list[dict[str, object]]:
    """Linkifiers, in the order in which they apply."""
    rows = core.store.all("SELECT * FROM linkifiers ORDER BY position, id")
    return [{"pattern": row["pattern"], "url_template": row["url_template"], "id": row["id"]} for row in rows]


def playgrounds(core: Core) -> list[dict[str, object]]:
    """Code playgrounds."""
    return [
        {
            "id": row["id"],
            "name": row["name"],
            **playground_fields(core.config, row["language"]),
            "url_template": row["url_template"],
        }
        for row in core.store.all("SELECT * FROM playgrounds ORDER BY id")
    ]


def custom_emoji(core: Core) -> dict[str, object]:
    """Custom emoji by id, deactivated ones included."""
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
