"""Finding names by a few typed letters.

A query matches a name that holds its letters in order and near each other, or its words in any order. The best come
first: equal, prefix, prefix of a word, substring, beginnings of words in any order, then scattered letters by how close
together they are. The work is linear in the length of the name for every query, so that a hostile name cannot stall a
keystroke.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

__all__ = ["best_matches", "scorer"]

_MAX_QUERY = 64
_MAX_GAP = 8
"""Characters between two letters of a query at most: any few letters stand somewhere in a long name, in any order."""


def scorer(query: str) -> Callable[[str], tuple[int, int] | None]:
    """A function from a name to its rank for `query` (lower is better), or None if it does not match."""
    typed = query.strip().casefold()[:_MAX_QUERY]
    letters = [re.escape(letter) for letter in typed if not letter.isspace()]
    steps = [f"[^{letter}]{{0,{_MAX_GAP}}}{letter}" for letter in letters[1:]]
    scattered = re.compile((letters[0] if letters else "") + "".join(steps), re.DOTALL)
    phrase = _begun(typed)
    words = [_begun(word) for word in typed.split()]

    def score(name: str) -> tuple[int, int] | None:
        folded = name.casefold()
        if folded.startswith(typed):
            return (0, 0) if folded == typed else (1, len(folded))
        if typed in folded:
            return 2 if phrase.search(folded) else 3, len(folded)
        if len(words) > 1 and all(word.search(folded) for word in words):
            return 4, len(folded)
        close = scattered.search(folded)
        return (5, len(close[0])) if close is not None else None

    return score


def _begun(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + re.escape(words))


def best_matches(query: str, names: Iterable[str], shown: Sequence[str] | None = None) -> list[int]:
    """Indexes of the names that match `query`, best first, equals in their order; all for an empty query.

    ``shown``: what is seen of each where a name has more that is only searched, such as other names of an emoji. It
    may match better than all of it does: `heart` comes before `heart_hands` whatever else it is called.
    """
    if not query.strip():
        return list(range(len(list(names))))
    score = scorer(query)
    ranked = [(rank, index) for index, name in enumerate(names) if (rank := score(name)) is not None]
    if shown is not None:
        ranked = [(min(rank, score(shown[index]) or rank), index) for rank, index in ranked]
    ranked.sort()
    return [index for _, index in ranked]
