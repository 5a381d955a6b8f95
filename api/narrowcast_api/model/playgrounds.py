"""Sites on which code can be run (PLG rows)."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, required_int, text


class Playground(NamedTuple):
    """A site on which code of one language can be run (PLG rows)."""

    id: int
    name: str
    language: str
    url_template: str


def read_playground(row: RawRecord) -> Playground:
    """Reads a row of `realm_playgrounds`; public servers send `pygments_language`."""
    return Playground(
        required_int(row, "id"),
        text(row, "name"),
        text(row, "highlighter_language", text(row, "pygments_language")),
        text(row, "url_template", text(row, "url_prefix")),
    )
