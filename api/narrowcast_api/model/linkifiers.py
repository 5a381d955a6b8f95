"""Patterns that the server turns into links (LNK rows)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, required_int, text, texts


class Linkifier(NamedTuple):
    """A pattern that the server turns into links; the library never runs it (LNK rows).

    ``reverse_template``, empty if there is none: the text that clients make from a pasted URL that has the form of
    ``url_template`` or of one of ``alternative_url_templates``; ``example_input``: a text that ``pattern`` matches.
    """

    id: int
    pattern: str
    url_template: str
    example_input: str = ""
    reverse_template: str = ""
    alternative_url_templates: tuple[str, ...] = ()


def read_linkifier(row: RawRecord) -> Linkifier:
    """Reads a row of `realm_linkifiers`."""
    return Linkifier(
        required_int(row, "id"),
        text(row, "pattern"),
        text(row, "url_template", text(row, "url_format_string", text(row, "url_format"))),
        text(row, "example_input"),
        text(row, "reverse_template"),
        tuple(texts(row.get("alternative_url_templates"))),
    )


def read_filters(entries: object) -> Iterator[Linkifier]:
    """Reads linkifiers in their oldest form, lists of pattern, format and id (TODO(server-54))."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 3 and type(entry[2]) is int:
            yield Linkifier(entry[2], str(entry[0]), str(entry[1]))
