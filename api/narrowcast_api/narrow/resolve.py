"""Resolves text that a user typed to ids: users and channels by id, name, or an unambiguous part of a name.

Pure functions: the app resolves with its state, the command line with what it fetched or cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.accents import folded, has_accents, without_accents
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.terms import Term

__all__ = [
    "HAS",
    "IS",
    "NamedChannel",
    "NamedPerson",
    "Unresolved",
    "channel_id",
    "person_id",
    "person_ids",
    "resolve",
]

IS = ("dm", "mentioned", "starred", "unread", "resolved", "followed", "muted", "alerted")
HAS = ("link", "image", "attachment", "reaction")
MAX_LISTED = 4
"""The number of names that the message about an ambiguous one lists."""
PEOPLE = frozenset({"sender", "mentions", "dm", "dm-including"})

T = TypeVar("T")


class NamedPerson(Protocol):
    """A user, as in the state or on the wire."""

    @property
    def user_id(self) -> int: ...
    @property
    def full_name(self) -> str: ...
    @property
    def email(self) -> str: ...
    @property
    def delivery_email(self) -> str | None: ...
    @property
    def is_active(self) -> bool: ...


class NamedChannel(Protocol):
    """A channel, as in the state or on the wire."""

    @property
    def channel_id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def is_archived(self) -> bool: ...


class Unresolved(InvalidInput):
    """A term that matches nothing or is ambiguous. ``user_message`` names the term and the possible values."""


def resolve(
    narrow: Narrow,
    people: Iterable[NamedPerson],
    channels: Iterable[NamedChannel],
    me: int | None,
    *,
    parts: bool = True,
) -> Narrow:
    """Returns ``narrow`` with ids for all users and channels. Raises `Unresolved`. ``me``: the current user's
    id, if known; ``parts``: whether a part of a name is enough.
    """
    everybody, named_channels = list(people), list(channels)
    return Narrow(tuple(_resolved(term, everybody, named_channels, me, parts) for term in narrow.terms))


def _resolved(
    term: Term, people: Sequence[NamedPerson], channels: Sequence[NamedChannel], me: int | None, parts: bool
) -> Term:
    operand = term.operand
    if not isinstance(operand, str):
        return term
    if term.operator in ("is", "has"):
        filters = IS if term.operator == "is" else HAS
        if operand.removesuffix("s") not in filters and operand not in filters:
            raise Unresolved(f"There is no filter {term.operator}:{operand}. Known: {', '.join(filters)}.")
    if term.operator == "channel":
        return Term(term.operator, channel_id(operand, channels, parts=parts), term.negated)
    if term.operator in ("sender", "mentions"):
        return Term(term.operator, person_id(operand, people, me, parts=parts), term.negated)
    if term.operator in PEOPLE:
        ids = frozenset(person_ids(operand, people, me, parts=parts))
        return Term(term.operator, ids - {me}, term.negated)
    return term


def person_ids(
    text: str, people: Sequence[NamedPerson], me: int | None = None, *, parts: bool = True
) -> Iterator[int]:
    """Resolves names separated by commas like `person_id`; a text with a comma is one name if a user has that
    name.
    """
    if "," in text and any(user.full_name.casefold() == text.strip().casefold() for user in people):
        yield person_id(text, people, me, parts=parts)
        return
    for name in filter(None, (part.strip() for part in text.split(","))):
        yield person_id(name, people, me, parts=parts)


def person_id(text: str, people: Iterable[NamedPerson], me: int | None = None, *, parts: bool = True) -> int:
    """Resolves 'me', ``name|id``, id, address, full name, or a part of a name that only one user has; active
    users before deactivated ones. Raises `Unresolved`, which names the candidates.

    ``parts``: whether a part of a name is enough. Without it, what a text means does not change when others join or
    change their names, except to an error.
    """
    name, everybody = text.strip().removeprefix("@").casefold(), list(people)
    if not name:
        raise Unresolved("Enter the name of a user.")
    if name == "me" and me is not None:
        return me
    by_id = [user for user in everybody if _is_written(name, user, parts)]
    if by_id and parts:
        return by_id[0].user_id
    for active in (True, False):
        group = [user for user in everybody if user.is_active is active]
        found = [user for user in group if name in _addresses(user)]
        if not parts:
            found += [user for user in group if user.full_name.casefold() == name]
            found += [user for user in by_id if user.is_active is active]
        elif not found:
            found = _matching(name, group, lambda user: user.full_name)
        matches = {user.user_id: user for user in found}
        if len(matches) == 1:
            return next(iter(matches))
        if matches:
            raise Unresolved(f"Several users match {text.strip()!r}: {_listed_users(matches.values())}.")
    if name.isdecimal():
        return int(name)  # a user whom the current user cannot see
    raise _no_match("user", text, "" if parts else _listed_users(_similar(name, everybody)))


def _is_written(name: str, user: NamedPerson, parts: bool) -> bool:
    """Whether a text is a user's id, or a name and this id; the name counts where no part of one is enough."""
    before, _, number = name.rpartition("|")
    return number == str(user.user_id) and (parts or before in ("", user.full_name.casefold()))


