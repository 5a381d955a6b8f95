"""The look of a person's presence: the mark before the name, and whether the name is grey."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from narrowcast_api.state.presence import Availability

if TYPE_CHECKING:
    from collections.abc import Collection

    from narrowcast_api.state.state import State

__all__ = ["PresenceStatus", "of_conversation", "of_person"]


class PresenceStatus(Enum):
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
        return self is PresenceStatus.ACTIVE

    @property
    def is_grey(self) -> bool:
        """Whether the account is deactivated, so that nobody will answer."""
        return self is PresenceStatus.DEACTIVATED


_BY_AVAILABILITY = {
    Availability.ACTIVE: PresenceStatus.ACTIVE,
    Availability.IDLE: PresenceStatus.IDLE,
    Availability.OFFLINE: PresenceStatus.OFFLINE,
}


def of_person(state: State, user_id: int, now: float) -> PresenceStatus:
    """A person's presence at the local UTC time ``now``. Deactivated people have none; the current user is
    active, or in invisible mode offline, as others see it. Whoever is away (below level 148) is offline.
    """
    user = state.users.get(user_id)
    if user is not None and not user.is_active:
        return PresenceStatus.DEACTIVATED
    if user is not None and user.is_bot:
        return PresenceStatus.BOT
    status = state.statuses.get(user_id)
    if status is not None and status.away:
        return PresenceStatus.OFFLINE
    if user_id == state.me:
        shown = state.settings.flag("presence_enabled", True)
        return PresenceStatus.ACTIVE if shown else PresenceStatus.OFFLINE
    return _BY_AVAILABILITY[state.presence.of(user_id, now)]


def of_conversation(state: State, others: Collection[int], now: float) -> PresenceStatus:
    """The presence of a direct conversation with ``others`` (without the current user); none are notes to oneself."""
    if not others:
        return of_person(state, state.me, now)
    if len(others) > 1:
        return PresenceStatus.GROUP
    return of_person(state, next(iter(others)), now)
