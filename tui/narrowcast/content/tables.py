"""Tables fitted to a width: columns shrink and wrap; if that is not enough, the table can be panned.

One rule stands under the head, none between columns; columns of numbers are flush right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from rich.cells import cell_len

from narrowcast.content.blocks import Align
from narrowcast.content.palette import Palette
from narrowcast.content.wrapping import Line, Run, columns_of, wrap
from narrowcast.text.formats import counted

__all__ = ["FittedTable"]

MIN_COLUMN = 6
GAP = "  "
_NUMBER = re.compile(r"[-+−]?[\d.,\u00a0 ]*\d[\d.,]*\s?[%€$£]?")
MAX_CELL_ROWS = 300
_MEASURED_ROWS = 500

Cell = list[Run]


def _widths(rows: Sequence[Sequence[Cell]], columns: int, room: int) -> list[int]:
    """The widths of the first columns that fit into `room` together; at least one."""
    natural = [1] * columns
    for row in rows:
        for index, cell in enumerate(row[:columns]):
            natural[index] = max(natural[index], columns_of(cell))
    chosen: list[int] = []
    used = 0
    for size in natural:
        least = min(size, MIN_COLUMN)
        if chosen and used + len(GAP) + least > room:
            break
        used += least + (len(GAP) if chosen else 0)
        chosen.append(least)
    spare = room - used
    # Distribute the remaining room evenly among columns that need more, so that short columns are complete first.
    while spare > 0:
        wanting = [index for index in range(len(chosen)) if chosen[index] < natural[index]]
        if not wanting:
            break
        share = max(1, spare // len(wanting))
        for index in wanting:
            grant = min(share, natural[index] - chosen[index], spare)
            chosen[index] += grant
            spare -= grant
    return [max(1, min(size, room)) for size in chosen]


def _are_numbers(rows: Sequence[Sequence[Cell]], column: int) -> bool:
    """Whether a column has only numbers, and some."""
    texts = ["".join(run.text for run in row[column]).strip() for row in rows if column < len(row)]
    return any(texts) and all(not text or _NUMBER.fullmatch(text) for text in texts)


def _aligned(runs: list[Run], width: int, align: Align, palette: Palette) -> list[Run]:
    gap = width - sum(cell_len(run.text) for run in runs)
    if gap <= 0:
        return runs
    left = {Align.LEFT: 0, Align.RIGHT: gap, Align.CENTER: gap // 2}[align]
    blanks = [Run(" " * count, palette.text) for count in (left, gap - left)]
    return [blanks[0], *runs, blanks[1]] if left else [*runs, blanks[1]]


def _row_lines(
    row: Sequence[Cell], widths: Sequence[int], aligns: Sequence[Align], palette: Palette
) -> Iterator[Line]:
    wrapped: list[list[Line]] = []
    for cell, width in zip(row, widths, strict=False):
        lines = list(islice(wrap(cell, width), MAX_CELL_ROWS + 1))
        if len(lines) > MAX_CELL_ROWS:
            lines[MAX_CELL_ROWS:] = [Line([Run("…", palette.dim)])]
        wrapped.append(lines)
    for number in range(max((len(cell) for cell in wrapped), default=0)):
        runs: list[Run] = []
        for index, (part_lines, width) in enumerate(zip(wrapped, widths, strict=True)):
            if index:
                runs.append(Run(GAP, palette.text))
            part = part_lines[number].runs if number < len(part_lines) else []
            runs += _aligned(part, width, aligns[index], palette)
        yield Line(runs)


class FittedTable(Struct):
    """A table at most `width` cells wide, beginning `pan` columns from its left."""

    head: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    aligns: Sequence[Align]
    width: int
    pan: int
    palette: Palette
    widths: Sequence[int] = ()

    def __post_init__(self) -> None:
        self.pan = max(0, min(self.pan, len(self.aligns) - 1))
        measured = self.rows[:_MEASURED_ROWS]
        self.aligns = [
            Align.RIGHT if align is Align.LEFT and _are_numbers(measured, column) else align
            for column, align in enumerate(self.aligns)
        ]
        shown = [self.head, *measured]
        if self.aligns:
            self.widths = _widths([row[self.pan :] for row in shown], len(self.aligns) - self.pan, self.width)

    @property
    def hidden(self) -> int:
        """Number of columns hidden at the right."""
        return len(self.aligns) - self.pan - len(self.widths)

    def lines(self) -> Iterator[Line]:
        """The table's lines; if columns are hidden, a last line shows how many, and the keys to pan."""
        shown = self.aligns[self.pan : self.pan + len(self.widths)]
        if self.head and self.widths:
            yield from self._row(self.head, shown)
            yield Line([Run("─" * (sum(self.widths) + len(GAP) * (len(self.widths) - 1)), self.palette.bar)])
        for row in self.rows:
            yield from self._row(row, shown)
        if self.pan or self.hidden:
            yield from wrap([Run(self._hint(), self.palette.dim)], self.width)

    def _row(self, row: Sequence[Cell], shown: Sequence[Align]) -> Iterator[Line]:
        return _row_lines([cell[:] for cell in row[self.pan :]], self.widths, shown, self.palette)

    def _hint(self) -> str:
        left = f"[ {counted(self.pan, 'column')} to the left" if self.pan else ""
        right = f"] {counted(self.hidden, 'column')} to the right" if self.hidden else ""
        return " · ".join(filter(None, (left, right)))
