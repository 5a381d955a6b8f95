"""A page of a narrow's messages: its request and its result. Quick to import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Match, Message

PAGE = 100
"""The number of messages requested on each side of an anchor, and for each further page."""

Anchor = int | str
"""An id, 'first_unread', 'newest' or 'oldest'."""


class Page(NamedTuple):
    """Messages from a server or a cache, ascending; `anchor` is the id that the server resolved."""

    messages: Sequence[Message]
    anchor: int | None = None
    found_oldest: bool = False
    found_newest: bool = False
    matches: Mapping[int, Match] = {}
