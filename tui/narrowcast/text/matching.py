"""Finding names by a few typed letters.

A query matches a name that contains its letters in order and close together, or its words in any order. The
best matches come first: equal, prefix, prefix of a word, substring, prefixes of words in any order, then
scattered letters by their distance. A query without accents also matches letters with accents. The work is
linear in the length of the name for every query, so that a hostile name cannot delay a keystroke.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from narrowcast_api.narrow.accents import folded, has_accents, without_accents

__all__ = ["best_matches", "scorer"]

_MAX_QUERY = 64
_MAX_GAP = 8
"""Maximum characters between two letters of a query: without a limit, most long names would match any few letters."""


def scorer(query: str) -> Callable[[str], tuple[int, int] | None]:
    """A function from a name to its rank for `query` (lower is better), or None if it does not match."""
    typed = folded(query.strip())[:_MAX_QUERY]
    is_exact = has_accents(typed)
    letters = [re.escape(letter) for letter in typed if not letter.isspace()]
    steps = [f"[^{letter}]{{0,{_MAX_GAP}}}{letter}" for letter in letters[1:]]
    scattered = re.compile((letters[0] if letters else "") + "".join(steps), re.DOTALL)
    phrase = _begun(typed)
    words = [_begun(word) for word in typed.split()]

    def rank(text: str) -> tuple[int, int] | None:
        if text.startswith(typed):
            return (0, 0) if text == typed else (1, len(text))
        if typed in text:
            return 2 if phrase.search(text) else 3, len(text)
        if len(words) > 1 and all(word.search(text) for word in words):
            return 4, len(text)
        close = scattered.search(text)
        return (5, len(close[0])) if close is not None else None

    def score(name: str) -> tuple[int, int] | None:
        text = folded(name)
        plain = text if is_exact else without_accents(text)
        if plain == text:
            return rank(text)
        ranks = (rank(text), rank(plain))
        return min((one for one in ranks if one is not None), default=None)

    return score


def _begun(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + re.escape(words))


def best_matches(query: str, names: Iterable[str], shown: Sequence[str] | None = None) -> list[int]:
    """Indexes of the names that match `query`, best first, ties in their order; all for an empty query.

    ``shown``: the visible part of each name, if names also contain text that is only searched, such as other
    names of an emoji. The better of both matches counts: `heart` comes before `heart_hands` whatever its
    other names.
    """
    if not query.strip():
        return list(range(len(list(names))))
    score = scorer(query)
    ranked = [(rank, index) for index, name in enumerate(names) if (rank := score(name)) is not None]
    if shown is not None:
        ranked = [(min(rank, score(shown[index]) or rank), index) for rank, index in ranked]
    ranked.sort()
    return [index for _, index in ranked]
