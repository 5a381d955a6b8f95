"""From exec to the first messages on screen, with a warm cache."""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median

from bench.results import Row, ms
from bench.servers import Served
from bench.watched import Watched, end, open_app, python
from support.terminal import narrowcast

ROUNDS = 9
INCUMBENT = "BENCH_INCUMBENT"
"""The variable that names the command of another client, zulip-term, to be measured in the same turns."""
INCUMBENT_MESSAGE = "▒"
"""What stands beside the first line of each of its messages."""


def first_message(app: Watched) -> str:
    """A line of the messages on the screen by which the next start is recognized."""
    for line in reversed(app.lines[:-6]):
        middle = line[30:90].strip(" ▌│·")
        if len(middle) > 12 and not middle.startswith(("──", "━━")):
            return middle
    raise AssertionError(f"no message is on the screen:\n{app.text}")


def measure(served: Served, folder: Path) -> list[Row]:
    """Both apps in turns, so that a busy machine hurts both."""
    rc = served.rc("ada")
    app = open_app(rc, folder / "home")
    known = first_message(app)
    end(app)
    incumbent = os.environ.get(INCUMBENT)
    times: dict[str, list[tuple[float, float]]] = {"app": [], "empty": [], "incumbent": []}
    for _ in range(ROUNDS):
        empty = _started(python("bench.empty_app"), folder / "empty-home", "nothing to read")
        ours = _started(narrowcast("--rc", str(rc)), folder / "home", known)
        times["empty"].append(empty)
        times["app"].append(ours)
        if incumbent:
            command = [incumbent, "--config-file", str(rc)]
            times["incumbent"].append(_started(command, folder / "incumbent-home", INCUMBENT_MESSAGE))
    rows = []
    for what, index in (("seconds", 0), ("CPU", 1)):
        app_median, yard = (median(one[index] for one in times[name]) for name in ("app", "empty"))
        ratio = median(a[index] / b[index] for a, b in zip(times["app"], times["empty"], strict=True))
        rows.append(
            Row(
                f"exec to first messages, warm cache ({what})",
                ms(app_median),
                f"empty Textual app {ms(yard)}",
                ratio,
                "<= 1.3",
                ratio <= 1.3,
            )
        )
        if incumbent:
            theirs = median(one[index] for one in times["incumbent"])
            name = f"  the same beside the incumbent ({what})"
            ahead = app_median < theirs
            rows.append(
                Row(name, ms(app_median), f"incumbent {ms(theirs)}", app_median / theirs, "< 1", ahead)
            )
    return rows


def _started(command: list[str], folder: Path, known: str) -> tuple[float, float]:
    app = Watched(command, folder)
    try:
        while known.split()[0].encode() not in app.output and app.process.poll() is None:
            app.take(5)
        app.take_until_quiet(0.7, patience=3.0)
        return app.when(lambda screen: known in screen)
    finally:
        app.kill()
        app.hang_up()
