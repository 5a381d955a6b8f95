"""Runs every test file in a process of its own: ``make test-alone``.

A file that passes only behind others depends on what they left in the process. Arguments are test files or folders
instead of all, or options of pytest. Four files run at a time, the largest first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).parents[1]
AT_A_TIME = 4
SECONDS = 1800
"""Seconds after which a file that hangs is ended."""
NO_TESTS = 5
"""pytest's exit code if no test was selected."""


def files(places: Sequence[str]) -> list[Path]:
    """The test files in these files and folders, the largest first."""
    found: set[Path] = set()
    for place in map(Path, places or [str(ROOT / "tests")]):
        found.update(place.rglob("test_*.py") if place.is_dir() else [place])
    return sorted(found, key=lambda file: -file.stat().st_size)


def problem(file: Path, options: Sequence[str]) -> str:
    """The output of a file that failed; empty if it passed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(file.resolve())]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s"
    return "" if ran.returncode in (0, NO_TESTS) else ran.stdout + ran.stderr


def main(arguments: Sequence[str]) -> int:
    """Returns 1 if a file failed."""
    options = [text for text in arguments if text.startswith("-")]
    chosen = files([text for text in arguments if not text.startswith("-")])
    failed: list[str] = []
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        running = {pool.submit(problem, file, options): file for file in chosen}
        for done in as_completed(running):
            name, output = str(running[done].resolve().relative_to(ROOT)), done.result()
            if output:
                failed.append(name)
                sys.stdout.write(f"{output}\n{name}: failed alone\n")
                sys.stdout.flush()
    sys.stdout.write("\n".join([f"{len(chosen)} files, {len(failed)} failed alone", *sorted(failed)]) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
