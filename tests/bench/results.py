"""Results: what was measured, against what, and whether it is within its budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

HEADINGS = ("what", "measured", "reference", "ratio", "budget", "met")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``met`` is None without a budget, for information only."""

    what: str
    measured: str
    reference: str = ""
    ratio: float | None = None
    budget: str = ""
    met: bool | None = None
    against: str = ""
    """The reference of the ratio, if there are several possible ones."""

    def cells(self) -> tuple[str, ...]:
        """The texts of the columns."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        met = "" if self.met is None else "yes" if self.met else "NO"
        return (self.what, self.measured, self.reference, ratio, self.budget, met)


def markdown(rows: Sequence[Row]) -> str:
    """Returns the table as Markdown that is also readable as plain text."""
    cells = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


def ms(seconds: float) -> str:
    """Formats seconds as milliseconds."""
    return f"{seconds * 1000:,.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"


def mb(size: float) -> str:
    """Formats bytes as megabytes."""
    return f"{size / 1e6:,.1f} MB"


def quantile(values: Sequence[float], share: float) -> float:
    """Returns the value below which ``share`` of the values are."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def work(act: Callable[[], object], times: int = 5) -> float:
    """Returns the median CPU seconds of this process for ``act``."""
    found = []
    for _ in range(times):
        start = time.process_time()
        act()
        found.append(time.process_time() - start)
    return median(found)
