"""The ratios of an earlier run, kept beside the results: a ratio that got worse by a quarter fails the run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.results import Row

PATH = Path(__file__).with_name("RATIOS.json")
_FIGURE = re.compile(r"[\d.,]+ (?:ms|MB)\b")
WORSE = 1.25
"""Times as much as was kept is worse; less is noise of the machine."""


def key_of(row: Row) -> str:
    """What is compared: the figure and what it is measured against, without the numbers of one run."""
    return f"{_FIGURE.sub('…', row.what.strip())} / {row.against or 'yardstick'}"


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """The ratios of a run by what they compare."""
    return {key_of(row): round(row.ratio, 3) for row in rows if row.ratio is not None}


def worse(rows: Sequence[Row], kept: Mapping[str, float]) -> list[str]:
    """What got worse by a quarter or more, in words."""
    return [
        f"{name}: {ratio:.2f}, kept {kept[name]:.2f}"
        for name, ratio in ratios(rows).items()
        if name in kept and ratio >= kept[name] * WORSE and kept[name] > 0
    ]


def load(path: Path = PATH) -> dict[str, float]:
    """What was kept; nothing where no run was."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def keep(rows: Sequence[Row], path: Path = PATH) -> None:
    """Keeps the ratios of a run, and of earlier ones those that this run did not measure."""
    both = {**load(path), **ratios(rows)}
    path.write_text(json.dumps(both, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
