"""When users were last active (outside the contract)."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import MAX_INT64, RawRecord, number


class Seen(NamedTuple):
    """When a user was last active and last connected, in the server's UTC seconds; 0 means never."""

    active: float = 0
    idle: float = 0


def read_seen(row: RawRecord) -> Seen:
    """Reads a presence with two times."""
    active, idle = row.get("active_timestamp"), row.get("idle_timestamp")
    if type(active) is not int or type(idle) is not int or not 0 <= active <= idle <= MAX_INT64:  # rare
        active, idle = number(row, "active_timestamp", 0), number(row, "idle_timestamp", 0)
    return Seen(active, idle if idle > active else active)
