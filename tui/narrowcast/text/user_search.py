"""Finding users by a few typed letters of their name, their email address, or the profile fields chosen for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from narrowcast.text.matching import best_matches
from narrowcast.text.profile_values import value_text
from narrowcast_api.narrow.accents import folded

if TYPE_CHECKING:
    from narrowcast_api.model.profile_fields import ProfileField
    from narrowcast_api.model.users import User
    from narrowcast_api.state.state import State

__all__ = ["best_users", "found_otherwise", "search_text"]


def search_text(state: State, user: User) -> str:
    """What a user is found by besides the name: email addresses, and values of the profile fields chosen for it."""
    values = _values(state, user, _fields(state)) if user.profile else ()
    return " ".join((user.delivery_email or "", user.email, *values))


def _fields(state: State) -> list[ProfileField]:
    return [field for field in state.profile_fields if field.use_for_user_matching]


def _values(state: State, user: User, fields: Iterable[ProfileField]) -> Iterator[str]:
    for field in fields:
        if field.id in user.profile:
            yield value_text(state, field, user.profile[field.id].value)


def best_users(state: State, typed: str, users: Sequence[User], most: int) -> list[User]:
    """At most ``most`` of the users, those whose names match best first."""
    best = [users[place] for place in best_matches(typed, [user.full_name for user in users])[:most]]
    return best + found_otherwise(state, typed, users, best, most - len(best))


def found_otherwise(
    state: State, typed: str, users: Iterable[User], found: Iterable[User], most: int
) -> list[User]:
    """At most ``most`` of the users who are not ``found`` by their names: an email address, or a word of a chosen
    profile field, begins with ``typed``.
    """
    wanted = folded(typed.strip())
    if not wanted or most <= 0:
        return []
    known = {user.user_id for user in found}
    fields = _fields(state)

    def matches(user: User) -> bool:
        if user.email.lower().startswith(wanted) or (user.delivery_email or "").lower().startswith(wanted):
            return True
        if not fields or not user.profile:
            return False
        return any(f" {wanted}" in f" {folded(value)}" for value in _values(state, user, fields))

    others: list[User] = []
    for user in users:
        if matches(user) and user.user_id not in known:
            others.append(user)
            if len(others) == most:
                break
    return others
