"""A part of a narrow's messages: from where, how many, and what came. Cheap to import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Match, Message

PAGE = 100
"""Messages asked for on each side of an anchor, and for each further page."""

Anchor = int | str
"""An id, 'first_unread', 'newest' or 'oldest'."""


class Page(NamedTuple):
    """Messages as a server or a cache answered, ascending; `anchor` is the one that the server resolved."""

    messages: Sequence[Message]
    anchor: int | None = None
    found_oldest: bool = False
    found_newest: bool = False
    matches: Mapping[int, Match] = {}
