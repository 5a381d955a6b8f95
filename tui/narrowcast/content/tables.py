"""Tables fitted to a width: columns shrink and wrap; where that does not do, one pans over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rich.cells import cell_len

from narrowcast.content.blocks import Align
from narrowcast.content.palette import Palette
from narrowcast.content.wrapping import Line, Run, wrap

__all__ = ["table_lines"]

MIN_COLUMN = 6
MAX_CELL_ROWS = 300
_MEASURED_ROWS = 500

Cell = list[Run]


def _cells(cell: Cell) -> int:
    return sum(cell_len(run.text) for run in cell)


def _widths(rows: Sequence[Sequence[Cell]], columns: int, room: int) -> list[int]:
    """A width for each of the first columns that fit into `room` together; at least one."""
    natural = [1] * columns
    for row in rows[:_MEASURED_ROWS]:
        for index, cell in enumerate(row[:columns]):
            natural[index] = max(natural[index], _cells(cell))
    chosen: list[int] = []
    used = 0
    for size in natural:
        least = min(size, MIN_COLUMN)
        if chosen and used + 3 + least > room:
            break
        used += least + (3 if chosen else 0)
        chosen.append(least)
    spare = room - used
    # Give what is left to the narrowest that want more, so that short columns are whole first.
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


def _aligned(runs: list[Run], width: int, align: Align, palette: Palette) -> list[Run]:
    gap = width - _cells(runs)
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
                runs.append(Run(" │ ", palette.bar))
            part = part_lines[number].runs if number < len(part_lines) else []
            runs += _aligned(part, width, aligns[index], palette)
        yield Line(runs)


def table_lines(
    head: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    aligns: Sequence[Align],
    width: int,
    pan: int,
    palette: Palette,
) -> Iterator[Line]:
    """The lines of a table at most `width` cells wide, beginning `pan` columns from its left.

    Where columns stay hidden a last line says how many, and which keys move.
    """
    total = len(aligns)
    if not total:
        return
    pan = min(pan, total - 1)
    everything = [[cell[:] for cell in row[pan:]] for row in ([head, *rows] if head else rows)]
    widths = _widths(everything, total - pan, width)
    shown = aligns[pan : pan + len(widths)]
    body = everything
    if head:
        yield from _row_lines(everything[0], widths, shown, palette)
        yield Line([Run("─┼─".join("─" * size for size in widths), palette.bar)])
        body = everything[1:]
    for row in body:
        yield from _row_lines(row, widths, shown, palette)
    hidden = total - pan - len(widths)
    if pan or hidden:
        yield from wrap([Run(f"{pan} columns left, {hidden} right: [ and ] move", palette.dim)], width)
