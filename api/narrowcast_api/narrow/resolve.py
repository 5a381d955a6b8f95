"""What a person typed, in terms of ids: people and channels by id, name, or a part of a name that only one has.

Pure: the app resolves against its state, the command line against what it fetched or has cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.terms import Term

__all__ = ["HAS", "IS", "ChannelNames", "Person", "Unresolved", "channel_id", "person_id", "resolve"]

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


ChannelNames = Iterable[tuple[int, str]]
"""Ids and names of channels."""


class Unresolved(InvalidInput):
    """A term that means nothing here, or several things. ``user_message`` says which and what there is."""


def resolve(narrow: Narrow, people: Iterable[Person], channels: ChannelNames, me: int | None) -> Narrow:
    """``narrow`` with ids for all people and channels. Raises `Unresolved`. ``me``: one's own id, where known."""
    everybody, known = list(people), list(channels)
    return Narrow(tuple(_resolved(term, everybody, known, me) for term in narrow.terms))


def _resolved(
    term: Term, people: Sequence[Person], channels: Sequence[tuple[int, str]], me: int | None
) -> Term:
    operand = term.operand
    if not isinstance(operand, str):
        return term
    if term.operator in ("is", "has"):
        known = IS if term.operator == "is" else HAS
        if operand.removesuffix("s") not in known and operand not in known:
            raise Unresolved(f"There is no filter {term.operator}:{operand}. Known: {', '.join(known)}.")
    if term.operator == "channel":
        return Term(term.operator, channel_id(operand, channels), term.negated)
    if term.operator == "sender":
        return Term(term.operator, person_id(operand, people, me), term.negated)
    if term.operator in PEOPLE:
        return Term(term.operator, frozenset(_people(operand, people, me)) - {me}, term.negated)
    return term


def _people(text: str, people: Sequence[Person], me: int | None) -> Iterator[int]:
    """A list of names; one that has a comma in it is one name where somebody has it."""
    if "," in text and any(user.full_name.casefold() == text.strip().casefold() for user in people):
        yield person_id(text, people, me)
        return
    for name in filter(None, (part.strip() for part in text.split(","))):
        yield person_id(name, people, me)


def person_id(text: str, people: Iterable[Person], me: int | None = None, *, parts: bool = True) -> int:
    """By 'me', ``name|id``, id, address, full name, or a part of a name that one alone has; those who are here before
    those who left. Raises `Unresolved`. ``parts``: whether less than a word of a name is enough.
    """
    wanted, everybody = text.strip().removeprefix("@").casefold(), list(people)
    if not wanted:
        raise Unresolved("A user is missing.")
    if wanted == "me" and me is not None:
        return me
    number = wanted.rpartition("|")[2]
    if number.isdecimal() and any(str(user.user_id) == number for user in everybody):
        return int(number)
    for active in (True, False):
        group = [user for user in everybody if user.is_active is active]
        same = [
            user
            for user in group
            if wanted in (user.email.casefold(), (user.delivery_email or "").casefold())
        ]
        found = same or _matching(wanted, group, lambda user: user.full_name, parts)
        if len({user.user_id for user in found}) == 1:
            return found[0].user_id
        if found:
            raise Unresolved(
                f"Several users match {text.strip()!r}: {_listed(f'{u.full_name}|{u.user_id}' for u in found)}."
            )
    if wanted.isdecimal():
        return int(wanted)  # somebody of whom one has not been told
    raise Unresolved(f"No user matches {text.strip()!r}.")


def channel_id(text: str, channels: ChannelNames, *, parts: bool = True) -> int:
    """By name, id, or a part of a name that one channel alone has. Raises `Unresolved`. ``parts``: as above."""
    wanted, known = text.strip().removeprefix("#").casefold(), list(channels)
    if not wanted:
        raise Unresolved("A channel is missing.")
    exact = [one for one in known if one[1].casefold() == wanted]
    by_id = [one for one in known if str(one[0]) == wanted]
    found = exact or by_id or (_matching(wanted, known, lambda one: one[1]) if parts else [])
    if len(found) == 1:
        return found[0][0]
    if found:
        raise Unresolved(
            f"Several channels match {text.strip()!r}: {_listed('#' + one[1] for one in found)}."
        )
    if wanted.isdecimal():
        return int(wanted)
    raise Unresolved(f"No channel matches {text.strip()!r}.")


def _matching(wanted: str, things: Sequence[T], name: Callable[[T], str], parts: bool = True) -> list[T]:
    """Those of that name, else those with a word of it, else those with a word or a name that begins so, else those
    that have it anywhere.
    """
    tests: tuple[Callable[[str], bool], ...] = (
        lambda known: known == wanted,
        lambda known: wanted in known.split(),
        lambda known: known.startswith(wanted) or any(word.startswith(wanted) for word in known.split()),
        lambda known: wanted in known,
    )
    for test in tests if parts else tests[:2]:
        found = [thing for thing in things if test(name(thing).casefold())]
        if found:
            return found
    return []


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - NAMED
    return ", ".join(listed[:NAMED]) + (f" and {more} more" if more > 0 else "")
