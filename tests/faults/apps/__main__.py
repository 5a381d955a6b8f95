"""Runs consecutive seeds; prints those that fail."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from pathlib import Path

from faults.apps.run import any_acts, run


def main() -> int:
    """Exits with 1 if a run failed."""
    parser = argparse.ArgumentParser(
        prog="python -m faults.apps", description="Windows of three accounts that are killed and cut off."
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--acts", type=int, default=1000, help="in each run, at most (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=180.0, help="of acts, at most (default: %(default)s)"
    )
    parser.add_argument("--windows", type=int, default=4, help="default: %(default)s")
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + args.runs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                told = run(
                    Path(folder), seed, any_acts(seed, args.acts), windows=args.windows, seconds=args.seconds
                )
            except AssertionError as error:
                failed += 1
                told = str(error) or traceback.format_exc(limit=-2)
        sys.stdout.write(f"seed {seed}: {told}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{args.runs} runs from seed {args.seed}, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
