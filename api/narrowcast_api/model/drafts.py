"""Drafts as they travel, and where drafts and scheduled messages go (EVT-04, DRF rows)."""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.model.reading import RawRecord, ids, number, required_int, text
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination


class DraftVersion(Struct, frozen=True):
    """What a draft says and where it is addressed, without who has it. `destination` None: nowhere yet."""

    destination: Destination | None
    content: str


class ServerDraft(Struct, frozen=True):
    """A draft as the server keeps it; `timestamp` is the last edit in UTC seconds.

    As it is read, a direct destination names oneself too: see `without`.
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
        """The same, addressed as destinations are: by the others alone."""
        version = DraftVersion(others_only(self.destination, me), self.content)
        return ServerDraft(self.id, version, self.timestamp)

    def in_local_time(self, server_offset: float) -> ServerDraft:
        """The same, edited at the time that this machine's clock had: the server's is that many seconds ahead."""
        return ServerDraft(self.id, self.version, self.timestamp - server_offset if self.timestamp else 0.0)


def read_draft(row: RawRecord) -> ServerDraft:
    """A row of `drafts` (EVT-04)."""
    version = DraftVersion(read_destination(row), text(row, "content"))
    return ServerDraft(required_int(row, "id"), version, number(row, "timestamp", 0.0))


def read_destination(row: RawRecord) -> Destination | None:
    """Where a draft or scheduled message goes, oneself among the people; None for one without an address."""
    to = row.get("to")
    people = ids([to] if type(to) is int else to)
    if row.get("type") in ("stream", "channel"):
        return ChannelDestination(people[0], text(row, "topic")) if people else None
    if row.get("type") in ("private", "direct"):
        return DirectDestination(frozenset(people)) if people else None
    return None


def others_only(destination: Destination | None, me: int) -> Destination | None:
    """The destination without oneself."""
    if isinstance(destination, DirectDestination):
        return DirectDestination(destination.user_ids - {me})
    return destination
