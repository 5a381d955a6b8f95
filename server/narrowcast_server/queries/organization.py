"""The organization's domains, and the personal settings that new people start with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization import personal

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def domains_of(core: Core) -> list[dict[str, object]]:
    """Domains whose addresses may join."""
    rows = core.store.all("SELECT * FROM domains ORDER BY domain")
    return [{"domain": row["domain"], "allow_subdomains": bool(row["allow_subdomains"])} for row in rows]


def personal_defaults(core: Core) -> dict[str, object]:
    """The personal settings that new people start with."""
    stored = core.settings["personal_defaults"]
    assert isinstance(stored, dict)
    return {**personal.DEFAULTS, **stored}
