"""What a person typed, in terms of ids: people and channels by id, name, or a part of a name that only one has.

Pure: the app resolves against its state, the command line against what it fetched or has cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.terms import Term

__all__ = [
    "HAS",
    "IS",
    "NamedChannel",
    "Person",
    "Unresolved",
    "channel_id",
    "person_id",
    "person_ids",
    "resolve",
]

IS = ("dm", "mentioned", "starred", "unread", "resolved", "followed", "muted", "alerted")
HAS = ("link", "image", "attachment", "reaction")
NAMED = 4
"""Names that an ambiguous one is explained with."""
PEOPLE = frozenset({"sender", "dm", "dm-including"})

T = TypeVar("T")


class Person(Protocol):
    """Somebody, as the state and the wire have them."""

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
    """A channel, as the state and the wire have it."""

    @property
    def channel_id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def is_archived(self) -> bool: ...


class Unresolved(InvalidInput):
    """A term that means nothing here, or several things. ``user_message`` says which and what there is."""


def resolve(
    narrow: Narrow, people: Iterable[Person], channels: Iterable[NamedChannel], me: int | None
) -> Narrow:
    """``narrow`` with ids for all people and channels. Raises `Unresolved`. ``me``: one's own id, where known."""
    everybody, named_channels = list(people), list(channels)
    return Narrow(tuple(_resolved(term, everybody, named_channels, me) for term in narrow.terms))


def _resolved(term: Term, people: Sequence[Person], channels: Sequence[NamedChannel], me: int | None) -> Term:
    operand = term.operand
    if not isinstance(operand, str):
        return term
    if term.operator in ("is", "has"):
        filters = IS if term.operator == "is" else HAS
        if operand.removesuffix("s") not in filters and operand not in filters:
            raise Unresolved(f"There is no filter {term.operator}:{operand}. Known: {', '.join(filters)}.")
    if term.operator == "channel":
        return Term(term.operator, channel_id(operand, channels), term.negated)
    if term.operator == "sender":
        return Term(term.operator, person_id(operand, people, me), term.negated)
    if term.operator in PEOPLE:
        return Term(term.operator, frozenset(person_ids(operand, people, me)) - {me}, term.negated)
    return term


def person_ids(
    text: str, people: Sequence[Person], me: int | None = None, *, parts: bool = True
) -> Iterator[int]:
    """A list of names, as `person_id` has each; one that has a comma in it is one name where somebody has it."""
    if "," in text and any(user.full_name.casefold() == text.strip().casefold() for user in people):
        yield person_id(text, people, me, parts=parts)
        return
    for name in filter(None, (part.strip() for part in text.split(","))):
        yield person_id(name, people, me, parts=parts)


def person_id(text: str, people: Iterable[Person], me: int | None = None, *, parts: bool = True) -> int:
    """By 'me', ``name|id``, id, address, full name, or a part of a name that one alone has; those who are here before
    those who left. Raises `Unresolved`. ``parts``: whether less than a word of a name is enough.
    """
    name, everybody = text.strip().removeprefix("@").casefold(), list(people)
    if not name:
        raise Unresolved("A user is missing.")
    if name == "me" and me is not None:
        return me
    number = name.rpartition("|")[2]
    if number.isdecimal() and any(str(user.user_id) == number for user in everybody):
        return int(number)
    for active in (True, False):
        group = [user for user in everybody if user.is_active is active]
        same = [
            user for user in group if name in (user.email.casefold(), (user.delivery_email or "").casefold())
        ]
        matches = same or _matching(name, group, lambda user: user.full_name, parts)
        if len({user.user_id for user in matches}) == 1:
            return matches[0].user_id
        if matches:
            raise Unresolved(
                f"Several users match {text.strip()!r}: {_listed(f'{u.full_name}|{u.user_id}' for u in matches)}."
            )
    if name.isdecimal():
        return int(name)  # somebody of whom one has not been told
    raise Unresolved(f"No user matches {text.strip()!r}.")


def channel_id(text: str, channels: Iterable[NamedChannel], *, parts: bool = True) -> int:
    """By name, id, or a part of a name that one channel alone has; those in use before those that are archived.

    Raises `Unresolved`. ``parts``: as above.
    """
    name, known = text.strip().removeprefix("#").casefold(), list(channels)
    if not name:
        raise Unresolved("A channel is missing.")
    finders: list[Callable[[Sequence[NamedChannel]], list[NamedChannel]]] = [
        lambda ones: [one for one in ones if one.name.casefold() == name],
        lambda ones: [one for one in ones if str(one.channel_id) == name],
    ]
    if parts:
        finders.append(lambda ones: _matching(name, ones, lambda one: one.name))
    groups = [[one for one in known if one.is_archived is archived] for archived in (False, True)]
    for matches in (find(group) for find in finders for group in groups):
        if len(matches) == 1:
            return matches[0].channel_id
        if matches:
            raise Unresolved(
                f"Several channels match {text.strip()!r}: {_listed('#' + one.name for one in matches)}."
            )
    if name.isdecimal():
        return int(name)
    raise Unresolved(f"No channel matches {text.strip()!r}.")


def _matching(text: str, things: Sequence[T], name: Callable[[T], str], parts: bool = True) -> list[T]:
    """Those of that name, else those with a word of it, else those with a word or a name that begins so, else those
    that have it anywhere.
    """
    tests: tuple[Callable[[str], bool], ...] = (
        lambda one: one == text,
        lambda one: text in one.split(),
        lambda one: one.startswith(text) or any(word.startswith(text) for word in one.split()),
        lambda one: text in one,
    )
    for test in tests if parts else tests[:2]:
        matches = [thing for thing in things if test(name(thing).casefold())]
        if matches:
            return matches
    return []


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - NAMED
    return ", ".join(listed[:NAMED]) + (f" and {more} more" if more > 0 else "")
