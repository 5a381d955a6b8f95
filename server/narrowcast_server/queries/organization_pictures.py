"""Where the organization's icon and logos are, and whether they are its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

Picture = Literal["icon", "logo", "night_logo"]
_MARKS: Final = {"icon": "icon.png", "logo": "logo.png", "night_logo": "logo.png"}
"""This server's own, for who has set none."""


def picture_url(core: Core, picture: Picture) -> str:
    """The address of a picture."""
    return core.url + picture_path(core, picture)


def picture_path(core: Core, picture: Picture) -> str:
    """The same without the server's own."""
    own = core.settings[f"{picture}_picture"]
    return own if isinstance(own, str) else f"/static/images/{_MARKS[picture]}"


def picture_source(core: Core, picture: Picture) -> str:
    """'U' for one that was uploaded, 'D' for this server's; icons are always uploaded, says the service."""
    return "U" if picture == "icon" or core.settings[f"{picture}_picture"] is not None else "D"
