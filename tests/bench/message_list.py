"""The message list compared to one widget per message, and to an app without messages."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from statistics import median

from bench.results import Row, mb, ms
from bench.watched import environment, python

COUNT = 2000
ROUNDS = 3
PARTS = {"mount": "show", "append": "append one to", "scroll": "scroll one row of", "memory": "memory of"}


def measure() -> list[Row]:
    """Measures each in processes of their own, alternating."""
    kinds: dict[str, list[dict[str, float]]] = {"ours": [], "widgets": [], "empty": []}
    for _ in range(ROUNDS):
        for kind, found in kinds.items():
            found.append(_run(kind))
    many = [_run("ours", 20_000) for _ in range(ROUNDS)]
    rows = []
    for part, verb in PARTS.items():
        ours, widgets, empty = (
            median(one[part] for one in kinds[kind]) for kind in ("ours", "widgets", "empty")
        )
        large = median(one[part] for one in many)
        shown = mb if part == "memory" else ms
        rows.append(
            Row(
                f"{verb} {COUNT:,} messages (20,000: {shown(large)})",
                shown(ours),
                f"a widget each {shown(widgets)}; none {shown(empty)}",
                ours / widgets,
                "< 1",
                ours < widgets,
            )
        )
    return rows


def _run(kind: str, count: int = COUNT) -> dict[str, float]:
    env = environment(Path("/nonexistent"))
    done = subprocess.run(
        python("bench.list_apps", kind, str(count)), env=env, check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found
