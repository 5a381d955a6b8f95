"""The user's alert words in the rows of a message."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec.structs import replace
from rich.style import Style

from narrowcast.content.wrapping import Line, Run

__all__ = ["with_words_lit"]


@lru_cache(maxsize=8)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)


def with_words_lit(line: Line, words: tuple[str, ...], style: Style) -> Line:
    """The line with ``words`` in ``style``, wherever they stand as whole words within one style."""
    if not words:
        return line
    last = len(line.runs) - line.tail
    runs: list[Run] = []
    for number, run in enumerate(line.runs):
        runs += _lit(run, _pattern(words), style) if line.prefix <= number < last else [run]
    return replace(line, runs=runs)


def _lit(run: Run, pattern: re.Pattern[str], style: Style) -> list[Run]:
    parts: list[Run] = []
    end = 0
    for found in pattern.finditer(run.text):
        parts += [Run(run.text[end : found.start()], run.style), Run(found[0], run.style + style)]
        end = found.end()
    return [part for part in (*parts, Run(run.text[end:], run.style)) if part.text] if parts else [run]
