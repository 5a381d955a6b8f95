"""Converts search text to a query of SQLite's full-text search, and its results to hits."""

from __future__ import annotations

import re

from msgspec import Struct

from narrowcast_api.characters import encodable

_QUOTED = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w", re.UNICODE)
_MARK = re.compile("\x02(.*?)\x03", re.DOTALL)


class SearchHit(Struct, frozen=True):
    """A matching message: `snippet` is an excerpt of its text, `marks` are the (start, end) of the matches in it."""

    message_id: int
    snippet: str
    marks: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, message_id: int, marked: str) -> SearchHit:
        """Parses text in which U+0002 and U+0003 enclose matches."""
        plain, marks, position = [], [], 0
        last = 0
        for mark in _MARK.finditer(marked):
            before = marked[last : mark.start()]
            plain += [before, mark.group(1)]
            position += len(before)
            marks.append((position, position + len(mark.group(1))))
            position += len(mark.group(1))
            last = mark.end()
        plain.append(marked[last:])
        return cls(message_id, "".join(plain), tuple(marks))


def match_expression(text: str) -> str | None:
    """Returns a query in which all words must occur, quoted ones as a phrase, and the last word may be a
    prefix. Nothing in `text` is interpreted as an operator of the query language. None if there is no word in
    it.
    """
    phrases = [
        (part.group(1) or part.group(2) or "").replace("\x00", "").replace('"', "")
        for part in _QUOTED.finditer(encodable(text))
    ]
    phrases = [phrase for phrase in phrases if _WORD.search(phrase)]
    if not phrases:
        return None
    unfinished = "" if text.endswith(('"', " ")) else "*"
    return " ".join(f'"{phrase}"' for phrase in phrases) + unfinished
