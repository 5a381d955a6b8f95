"""The look of a person's presence: the mark before the name, and whether the name is grey."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from narrowcast_api.resources.presence import Availability

if TYPE_CHECKING:
    from collections.abc import Collection

    from narrowcast_api.state.state import State

__all__ = ["PresenceMark", "conversation_sign", "of_conversation", "of_person"]


MOST_COUNTED = 99
"""Largest number of members that is shown."""


class PresenceMark(Enum):
    """The presence of a person or conversation; the value is its mark, one cell wide."""

    ACTIVE = "●"
    IDLE = "◐"
    OFFLINE = "○"
    BOT = "⚙"
    DEACTIVATED = "×"
    GROUP = "⁂"
    """Several people, who have no common presence."""

    @property
    def mark(self) -> str:
        return self.value

    @property
    def is_present(self) -> bool:
        """Whether they are here now."""
        return self is PresenceMark.ACTIVE

    @property
    def is_grey(self) -> bool:
        """Whether the account is deactivated, so that nobody will answer."""
        return self is PresenceMark.DEACTIVATED


_BY_AVAILABILITY = {
    Availability.ACTIVE: PresenceMark.ACTIVE,
    Availability.IDLE: PresenceMark.IDLE,
    Availability.OFFLINE: PresenceMark.OFFLINE,
}


def of_person(state: State, user_id: int, now: float) -> PresenceMark:
    """A person's presence at the local UTC time ``now``. Deactivated people have none; the current user is
    active, or in invisible mode offline, as others see it. Whoever is away (below level 148) is offline.
    """
    user = state.users.get(user_id)
    if user is not None and not user.is_active:
        return PresenceMark.DEACTIVATED
    if user is not None and user.is_bot:
        return PresenceMark.BOT
    status = state.statuses.get(user_id)
    if status is not None and status.away:
        return PresenceMark.OFFLINE
    if user_id == state.me:
        shown = state.settings.flag("presence_enabled", True)
        return PresenceMark.ACTIVE if shown else PresenceMark.OFFLINE
    return _BY_AVAILABILITY[state.presence.of(user_id, now)]


def of_conversation(state: State, others: Collection[int], now: float) -> PresenceMark:
    """The presence of a direct conversation with ``others`` (without the current user); none are notes to oneself."""
    if not others:
        return of_person(state, state.me, now)
    if len(others) > 1:
        return PresenceMark.GROUP
    return of_person(state, next(iter(others)), now)


def conversation_sign(state: State, others: Collection[int], now: float) -> str:
    """What stands before the name of a direct conversation: the presence of the other person, or of a group the number
    of its members; at most two cells.
    """
    presence = of_conversation(state, others, now)
    if presence is not PresenceMark.GROUP:
        return presence.mark
    return str(min(len(others) + 1, MOST_COUNTED))
