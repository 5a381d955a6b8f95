"""How somebody is shown everywhere: the mark before their name, and whether the name is grey."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from narrowcast_api.state.presence import Availability

if TYPE_CHECKING:
    from collections.abc import Collection

    from narrowcast_api.state.state import State

__all__ = ["Standing", "of_conversation", "of_person"]


class Standing(Enum):
    """What is said about somebody before anything else; the value is the mark, in one cell."""

    ACTIVE = "●"
    IDLE = "◐"
    OFFLINE = "○"
    BOT = "⚙"
    DEACTIVATED = "×"
    GROUP = "⁂"
    """Several people: their presence is not one."""

    @property
    def mark(self) -> str:
        return self.value

    @property
    def is_present(self) -> bool:
        """Whether they are here now."""
        return self is Standing.ACTIVE

    @property
    def is_grey(self) -> bool:
        """Whether they will not answer any more."""
        return self is Standing.DEACTIVATED


_BY_AVAILABILITY = {
    Availability.ACTIVE: Standing.ACTIVE,
    Availability.IDLE: Standing.IDLE,
    Availability.OFFLINE: Standing.OFFLINE,
}


def of_person(state: State, user_id: int, now: float) -> Standing:
    """Somebody at the local UTC time ``now``. Of deactivated people no sighting counts; oneself is here."""
    user = state.users.get(user_id)
    if user is not None and not user.is_active:
        return Standing.DEACTIVATED
    if user is not None and user.is_bot:
        return Standing.BOT
    if user_id == state.me:
        return Standing.ACTIVE
    return _BY_AVAILABILITY[state.presence.of(user_id, now)]


def of_conversation(state: State, others: Collection[int], now: float) -> Standing:
    """A direct conversation with ``others``, without oneself; nobody else means notes to oneself."""
    if not others:
        return of_person(state, state.me, now)
    if len(others) > 1:
        return Standing.GROUP
    return of_person(state, next(iter(others)), now)
