"""The base class of all events, and the events for unknown and unreadable input."""

from __future__ import annotations

from typing import Any, ClassVar

from narrowcast_api.wire.model import Int, WireModel

NO_ID = -1
"""The id of an event without a valid one; also the last event id of a new queue."""


class Event(WireModel):
    """An event of the queue. ``id`` increases within a queue; numbers may be missing (EVT rows)."""

    id: Int = NO_ID
    type: str = ""

    @property
    def kind(self) -> str:
        """``type`` and, if there is one, ``op``: ``stream.update``."""
        op = getattr(self, "op", None)
        return f"{self.type}.{op}" if isinstance(op, str) else self.type


class UnknownEvent(Event):
    """An event of a kind that this library does not know; the whole object is in ``raw``, which is never logged."""

    raw: dict[str, Any] = {}

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"raw"})


class BadEvent(Event):
    """An event of a known kind whose content cannot be read; the app ignores it.

    A state that is kept up to date by events is unreliable afterwards: register again.
    """

    raw: Any = None
    error: str = ""

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"raw"})
