"""Topics of channels, as in lists of topics (TOP rows)."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, required_int, required_text


class Topic(NamedTuple):
    """A topic with the id of its last known message."""

    name: str
    max_id: int


def read_topic(row: RawRecord) -> Topic:
    """Read a row of `topics` in the list of a channel's topics."""
    return Topic(required_text(row, "name"), required_int(row, "max_id"))
