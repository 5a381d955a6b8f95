"""The organization's email domains, icon and logos, and the default personal settings of new users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

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


Picture = Literal["icon", "logo", "night_logo"]
_MARKS: Final = {"icon": "icon.png", "logo": "logo.png", "night_logo": "logo.png"}
"""This server's own pictures, the default."""


def picture_url(core: Core, picture: Picture) -> str:
    return core.url + picture_path(core, picture)


def picture_path(core: Core, picture: Picture) -> str:
    """The URL of a picture, relative to that of the organization."""
    own = core.settings[f"{picture}_picture"]
    return own if isinstance(own, str) else f"/static/images/{_MARKS[picture]}"


def picture_source(core: Core, picture: Picture) -> str:
    """'U' for an uploaded picture, 'D' for the default; icons are always 'U' in the service's API."""
    return "U" if picture == "icon" or core.settings[f"{picture}_picture"] is not None else "D"
