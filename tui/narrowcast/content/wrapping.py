"""Breaking styled text into lines by cells, and showing some of its words in another style.

A line may break after blanks and around wide characters of scripts without blanks; a word that is wider than
the line is broken between characters, never within a grapheme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import split_graphemes
from rich.style import Style

from narrowcast.text.columns import JOINING, most_columns

__all__ = ["Line", "Run", "clip", "columns_of", "with_words_lit", "wrap", "wrap_hard"]

_CJK = (
    "\u2e80-\u2fdf\u3000-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
)
_CHUNK = 1024
_CLOSING = "、。，．！？）」』】〉》〕］｝：；ー々"
_WORD = f"[{_CJK}][{_CLOSING}]*[ ]*|[^ {_CJK}]+[ ]*|[ ]+"
"""Pattern that is compiled when the first text needs it, because its sets are large."""
_ASCII_WORD = "[^ ]+[ ]*|[ ]+"


class Run(Struct, frozen=True):
    """Safe text in one style; the style carries the meta of links. ``bar``: drawn beside the text, and never
    copied with it.
    """

    text: str
    style: Style
    bar: bool = False


class Line(Struct):
    """One row before it becomes a strip.

    `glue`: if set, the row continues the one above, and copying joins them with this text. The first `prefix`
    and the last `tail` of its runs are decoration.
    """

    runs: list[Run]
    glue: str | None = None
    prefix: int = 0
    tail: int = 0

    def indented(self, prefix: Run) -> Line:
        """The same line behind another decoration."""
        return Line([prefix, *self.runs], self.glue, self.prefix + 1, self.tail)


def _long_word(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Break positions within a word as (offset, 0), and finally (-1, cells used on the last line)."""
    cells = 0
    joins = not text.isascii() and JOINING.search(text, start, end) is not None
    while start < end:
        spans, _ = split_graphemes(text[start : min(end, start + _CHUNK)])
        if start + _CHUNK < end and len(spans) > 1:
            spans.pop()
        for begin, stop, cells_of_it in spans:
            size = most_columns(text[start + begin : start + stop]) if joins else cells_of_it
            if cells + size > width and cells > 0:
                yield start + begin, 0
                cells = 0
            cells += size
        start += spans[-1][1]
    yield -1, cells


def _breaks(text: str, width: int) -> Iterator[int]:
    """Offsets at which new lines begin, breaking at words."""
    if len(text) <= width and most_columns(text) <= width:
        return
    used = 0
    for match in re.finditer(_ASCII_WORD if text.isascii() else _WORD, text):
        start, end = match.span()
        word = match[0].rstrip(" ")
        cells = most_columns(word)
        if used + cells > width:
            if used:
                yield start
                used = 0
            if cells > width:
                for offset, now in _long_word(text, start, start + len(word), width):
                    if offset >= 0:
                        yield offset
                    used = now
                used += end - start - len(word)
                continue
        used += cells + (end - start - len(word))


def _slices(runs: list[Run], offsets: Iterator[int], trim: bool) -> Iterator[Line]:
    """`runs` split at ascending `offsets` of their joined text."""
    index, within, position = 0, 0, 0
    glue: str | None = None
    for offset in chain(offsets, (-1,)):
        line: list[Run] = []
        while index < len(runs):
            run = runs[index]
            rest = len(run.text) - within
            if offset >= 0 and position + rest > offset:
                take = offset - position
                if take:
                    line.append(Run(run.text[within : within + take], run.style))
                within += take
                position = offset
                break
            if rest:
                line.append(Run(run.text[within:], run.style) if within else run)
            position += rest
            index, within = index + 1, 0
            if position == offset:
                break
        blanks = _trim_end(line) if trim and offset >= 0 else ""
        yield Line(line, glue)
        glue = blanks


def _trim_end(line: list[Run]) -> str:
    """Removes the blanks at the end of a line, and returns them."""
    blanks = ""
    while line:
        text = line[-1].text.rstrip(" ")
        if text == line[-1].text:
            break
        last = line.pop()
        blanks += last.text[len(text) :]
        if text:
            line.append(Run(text, last.style))
            break
    return blanks


def wrap(runs: list[Run], width: int) -> Iterator[Line]:
    """`runs` as lines of at most `width` cells, broken between words."""
    text = "".join(run.text for run in runs)
    yield from _slices(runs, _breaks(text, width), True)


def wrap_hard(runs: list[Run], width: int) -> Iterator[Line]:
    """`runs` as lines of at most `width` cells, broken anywhere: for code."""
    text = "".join(run.text for run in runs)
    if len(text) <= width and most_columns(text) <= width:
        yield Line(runs)
        return
    offsets = (offset for offset, _ in _long_word(text, 0, len(text), width) if offset >= 0)
    yield from _slices(runs, offsets, False)


def columns_of(runs: Iterable[Run]) -> int:
    """The maximum number of columns that `runs` take in any terminal; wrapping uses it."""
    return sum(most_columns(run.text) for run in runs)


def clip(runs: list[Run], width: int) -> list[Run]:
    """`runs` truncated with an ellipsis to at most `width` cells."""
    cells = 0
    kept: list[Run] = []
    for run in runs:
        size = most_columns(run.text)
        if cells + size <= width:
            kept.append(run)
            cells += size
            continue
        line = next(wrap_hard([run], max(1, width - cells - 1)))
        if width - cells - 1 > 0:
            kept.extend(line.runs)
        if width - cells >= 1:
            kept.append(Run("…", run.style))
        break
    return kept


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
