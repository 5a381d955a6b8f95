"""The organization's email domains, and the default personal settings of new users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization import personal

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def domains_of(core: Core) -> list[dict[str, object]]:
    """Email domains whose addresses may join."""
    rows = core.store.all("SELECT * FROM domains ORDER BY domain")
    return [{"domain": row["domain"], "allow_subdomains": bool(row["allow_subdomains"])} for row in rows]


def personal_defaults(core: Core) -> dict[str, object]:
    """The default personal settings of new users."""
    stored = core.settings["personal_defaults"]
    assert isinstance(stored, dict)
    return {**personal.DEFAULTS, **stored}
