"""Runs histories: python -m simulation [--app] [--first N] [--count N] [--seconds S] [--state FILE]

Prints the seeds that fail, and shrinks each. With --state the next run continues where this one stopped.
Exits with 1 if a history failed.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from pathlib import Path

from simulation.history import Report
from simulation.running import run, shrunk
from simulation.window import Window


def main() -> int:
    """Runs the histories that the arguments select."""
    parser = argparse.ArgumentParser(prog="python -m simulation", description="Random histories from seeds.")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=3600.0, help="stop after so long (default: %(default)s)"
    )
    parser.add_argument("--app", action="store_true", help="windows are apps, with their screens")
    parser.add_argument("--state", type=Path, help="file that keeps the next seed")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    first = int(args.state.read_text()) if args.state and args.state.exists() else args.first
    kind = _app_window() if args.app else Window
    end = time.monotonic() + args.seconds
    done: list[Report] = []
    failed = 0
    for seed in range(first, first + args.count):
        if time.monotonic() > end:
            break
        report = run(seed, kind=kind)
        done.append(report)
        if report.problems:
            failed += 1
            _tell(report, kind)
        if args.state:
            args.state.write_text(str(seed + 1))
    acts, messages, faults, crashes = (
        sum(getattr(report, name) for report in done) for name in ("acts", "messages", "faults", "crashes")
    )
    _say(
        f"{len(done)} histories from seed {first}: {acts} acts, {messages} messages, {faults} faults of the network, "
        f"{crashes} crashes; {failed} failed"
    )
    return 1 if failed else 0


def _app_window() -> type[Window]:
    """Returns the class of windows with a screen, whose framework takes a while to load."""
    from simulation.app_window import AppWindow

    return AppWindow


def _tell(report: Report, kind: type[Window]) -> None:
    _say(f"seed {report.seed}:", *(f"  {problem}" for problem in report.problems))
    _say("  as few acts as still fail:", *(f"    {act}" for act in shrunk(report.seed, kind=kind)))


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
