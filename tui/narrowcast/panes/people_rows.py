"""The rows of the people pane, computed from the state, without a screen."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Generator, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.text import names
from narrowcast.text.presence import PresenceMark, of_person

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["PeopleRows", "PersonRow", "Slices"]

SLICE = 500
"""Number of people processed without a pause: about a millisecond."""

FEW = 50
"""Maximum number of changed rows that are inserted one by one."""

_ORDER = {
    presence: place
    for place, presence in enumerate(
        (PresenceMark.ACTIVE, PresenceMark.IDLE, PresenceMark.OFFLINE, PresenceMark.BOT)
    )
}
_Key = tuple[int, str, int]

T = TypeVar("T")
Slices = Generator[bool, None, T]
"""Work that can pause where it yields True, so that keys are handled meanwhile."""


class PersonRow(Struct, frozen=True, gc=False):
    """One row: a person and their presence."""

    user_id: int
    name: str
    presence: PresenceMark
    status: str = ""
    is_me: bool = False
    is_here: bool = False
    """Whether they take part in the open conversation."""
    is_typing: bool = False

    @property
    def key(self) -> _Key:
        """Orders the rows, as in Zulip: by presence, then by name."""
        return _ORDER[self.presence], self.name.casefold(), self.user_id


class PeopleRows:
    """All active people, those present first. There may be 20,000, so only rows that changed are computed again."""

    def __init__(self) -> None:
        self._by_id: dict[int, PersonRow] = {}
        self._order: list[int] = []

    def in_order(self, here: Sequence[int] = (), typing: Collection[int] = ()) -> list[PersonRow]:
        """All, first those who take part in the open conversation, ``here``; ``typing``: who writes in it now."""
        first = [self._by_id[user_id] for user_id in dict.fromkeys(here) if user_id in self._by_id]
        rows = [replace(row, is_here=True, is_typing=row.user_id in typing) for row in first]
        taken = {row.user_id for row in rows}
        return [*rows, *(self._by_id[user_id] for user_id in self._order if user_id not in taken)]

    def everybody(self, state: State) -> set[int]:
        """The ids of all people who have a row, or may need one now."""
        return {*self._by_id, *(user.user_id for user in state.users.active())}

    def update(self, state: Callable[[], State], ids: Collection[int], now: float) -> Slices[bool]:
        """Updates these people, and those present, who may no longer be so at the time ``now``; returns
        whether a row changed. The rows stay as they were until the end.
        """
        changed: dict[int, PersonRow | None] = {}
        keys: list[_Key] = []
        present = takewhile(
            lambda user_id: _ORDER[self._by_id[user_id].presence] < _ORDER[PresenceMark.OFFLINE],
            self._order,
        )
        remaining = iter({*ids, *present})
        while part := list(islice(remaining, SLICE)):
            rows = {user_id: _row(state(), user_id, now) for user_id in part}
            rows = {user_id: row for user_id, row in rows.items() if row != self._by_id.get(user_id)}
            changed |= rows
            keys += sorted(row.key for row in rows.values() if row is not None)
            if len(part) == SLICE:
                yield True
        if changed:
            for user_id, row in changed.items():
                if row is not None:
                    self._by_id[user_id] = row
                else:
                    self._by_id.pop(user_id, None)
            self._place(keys, [user_id for user_id in self._order if user_id not in changed])
        return bool(changed)

    def _place(self, keys: list[_Key], kept: list[int]) -> None:
        """Inserts rows between those that stay. Their sort keys are not stored: for 20,000 people they take 3 MB."""
        if len(keys) > FEW:
            merged = sorted(
                [*(self._by_id[user_id].key for user_id in kept), *keys]
            )  # fast, as both parts are sorted
            kept = [user_id for *_, user_id in merged]
        else:
            for *_, user_id in keys:
                insort(kept, user_id, key=lambda other: self._by_id[other].key)
        self._order = kept


def _row(state: State, user_id: int, now: float) -> PersonRow | None:
    """A person's row; None for people without one."""
    user = state.users.get(user_id)
    if user is None or not user.is_active or user.is_system_bot:
        return None
    status = state.statuses.get(user_id)
    said = names.status(status, in_column=True) if status is not None else ""
    return PersonRow(user_id, user.full_name, of_person(state, user_id, now), said, user_id == state.me)
