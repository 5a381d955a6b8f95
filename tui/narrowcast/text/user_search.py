"""Finding users by a few typed letters of their name, their email address, or the profile fields chosen for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from narrowcast.text.matching import SearchedNames
from narrowcast.text.profile_values import value_text
from narrowcast_api.narrow.accents import folded

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.resources.profile_fields import ProfileField
    from narrowcast_api.state.state import State
    from narrowcast_api.state.users import Users

__all__ = ["SearchedPeople", "people", "search_text"]


def search_text(state: State, user: User) -> str:
    """What a user is found by besides the name: email addresses, and values of the profile fields chosen for it."""
    values = _values(state, user, _fields(state)) if user.profile else ()
    return " ".join(dict.fromkeys((user.delivery_email or "", user.known_email, *values)))


def _fields(state: State) -> list[ProfileField]:
    return [field for field in state.profile_fields if field.use_for_user_matching]


def _values(state: State, user: User, fields: Sequence[ProfileField]) -> Iterator[str]:
    for field in fields:
        if field.id in user.profile:
            yield value_text(state, field, user.profile[field.id].value)


def _further(state: State, user: User, fields: Sequence[ProfileField]) -> str:
    """What a user is found by besides the name, each after a space."""
    text = f" {user.known_email} {user.delivery_email or ''}"
    if fields and user.profile:
        text += "".join(f" {value}" for value in _values(state, user, fields))
    return folded(text)


class SearchedPeople:
    """The active people and bots of an organization, prepared for finding them by each letter that is typed."""

    def __init__(self, state: State) -> None:
        self.users = [user for user in state.users.active() if not user.is_system_bot]
        self._further: list[str] = []
        """What each of them is found by besides the name; empty until it is needed."""
        self._mentions: tuple[tuple[str, ...], SearchedNames] | None = None

    @cached_property
    def names(self) -> SearchedNames:
        return SearchedNames([user.full_name for user in self.users])

    @cached_property
    def ambiguous(self) -> frozenset[str]:
        """The names that several of them have."""
        counts = Counter(user.full_name for user in self.users)
        return frozenset(name for name, count in counts.items() if count > 1)

    def names_and(self, others: tuple[str, ...]) -> SearchedNames:
        """The names of all, followed by other names that can be mentioned."""
        if self._mentions is None or self._mentions[0] != others:
            self._mentions = others, SearchedNames([*(user.full_name for user in self.users), *others])
        return self._mentions[1]

    def best(self, state: State, typed: str, most: int) -> list[User]:
        """At most ``most`` of them, those whose names match best first."""
        if not typed.strip():
            return self.users[:most]
        best = [self.users[place] for place in self.names.best(typed, most)]
        return best + self.otherwise(state, typed, best, most - len(best))

    def otherwise(self, state: State, typed: str, found: Sequence[User], most: int) -> list[User]:
        """At most ``most`` of those who are not ``found`` by their names: an email address, or a word of a chosen
        profile field, begins with ``typed``.
        """
        wanted = folded(typed.strip())
        if not wanted or most <= 0:
            return []
        if not self._further:
            fields = _fields(state)
            self._further = [_further(state, user, fields) for user in self.users]
        known = {user.user_id for user in found}
        begun = f" {wanted}"
        places = [place for place, text in enumerate(self._further) if begun in text]
        return [user for place in places if (user := self.users[place]).user_id not in known][:most]


_prepared: WeakKeyDictionary[Users, tuple[object, SearchedPeople]] = WeakKeyDictionary()


def people(state: State) -> SearchedPeople:
    """The people of an organization, prepared once until any of them changes."""
    version = state.users.revision, _fields(state)
    kept = _prepared.get(state.users)
    if kept is None or kept[0] != version:
        kept = _prepared[state.users] = version, SearchedPeople(state)
    return kept[1]
