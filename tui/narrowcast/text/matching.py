"""Finding names by a few typed letters.

A query matches a name that contains its letters in order and close together, or its words in any order. The
best matches come first: equal, prefix, prefix of a word, substring, prefixes of words in any order, then
scattered letters by their distance. A query without accents also matches letters with accents. The work is
linear in the length of the names for every query, so that a hostile name cannot delay a keystroke.

A name may have further text that is searched but not shown, such as other names of an emoji: that has to contain
the query, or its words, and at least two letters of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from narrowcast_api.narrow.accents import folded, has_accents, without_accents

__all__ = ["Names", "best_matches"]

_MAX_QUERY = 64
_MAX_GAP = 8
"""Maximum characters between two letters of a query: without a limit, most long names would match any few letters."""


class Names:
    """Names that are searched for each letter that is typed, such as those of 20,000 people: what does not depend on
    the query is computed once. By index of the name: ``written``, another form of it, such as `#general`; ``hidden``,
    the name with the text that is only searched.
    """

    def __init__(
        self,
        names: Sequence[str],
        written: Iterable[tuple[int, str]] = (),
        hidden: Iterable[tuple[int, str]] = (),
    ) -> None:
        self._count = len(names)
        self._shown = _Forms([*enumerate(names), *written])
        self._hidden = _Forms(hidden)

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
        yield shown.beginning(typed)
        inside: list[int] = []
        yield shown.with_word(typed, inside)
        yield hidden.beginning(typed)
        yield hidden.with_word(typed, inside)
        yield inside
        parts = typed.split()
        if len(parts) > 1:
            yield shown.with_words(parts)
            yield hidden.with_words(parts)
        letters = [letter for letter in typed if not letter.isspace()]
        if len(letters) > 1:
            yield shown.scattered(letters)


class _Forms:
    """Texts to search: as they are written, and with those that differ without accents."""

    def __init__(self, names: Iterable[tuple[int, str]]) -> None:
        written = [(" ".join(folded(name).splitlines()), place) for place, name in names]
        plain = [(without_accents(text), place) for text, place in written if not text.isascii()]
        self._written = _Texts(written)
        self._any = _Texts(written + plain) if plain else self._written

    def of(self, is_exact: bool) -> _Texts:
        """The texts for a query; ``is_exact``: it has accents itself."""
        return self._written if is_exact else self._any


class _Texts:
    """Folded texts without line breaks, and the index of the name of each; the shortest first. They stand in one
    string, which is searched in a hundredth of the time.
    """

    def __init__(self, texts: list[tuple[str, int]]) -> None:
        texts = sorted(texts, key=lambda text: len(text[0]))
        self._joined = "\n" + "".join(f"{text}\n" for text, _ in texts)
        self._places = [place for _, place in texts]
        self._starts = list(accumulate((len(text) + 1 for text, _ in texts), initial=1))

    def _place(self, at: int) -> int:
        return self._places[bisect_right(self._starts, at) - 1]

    def beginning(self, typed: str) -> Iterator[int]:
        """Those that begin with ``typed``."""
        at = self._joined.find(f"\n{typed}")
        while at >= 0:
            yield self._place(at + 1)
            at = self._joined.find(f"\n{typed}", at + 1)

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

    def scattered(self, letters: Sequence[str]) -> Iterator[int]:
        """Those that contain ``letters`` in order and close together, the closest first."""
        close, end = _scattered(letters), 0
        found: list[tuple[int, int]] = []
        while (match := close.search(self._joined, end)) is not None:
            found.append((match.end() - match.start(), self._place(match.start())))
            end = self._joined.index("\n", match.start())
        return (place for _, place in sorted(found))

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


def _scattered(letters: Sequence[str]) -> re.Pattern[str]:
    escaped = [re.escape(letter) for letter in letters]
    steps = [f"[^{letter}\n]{{0,{_MAX_GAP}}}{letter}" for letter in escaped[1:]]
    return re.compile(escaped[0] + "".join(steps))


def best_matches(query: str, names: Sequence[str], most: int | None = None) -> list[int]:
    """As `Names.best`, for names that are searched once."""
    return Names(names).best(query, most)
