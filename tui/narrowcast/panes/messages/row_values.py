"""What the rows of a message depend on besides the message, and what they consist of.

A row is a strip without the two columns of the list's own marks, and the text that copying it yields.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from functools import partial
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from rich.style import Style
from textual.strip import Strip

from narrowcast.content.blocks import Document, Mention, MentionKind
from narrowcast.content.code_rows import NOTHING
from narrowcast.content.inlines import Target
from narrowcast.text import formats
from narrowcast.widgets.tints import Ground, channel_tint, person_tile, person_tint
from narrowcast_api.permissions import group_name

if TYPE_CHECKING:
    from textual.geometry import Size

    from narrowcast_api.state.state import State


__all__ = [
    "FIRST_ROWS",
    "Cards",
    "Expansion",
    "MessageRow",
    "RowCanvas",
    "RowContext",
    "Rows",
    "StateNames",
    "Tints",
]

FIRST_ROWS = 60
"""Rows of a message that are shown before 'more' is needed."""

Cards = Callable[[Document], Document]
"""Inserts the cards of extensions into a message."""


def _no_tint(_of: object) -> Style:
    return Style.null()


class Tints(Struct, frozen=True):
    """The colour of a person by id, and of a channel by its configured colour."""

    person: Callable[[int], Style] = _no_tint
    channel: Callable[[str], Style] = _no_tint
    tile: Callable[[int], Style] = _no_tint
    """Initials on a ground, both in a person's hue."""
    has_tiles: bool = False

    @classmethod
    def on(cls, ground: Ground, *, people: bool) -> Tints:
        """The tints readable on ``ground``; those of people only with ``people``."""
        return cls(
            partial(person_tint, ground) if people else _no_tint,
            partial(channel_tint, ground),
            partial(person_tile, ground),
            bool(ground.panel),
        )


class RowContext(Struct, frozen=True):
    """What to show above and below a message, which does not depend on the message itself."""

    gap: bool = False
    date: bool = False
    unread: bool = False
    conversation: bool = False
    sender: bool = True
    gap_below: str = ""
    """Why newer messages may be missing right below; empty if none are."""
    editors: tuple[int, ...] = ()
    """Ids of the users who are editing the message now."""


class Expansion(Struct, frozen=True):
    """How the user has expanded or panned a message.

    Opened spoilers, number of rows shown, columns of tables panned over, shown although it is hidden.
    """

    opened: frozenset[int] = frozenset()
    rows: int = FIRST_ROWS
    pan: int = 0
    revealed: bool = False


class MessageRow(Struct, frozen=True):
    """One row. `text` is the text of the message in it, from cell `start` on; a row with `glue` continues the one
    above, joined by `glue`. `exact`: the characters to copy in place of those of `text`, if they differ.
    """

    strip: Strip
    text: str = ""
    start: int = 0
    glue: str | None = None
    is_text: bool = False
    """Whether it is part of the message, not of its heading."""
    exact: str = ""

    def copied(self, start: int = 0, end: int | None = None) -> str:
        """What copying a part of the text yields."""
        return (self.exact or self.text)[start:end].replace(NOTHING, "")


class Rows(Struct):
    """All rows of an item. The first `lead` and the last `tail` of them do not belong to the message itself.

    `clock` is its time if none of its rows shows it: within a run of one sender. `has_code`: whether some
    rows are code. `hidden_columns`: number of its tables' columns to the right of those shown.
    """

    rows: list[MessageRow]
    lead: int
    targets: list[Target]
    cut: bool = False
    tail: int = 0
    clock: str = ""
    has_code: bool = False
    hidden_columns: int = 0

    def owns(self, row: int) -> bool:
        """Whether a row belongs to the message itself."""
        return self.lead <= row < len(self.rows) - self.tail


class RowCanvas(Protocol):
    """What rows are painted on: a size and styles. The list is one."""

    @property
    def room(self) -> Size: ...
    @property
    def base_style(self) -> Style:
        """The colours below all parts of all rows."""

    @property
    def has_focus(self) -> bool: ...
    def part_style(self, part: str) -> Style:
        """The style of a part, to be laid over `base_style`."""


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class StateNames:
    """Names from the live state; times in `zone` (None: that of the machine)."""

    def __init__(self, state: State, zone: tzinfo | None = None) -> None:
        self.state = state
        self.zone = zone

    def user(self, user_id: int) -> str | None:
        """The full name of a person."""
        user = self.state.users.get(user_id)
        return user.full_name if user is not None else None

    def group(self, group_id: int) -> str | None:
        """The name of a user group; for groups of roles, a description."""
        return group_name(self.state, group_id) if self.state.user_groups.get(group_id) is not None else None

    def channel(self, channel_id: int) -> str | None:
        """A channel's name; for a channel that is gone, its last known name."""
        return self.state.channels.last_name(channel_id)

    def is_own(self, mention: Mention) -> bool:
        """Whether a mention includes the current user."""
        if mention.kind is MentionKind.USER:
            return mention.id == self.state.me
        if mention.kind is MentionKind.GROUP:
            return mention.id is not None and self.state.user_groups.contains(mention.id, self.state.me)
        return True

    def local(self, at: float) -> datetime:
        """A timestamp as a time in the user's zone; the epoch if it is out of range."""
        return formats.local(at, self.zone)

    def clock(self, at: float) -> str:
        """Hours and minutes, in the account's time format."""
        return formats.clock(self.local(at), long=formats.has_long_clock(self.state))

    def date(self, at: float) -> str:
        """The date, short enough for a line."""
        local = self.local(at)
        return f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year}"

    def moment(self, at: float) -> str:
        return f"{self.date(at)}, {self.clock(at)}"
