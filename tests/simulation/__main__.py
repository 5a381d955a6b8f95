"""Runs histories: python -m simulation [--app] [--machines] [--first N] [--count N] [--seconds S] [--state FILE]

Prints the seeds that fail, and shrinks each. With --state the next run continues where this one stopped. With
--app each history has a process of its own. Exits with 1 if a history failed. With --planted, only puts faults
back one at a time, and prints which seed finds each.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from simulation.history import History, Report
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
    parser.add_argument("--machines", action="store_true", help="several machines and a phone")
    parser.add_argument(
        "--planted", action="store_true", help="put faults back; print the seeds that find them"
    )
    parser.add_argument("--state", type=Path, help="file that keeps the next seed")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if args.planted:
        return _planted()
    history = _machines() if args.machines else History
    first = int(args.state.read_text()) if args.state and args.state.exists() else args.first
    kind = _app_window() if args.app else Window
    end = time.monotonic() + args.seconds
    done: list[Report] = []
    failed = 0
    for seed in range(first, first + args.count):
        if time.monotonic() > end:
            break
        report = _alone(seed, kind, history) if args.app else run(seed, kind=kind, history=history)
        done.append(report)
        if report.problems:
            failed += 1
            _tell(report, kind, history)
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


def _machines() -> type[History]:
    """Returns the class of histories of several machines."""
    from simulation.machines import MachinesHistory

    return MachinesHistory


def _alone(seed: int, kind: type[Window], history: type[History]) -> Report:
    """Runs a history in a process of its own, as an app is the first one in its process."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=logging.disable) as pool:
        return pool.submit(run, seed, kind=kind, history=history).result()


def _planted() -> int:
    """Prints which seed finds each planted fault; returns 1 if one is not found."""
    from simulation.planted import FAULTS, first_seed

    missing = 0
    for fault in FAULTS:
        seed = first_seed(fault)
        missing += seed is None
        _say(f"{fault.what}: {'not found' if seed is None else f'seed {seed}'}")
    return 1 if missing else 0


def _tell(report: Report, kind: type[Window], history: type[History]) -> None:
    acts = shrunk(report.seed, kind=kind, history=history)
    _say(f"seed {report.seed}:", *(f"  {problem}" for problem in report.problems))
    _say("  as few acts as still fail:", *(f"    {act}" for act in acts))


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
