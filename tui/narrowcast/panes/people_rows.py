"""The rows of the people pane, worked out from the state. Plain code without a screen."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Generator
from itertools import islice, takewhile
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from narrowcast.text import names
from narrowcast.text.presence import Standing, of_person

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["PeopleRows", "Person", "Slices"]

SLICE = 500
"""People who are looked at in one go: about a millisecond."""

FEW = 50
"""Rows up to which each is put in its place on its own."""

_ORDER = {
    standing: place
    for place, standing in enumerate((Standing.ACTIVE, Standing.IDLE, Standing.OFFLINE, Standing.BOT))
}
_Key = tuple[int, str, int]

T = TypeVar("T")
Slices = Generator[bool, None, T]
"""Work that can pause where it yields True, so that keys are answered meanwhile."""


class Person(Struct, frozen=True, gc=False):
    """One row: somebody and how present they are."""

    user_id: int
    name: str
    standing: Standing
    status: str = ""
    is_me: bool = False

    @property
    def key(self) -> _Key:
        """What rows are ordered by."""
        return _ORDER[self.standing], self.name.casefold(), self.user_id


class PeopleRows:
    """Everybody who is active, the present ones first. There may be 20,000: only who changed is looked at again."""

    def __init__(self) -> None:
        self._by_id: dict[int, Person] = {}
        self._order: list[int] = []

    def in_order(self) -> list[Person]:
        return [self._by_id[user_id] for user_id in self._order]

    def everybody(self, state: State) -> set[int]:
        """Who has a row, or may have one by now."""
        return {*self._by_id, *(user.user_id for user in state.users.active())}

    def update(self, state: Callable[[], State], ids: Collection[int], now: float) -> Slices[bool]:
        """Looks at these people again, and at who is present and may be so no longer at the time ``now``; whether a
        row is another. Until the end the rows are those from before.
        """
        changed: dict[int, Person | None] = {}
        keys: list[_Key] = []
        present = takewhile(
            lambda user_id: _ORDER[self._by_id[user_id].standing] < _ORDER[Standing.OFFLINE], self._order
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
        """Puts rows between those that stay. Keys are not kept: those of 20,000 people take 3 MB."""
        if len(keys) > FEW:
            merged = sorted([*(self._by_id[user_id].key for user_id in kept), *keys])  # of sorted runs
            kept = [user_id for *_, user_id in merged]
        else:
            for *_, user_id in keys:
                insort(kept, user_id, key=lambda other: self._by_id[other].key)
        self._order = kept


def _row(state: State, user_id: int, now: float) -> Person | None:
    """The row of somebody; None for who has none."""
    user = state.users.get(user_id)
    if user is None or not user.is_active or user.is_system_bot:
        return None
    status = state.statuses.get(user_id)
    said = names.status(status) if status is not None else ""
    return Person(user_id, user.full_name, of_person(state, user_id, now), said, user_id == state.me)
