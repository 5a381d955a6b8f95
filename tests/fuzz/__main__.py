"""PYTHONPATH=tests python -m fuzz [--requests N] [--seed N] [--held SECONDS]

Sends random requests to a server that is recreated regularly; prints every response that is a server error, and
every request that blocked the event loop for too long. Exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from fuzz.run import PER_SERVER, run


def main() -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--held", type=float, default=0.25, help="seconds of processor time (default: %(default)s)"
    )
    options = parser.parse_args()
    faults = 0
    statuses: dict[int, int] = {}
    longest = 0.0
    for number, start in enumerate(range(0, options.requests, PER_SERVER)):
        count = min(PER_SERVER, options.requests - start)
        with tempfile.TemporaryDirectory() as folder:
            found = asyncio.run(run(Path(folder) / "data", options.seed + number, count, options.held))
        for line in found.faults:
            sys.stdout.write(f"seed {options.seed + number}: {line}\n")
        faults += len(found.faults)
        longest = max(longest, found.longest)
        for status, times in found.statuses.items():
            statuses[status] = statuses.get(status, 0) + times
        sys.stdout.flush()
    sys.stdout.write(
        f"{options.requests} requests, {faults} faults, held {longest * 1000:.0f} ms at most,"
        f" statuses {dict(sorted(statuses.items()))}\n"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
