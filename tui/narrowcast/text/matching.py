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
from collections.abc import Iterable, Iterator, Sequence

from narrowcast_api.narrow.accents import folded, has_accents, without_accents

__all__ = ["Names", "best_matches"]

_MAX_QUERY = 64
_MAX_GAP = 8
"""Maximum characters between two letters of a query: without a limit, most long names would match any few letters."""


_Text = tuple[str, int]
"""A folded text, and the index of its name."""


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
        self._shown = _Texts([*enumerate(names), *written])
        self._hidden = _Texts(hidden)

    def best(self, query: str, most: int | None = None) -> list[int]:
        """Indexes of the names that match ``query``, best first, ties in their order; all for an empty query.
        ``most``: how many of them at most.
        """
        typed = folded(query.strip())[:_MAX_QUERY]
        if not typed:
            return list(range(self._count))[:most]
        found: dict[int, None] = {}
        for places in self._matches(typed):
            found.update(dict.fromkeys(places))  # keeps the order of what was found before
            if most is not None and len(found) >= most:
                break
        return list(found)[:most]

    def _matches(self, typed: str) -> Iterator[list[int]]:
        """The indexes of the names that match, one list for each kind of match, the best first."""
        is_exact = has_accents(typed)
        shown = self._shown.of(is_exact)
        hidden = self._hidden.of(is_exact) if len(typed) > 1 else []
        begin, words, inside = _containing(typed, shown)
        yield begin
        also, words_also, inside_also = _containing(typed, hidden)
        yield words + also + words_also
        yield inside + inside_also
        parts = typed.split()
        if len(parts) > 1:
            some = [*shown, *hidden]
            for part in parts:
                begun = _begun(part)
                some = [one for one in some if part in one[0] and begun.search(one[0])]
            yield [place for _, place in some]
        letters = [letter for letter in typed if not letter.isspace()]
        if len(letters) > 1:
            close = _scattered(letters)
            for letter in set(letters):
                shown = [one for one in shown if letter in one[0]]
            found = ((close.search(text), place) for text, place in shown)
            yield [place for _, place in sorted((len(match[0]), place) for match, place in found if match)]


class _Texts:
    """Texts to search, the shortest first: as they are written, and with those that differ without accents."""

    def __init__(self, names: Iterable[tuple[int, str]]) -> None:
        written = [(folded(name), place) for place, name in names]
        plain = [(without_accents(text), place) for text, place in written if not text.isascii()]
        self._written = sorted(written, key=_length)
        self._any = sorted(written + plain, key=_length) if plain else self._written

    def of(self, is_exact: bool) -> list[_Text]:
        """The texts for a query; ``is_exact``: it has accents itself."""
        return self._written if is_exact else self._any


def _length(text: _Text) -> int:
    return len(text[0])


def _containing(typed: str, texts: Iterable[_Text]) -> tuple[list[int], list[int], list[int]]:
    """The indexes of the texts that begin with ``typed``, in which a word does, and that contain it elsewhere."""
    first: list[int] = []
    words: list[int] = []
    inside: list[int] = []
    spaced, begun = f" {typed}", _begun(typed)
    for text, place in texts:
        if typed in text:
            if text.startswith(typed):
                first.append(place)
            else:
                (words if spaced in text or begun.search(text) else inside).append(place)
    return first, words, inside


def _begun(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + re.escape(words))


def _scattered(letters: Sequence[str]) -> re.Pattern[str]:
    escaped = [re.escape(letter) for letter in letters]
    steps = [f"[^{letter}]{{0,{_MAX_GAP}}}{letter}" for letter in escaped[1:]]
    return re.compile(escaped[0] + "".join(steps), re.DOTALL)


def best_matches(query: str, names: Sequence[str], most: int | None = None) -> list[int]:
    """As `Names.best`, for names that are searched once."""
    return Names(names).best(query, most)
