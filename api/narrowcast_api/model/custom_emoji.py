"""Custom emoji of the organization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from narrowcast_api.model.reading import (
    BadRow,
    RawRecord,
    boolean,
    optional_int,
    optional_text,
    required_text,
    text,
)


class CustomEmoji(NamedTuple):
    """A custom emoji of the organization; reactions refer to it by `code`.

    `source_url` is relative to the organization's address; `still_url` is None unless the emoji is animated.
    """

    code: str
    name: str
    source_url: str
    still_url: str | None
    deactivated: bool
    author_id: int | None


def read_custom_emoji(row: RawRecord) -> CustomEmoji:
    """Reads a value of `realm_emoji`, or the `emoji` of an event; its `id` may be a text or a number."""
    code = row.get("id")
    return CustomEmoji(
        code=str(code) if type(code) is int else required_text(row, "id"),
        name=required_text(row, "name"),
        source_url=text(row, "source_url"),
        still_url=optional_text(row, "still_url"),
        deactivated=boolean(row, "deactivated"),
        author_id=optional_int(row, "author_id"),
    )


def read_custom_emoji_table(value: RawRecord) -> dict[str, CustomEmoji]:
    """Reads the table `realm_emoji`, by code; invalid entries are left out."""
    emoji: dict[str, CustomEmoji] = {}
    for code, row in value.items():
        if isinstance(row, Mapping):
            try:
                emoji[code] = read_custom_emoji({**row, "id": code})
            except BadRow:
                continue
    return emoji
