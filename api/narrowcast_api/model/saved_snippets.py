"""The current user's saved texts to insert into messages (SNP rows)."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, integer, required_int, text


class SavedSnippet(NamedTuple):
    """A saved text of the current user, to insert into messages (SNP rows)."""

    id: int
    title: str
    content: str
    created: int


def read_saved_snippet(row: RawRecord) -> SavedSnippet:
    """Reads a row of `saved_snippets`."""
    return SavedSnippet(
        required_int(row, "id"), text(row, "title"), text(row, "content"), integer(row, "date_created")
    )
