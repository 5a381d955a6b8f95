"""Playgrounds in lists and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.organization.dialect import playground_fields

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


_CODE: Final = "{code}"


def playgrounds_of(core: Core) -> list[dict[str, object]]:
    """All playgrounds, in the order of creation."""
    rows = core.store.all("SELECT * FROM playgrounds ORDER BY id")
    return [
        {
            "id": row["id"],
            "name": row["name"],
            **playground_fields(core.config, row["language"]),
            **template_field(core, row["url_template"]),
        }
        for row in rows
    ]


def template_field(core: Core, template: str) -> dict[str, object]:
    if core.level < Gate.PLAYGROUND_TEMPLATE.level:
        return {"url_prefix": template.removesuffix(_CODE)}
    return {"url_template": template}
