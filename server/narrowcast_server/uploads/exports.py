"""Where the archives of exports are: in a folder of the data folder, under a name that cannot be guessed."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Final

FOLDER: Final = "exports"
"""The folder of archives inside the data folder; backups leave it out."""
_FILE: Final = "narrowcast-export.tar.gz"
_PLACE: Final = re.compile(rf"([A-Za-z0-9_-]{{43}})/{re.escape(_FILE)}")


def new_place() -> str:
    """A place for an archive, as it is stored and as it ends the archive's URL."""
    return f"{secrets.token_urlsafe(32)}/{_FILE}"


def is_place(place: object) -> bool:
    """Whether this is a place of an archive, and so within its folder."""
    return isinstance(place, str) and _PLACE.fullmatch(place) is not None


def archive_at(data: Path, place: object) -> Path | None:
    """The path of an archive; None if this is no place of one."""
    match = _PLACE.fullmatch(place) if isinstance(place, str) else None
    return None if match is None else data / FOLDER / match[1] / _FILE
