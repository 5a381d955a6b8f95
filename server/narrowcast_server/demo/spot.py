"""Where people of the demo world talk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A topic, or the people of a direct conversation (ids, everybody included)."""

    channel_id: int | None
    topic: str = ""
    people: tuple[int, ...] = ()
