"""Drafts in the form of the server, and the destinations of drafts and scheduled messages (EVT-04, DRF rows)."""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.model.reading import RawRecord, ids, number, required_int, text
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination


class DraftVersion(Struct, frozen=True):
    """The content and the destination of a draft, without its id. `destination` None: not chosen yet."""

    destination: Destination | None
    content: str


class ServerDraft(Struct, frozen=True):
    """A draft on the server; `timestamp` is the last edit in UTC seconds.

    After reading, a direct destination includes the current user: see `without`.
    """

    id: int
    version: DraftVersion
    timestamp: float

    @property
    def destination(self) -> Destination | None:
        return self.version.destination

    @property
    def content(self) -> str:
        return self.version.content

    def without(self, me: int) -> ServerDraft:
        """The draft with a destination as elsewhere: without the user `me`."""
        version = DraftVersion(others_only(self.destination, me), self.content)
        return ServerDraft(self.id, version, self.timestamp)

    def in_local_time(self, server_offset: float) -> ServerDraft:
        """The draft with its time on the local clock; the server's clock is `server_offset` seconds ahead."""
        return ServerDraft(self.id, self.version, self.timestamp - server_offset if self.timestamp else 0.0)


def read_draft(row: RawRecord) -> ServerDraft:
    """Reads a row of `drafts` (EVT-04)."""
    version = DraftVersion(read_destination(row), text(row, "content"))
    return ServerDraft(required_int(row, "id"), version, number(row, "timestamp", 0.0))


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