def _addresses(user: NamedPerson) -> tuple[str, str]:
    return user.email.casefold(), (user.delivery_email or "").casefold()


def _similar(name: str, everybody: Sequence[NamedPerson]) -> list[NamedPerson]:
    """The users whom a text might mean, active ones first."""
    before, bar, _ = name.rpartition("|")
    groups = ([user for user in everybody if user.is_active is active] for active in (True, False))
    matches = (_matching(before if bar else name, group, lambda user: user.full_name) for group in groups)
    return next(filter(None, matches), [])


def _listed_users(users: Iterable[NamedPerson]) -> str:
    return _listed(f"{user.full_name}|{user.user_id}" for user in users)


def _no_match(kind: str, text: str, candidates: str) -> Unresolved:
    exactly = f" exactly; candidates: {candidates}" if candidates else ""
    return Unresolved(f"No {kind} matches {text.strip()!r}{exactly}.")


def channel_id(text: str, channels: Iterable[NamedChannel], *, parts: bool = True) -> int:
    """Resolves a name, id, or part of a name that only one channel has; active channels before archived ones.

    Raises `Unresolved`, which names the candidates. ``parts``: whether a part of a name is enough.
    """
    name, known = text.strip().removeprefix("#").casefold(), list(channels)
    if not name:
        raise Unresolved("Enter the name of a channel.")

    def similar(ones: Sequence[NamedChannel]) -> list[NamedChannel]:
        return _matching(name, ones, lambda one: one.name)

    def named(ones: Sequence[NamedChannel]) -> list[NamedChannel]:
        return [one for one in ones if one.name.casefold() == name]

    def with_id(ones: Sequence[NamedChannel]) -> list[NamedChannel]:
        return [one for one in ones if str(one.channel_id) == name]

    groups = [[one for one in known if one.is_archived is archived] for archived in (False, True)]
    finders = (named, with_id, similar) if parts else (lambda ones: [*named(ones), *with_id(ones)],)
    for matches in (find(group) for find in finders for group in groups):
        if len(matches) == 1:
            return matches[0].channel_id
        if matches:
            raise Unresolved(f"Several channels match {text.strip()!r}: {_listed_channels(matches)}.")
    if name.isdecimal():
        return int(name)
    candidates = [] if parts else next(filter(None, map(similar, groups)), [])
    raise _no_match("channel", text, _listed_channels(candidates))


def _listed_channels(channels: Iterable[NamedChannel]) -> str:
    return _listed("#" + one.name for one in channels)


def _matching(text: str, things: Sequence[T], name: Callable[[T], str]) -> list[T]:
    """The things with that name, else those with it as a word, else those whose name or a word of it starts
    with it, else those whose name contains it. A text without accents also stands for letters with them.
    """
    tests: tuple[Callable[[str], bool], ...] = (
        lambda one: one == text,
        lambda one: text in one.split(),
        lambda one: one.startswith(text) or any(word.startswith(text) for word in one.split()),
        lambda one: text in one,
    )
    forms: list[Callable[[str], str]] = [str.casefold]
    if not has_accents(text):
        forms.append(lambda one: without_accents(folded(one)))
    for form in forms:
        for test in tests:
            matches = [thing for thing in things if test(form(name(thing)))]
            if matches:
                return matches
    return []


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - MAX_LISTED
    return ", ".join(listed[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
