"""Finding names by a few typed letters.

A query matches a name that contains it, that contains its words at the start of words in any order, or whose words
begin with its letters. The best matches come first: prefix, prefix of a word, prefixes of words in any order,
substring, first letters of words. A query without accents also matches letters with accents. The work is linear in
the length of the names for every query, so that a hostile name cannot delay a keystroke.

A name may have further text that is searched but not shown, such as other names of an emoji: in that, words have to
begin with the query, or its words, and with at least two letters of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain

from narrowcast_api.narrow.accents import folded, has_accents, without_accents

__all__ = ["SearchedNames", "best_matches", "shown_matches"]

_MAX_QUERY = 64
_FIRST_LETTERS = re.compile(r"(?<!\w)\w")


class SearchedNames:
    """Names that are searched for each letter that is typed, such as those of 20,000 people: what does not depend on
    the query is computed once. By index of the name: ``written``, another form of it, such as `#general`; ``hidden``,
    the name with the text that is only searched; ``ranks``, if not empty: of the names in which words match, those of
    a lower rank come first.
    """

    def __init__(
        self,
        names: Sequence[str],
        written: Iterable[tuple[int, str]] = (),
        hidden: Iterable[tuple[int, str]] = (),
        ranks: Sequence[int] = (),
    ) -> None:
        self._count = len(names)
        self._ranks = ranks
        self._shown = _Forms([*enumerate(names), *written])
        self._hidden = _Forms(hidden, names)

    def best(self, query: str, most: int | None = None) -> list[int]:
        """Indexes of the names that match ``query``, best first, ties in their order; all for an empty query.
        ``most``: how many of them at most.
        """
        typed = " ".join(folded(query.strip())[:_MAX_QUERY].splitlines())
        if not typed:
            return list(range(self._count))[:most]
        found: dict[int, None] = {}
        for places in self._matches(typed):
            for place in places:
                found[place] = None  # keeps the order of what was found before
                if len(found) == most:
                    return list(found)
        return list(found)

    def _matches(self, typed: str) -> Iterator[Iterable[int]]:
        """The indexes of the names that match, one iterable for each kind of match, the best first."""
        is_exact = has_accents(typed)
        shown = self._shown.of(is_exact)
        hidden = self._hidden.of(is_exact) if len(typed) > 1 else _NOTHING
        parts = [part for part in typed.split() if _FIRST_LETTERS.search(part)]  # without signs between words
        inside: list[int] = []
        at_words = (
            shown.beginning(typed),
            shown.with_word(typed, inside),
            hidden.beginning(typed),
            hidden.with_word(typed, []),
            *((shown.with_words(parts), hidden.with_words(parts)) if len(parts) > 1 else ()),
        )
        if self._ranks:
            yield sorted(dict.fromkeys(chain(*at_words)), key=self._ranks.__getitem__)
        else:
            yield from at_words
        yield inside
        letters = "".join(parts)
        if len(letters) > 1:
            yield shown.with_first_letters(letters)


class _Forms:
    """Texts to search: as they are written, and with those that differ without accents. The shortest come first, or
    those with the shortest name in ``names`` if it is given.
    """

    def __init__(self, texts: Iterable[tuple[int, str]], names: Sequence[str] | None = None) -> None:
        written = [(" ".join(folded(text).splitlines()), place) for place, text in texts]
        plain = [(without_accents(text), place) for text, place in written if not text.isascii()]
        self._written = _Texts(written, names)
        self._any = _Texts(written + plain, names) if plain else self._written

    def of(self, is_exact: bool) -> _Texts:
        """The texts for a query; ``is_exact``: it has accents itself."""
        return self._written if is_exact else self._any


class _Texts:
    """Folded texts without line breaks, and the index of the name of each; in the order of `_Forms`. They stand in one
    string, which is searched in a hundredth of the time.
    """

    def __init__(self, texts: list[tuple[str, int]], names: Sequence[str] | None = None) -> None:
        texts = sorted(texts, key=lambda text: len(text[0] if names is None else names[text[1]]))
        self._joined = "\n" + "".join(f"{text}\n" for text, _ in texts)
        self._places = [place for _, place in texts]
        self._starts = list(accumulate((len(text) + 1 for text, _ in texts), initial=1))

    def _place(self, at: int) -> int:
        return self._places[bisect_right(self._starts, at) - 1]

    def beginning(self, typed: str) -> Iterator[int]:
        """Those that begin with ``typed``, first those of which it is a whole word."""
        part_of_word: list[int] = []
        at = self._joined.find(f"\n{typed}")
        while at >= 0:
            place, end = self._place(at + 1), at + 1 + len(typed)
            if self._joined[end].isalnum():
                part_of_word.append(place)
            else:
                yield place
            at = self._joined.find(f"\n{typed}", at + 1)
        yield from part_of_word

    def with_word(self, typed: str, inside: list[int]) -> Iterator[int]:
        """Those in which a word begins with ``typed``; adds those that contain it elsewhere to ``inside``."""
        for start, end in self._containing(typed):
            if self._has_word(typed, start, end):
                yield self._place(start)
            else:
                inside.append(self._place(start))

    def with_words(self, words: Sequence[str]) -> Iterator[int]:
        """Those in which a word begins with each of ``words``."""
        joined, starts = self._joined, self._starts
        longest, *others = sorted(words, key=len, reverse=True)
        for at, end in self._containing(longest):
            index = bisect_right(starts, at) - 1
            start = starts[index]
            is_here = all(self._has_word(word, joined.find(word, start, end), end) for word in others)
            if is_here and self._has_word(longest, at, end):
                yield self._places[index]

    @cached_property
    def _first_letters(self) -> list[str]:
        return ["".join(_FIRST_LETTERS.findall(text)) for text in self._joined[1:-1].split("\n")]

    def with_first_letters(self, letters: str) -> Iterator[int]:
        """Those whose words begin with ``letters``, in their order."""
        for place, first in zip(self._places, self._first_letters, strict=False):
            if letters[0] in first and letters[-1] in first:
                following = iter(first)
                if all(letter in following for letter in letters):
                    yield place

    def _containing(self, typed: str) -> Iterator[tuple[int, int]]:
        """Where each text that contains ``typed`` does so first, and where the text ends."""
        at = self._joined.find(typed)
        while at >= 0:
            end = self._joined.index("\n", at)
            yield at, end
            at = self._joined.find(typed, end)

    def _has_word(self, typed: str, at: int, end: int) -> bool:
        """Whether a word begins with ``typed`` between ``at``, where it is found first, and ``end``."""
        while at >= 0:
            before = self._joined[at - 1]
            if not (before.isalnum() or before == "_"):
                return True
            at = self._joined.find(typed, at + 1, end)
        return False


_NOTHING = _Texts([])


def best_matches(query: str, names: Sequence[str], most: int | None = None) -> list[int]:
    """As `SearchedNames.best`, for names that are searched once."""
    return SearchedNames(names).best(query, most)


def shown_matches(query: str, name: str) -> list[tuple[int, int]]:
    """Where a name contains the query, or else all of its words: beginnings and ends, in order. Empty if it matches by
    first letters, or by what is not shown.
    """
    typed = " ".join(folded(query.lstrip("#@"))[:_MAX_QUERY].split())
    text = folded(name)
    if not has_accents(typed):
        text = without_accents(text)
    # letters such as ß become several, accents of their own become none, and both may do so in one name
    if len(text) != len(name) or any(len(folded(letter)) != 1 for letter in name):
        return []
    for words in ([typed], typed.split()):
        found = [span for word in words if word and (span := _where(word, text)) is not None]
        if found and len(found) == len(words):
            return sorted(found)
    return []


def _where(word: str, text: str) -> tuple[int, int] | None:
    """The first place of a word at the beginning of one, else the first anywhere."""
    first = at = text.find(word)
    while at > 0 and text[at - 1].isalnum():
        at = text.find(word, at + 1)
    at = first if at < 0 else at
    return (at, at + len(word)) if at >= 0 else None
