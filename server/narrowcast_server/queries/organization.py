"""The organization's email domains, icon and logos, and the default personal settings of new users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from narrowcast_server.organization import personal

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def domains_of(organization: Organization) -> list[dict[str, object]]:
    """Email domains whose addresses may join."""
    rows = organization.store.all("SELECT * FROM domains ORDER BY domain")
    return [{"domain": row["domain"], "allow_subdomains": bool(row["allow_subdomains"])} for row in rows]


def personal_defaults(organization: Organization) -> dict[str, object]:
    """The default personal settings of new users."""
    stored = organization.settings["personal_defaults"]
    assert isinstance(stored, dict)
    return {**personal.DEFAULTS, **stored}


Picture = Literal["icon", "logo", "night_logo"]
_MARKS: Final = {"icon": "icon.png", "logo": "logo.png", "night_logo": "logo.png"}
"""This server's own pictures, the default."""


def picture_url(organization: Organization, picture: Picture) -> str:
    return organization.url + picture_path(organization, picture)


def picture_path(organization: Organization, picture: Picture) -> str:
    """The URL of a picture, relative to that of the organization."""
    own = organization.settings[f"{picture}_picture"]
    return own if isinstance(own, str) else f"/static/images/{_MARKS[picture]}"


def picture_source(organization: Organization, picture: Picture) -> str:
    """'U' for an uploaded picture, 'D' for the default; icons are always 'U' in the service's API."""
    return "U" if picture == "icon" or organization.settings[f"{picture}_picture"] is not None else "D"
