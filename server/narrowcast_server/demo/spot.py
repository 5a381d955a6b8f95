"""A place where people of the demo world talk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoConversation:
    """A topic, or a direct conversation by the ids of all its members."""

    channel_id: int | None
    topic: str = ""
    people: tuple[int, ...] = ()
