"""Bots of one's own."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import Row, boolean, optional_int, required_int, text


class OwnBot(NamedTuple):
    """A bot of one's own. Its key is not kept: ask for it when it is wanted."""

    user_id: int
    full_name: str
    is_active: bool
    owner_id: int | None


def read_own_bot(row: Row) -> OwnBot:
    """A row of `realm_bots`."""
    return OwnBot(
        required_int(row, "user_id"),
        text(row, "full_name"),
        boolean(row, "is_active", True),
        optional_int(row, "owner_id"),
    )
