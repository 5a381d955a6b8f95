"""Patterns that the server turns into links (LNK rows)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, required_int, text


class Linkifier(NamedTuple):
    """A pattern that the server turns into links; the library never runs it (LNK rows)."""

    id: int
    pattern: str
    url_template: str


def read_linkifier(row: RawRecord) -> Linkifier:
    """Reads a row of `realm_linkifiers`."""
    return Linkifier(
        required_int(row, "id"),
        text(row, "pattern"),
        text(row, "url_template", text(row, "url_format_string", text(row, "url_format"))),
    )


def read_filters(entries: object) -> Iterator[Linkifier]:
    """Reads linkifiers in their oldest form, lists of pattern, format and id (TODO(server-54))."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 3 and type(entry[2]) is int:
            yield Linkifier(entry[2], str(entry[0]), str(entry[1]))
