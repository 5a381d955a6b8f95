"""Linkifiers in lists and events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def linkifiers_of(core: Core) -> list[dict[str, object]]:
    """All linkifiers, in the order in which they are tried."""
    rows = core.store.all("SELECT * FROM linkifiers ORDER BY position, id")
    return [
        {"pattern": row["pattern"], **template_field(core, row["url_template"]), "id": row["id"]}
        for row in rows
    ]


def template_field(core: Core, template: str) -> dict[str, object]:
    if core.level < Gate.LINKIFIER_TEMPLATE.level:
        return {"url_format_string": re.sub(r"\{([A-Za-z_][A-Za-z0-9_]*)\}", r"%(\1)s", template)}
    return {"url_template": template}


def linkifier_triples(core: Core) -> list[list[object]]:
    """Pattern, template and id of each linkifier, in the form for older clients."""
    rows = core.store.all("SELECT * FROM linkifiers ORDER BY position, id")
    return [[row["pattern"], row["url_template"], row["id"]] for row in rows]
