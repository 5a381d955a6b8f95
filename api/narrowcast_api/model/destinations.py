"""Reading the destination of a draft or scheduled message, which the server writes alike."""

from __future__ import annotations

from narrowcast_api.model.reading import RawRecord, ids, text
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination


def read_destination(row: RawRecord) -> Destination | None:
    """Reads the destination of a draft or scheduled message, including the current user; None if it has none."""
    to = row.get("to")
    people = ids([to] if type(to) is int else to)
    if row.get("type") in ("stream", "channel"):
        return ChannelDestination(people[0], text(row, "topic")) if people else None
    if row.get("type") in ("private", "direct"):
        return DirectDestination(frozenset(people)) if people else None
    return None


def others_only(destination: Destination | None, me: int) -> Destination | None:
    """The destination without the user `me`."""
    if isinstance(destination, DirectDestination):
        return DirectDestination(destination.user_ids - {me})
    return destination
