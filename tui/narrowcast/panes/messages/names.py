"""What rows need besides the message: names by id, the current user, dates and times in the user's zone."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from narrowcast.content.blocks import Mention, MentionKind
from narrowcast.text import formats
from narrowcast_api.permissions import group_name

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["StateNames"]

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
