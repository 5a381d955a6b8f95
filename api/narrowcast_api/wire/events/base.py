"""The root of all events, and what becomes of those that cannot be read."""

from __future__ import annotations

from typing import Any, ClassVar

from narrowcast_api.wire.model import Int, WireModel

NO_ID = -1
"""The id of an event that came without a usable one; also where a new queue starts."""


class Event(WireModel):
    """Something that happened. ``id`` increases within a queue and may skip (EVT rows)."""

    id: Int = NO_ID
    type: str = ""

    @property
    def kind(self) -> str:
        """``type`` and, where there is one, ``op``: ``stream.update``."""
        op = getattr(self, "op", None)
        return f"{self.type}.{op}" if isinstance(op, str) else self.type


class UnknownEvent(Event):
    """An event of a kind that this library does not know; kept whole in ``raw``, which no log shows."""

    raw: dict[str, Any] = {}

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"raw"})


class BadEvent(Event):
    """An event that should be of a known kind but has an unreadable shape; the app goes on without it.

    State that follows events cannot be trusted after one: register anew.
    """

    raw: Any = None
    error: str = ""

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"raw"})
