"""Stored ratios of an earlier run: a ratio that got worse by a quarter fails the run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.results import Row

PATH = Path(__file__).with_name("RATIOS.json")
_FIGURE = re.compile(r"[\d.,]+ (?:ms|MB)\b")
WORSE = 1.25
"""A ratio is worse if it is more than this many times the stored one; less is noise."""


def key_of(row: Row) -> str:
    """Returns what a ratio compares: the figure and its reference, without the numbers of the run."""
    return f"{_FIGURE.sub('…', row.what.strip())} / {row.against or 'reference'}"


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """Returns the ratios of a run by what they compare."""
    return {key_of(row): round(row.ratio, 3) for row in rows if row.ratio is not None}


def worse(rows: Sequence[Row], kept: Mapping[str, float]) -> list[str]:
    """Describes what got worse by a quarter or more."""
    return [
        f"{name}: {ratio:.2f}, kept {kept[name]:.2f}"
        for name, ratio in ratios(rows).items()
        if name in kept and ratio >= kept[name] * WORSE and kept[name] > 0
    ]


def load(path: Path = PATH) -> dict[str, float]:
    """Returns the stored ratios; empty without an earlier run."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def keep(rows: Sequence[Row], path: Path = PATH) -> None:
    """Stores the ratios of a run, and keeps the earlier ones that this run did not measure."""
    both = {**load(path), **ratios(rows)}
    path.write_text(json.dumps(both, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
