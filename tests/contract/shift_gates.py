"""Checks that the tests of the ledger's statements depend on the gates: in a copy of the tree each gate of the
table is moved one level up and one down, and a test of a statement of that level must fail.

    PYTHONPATH=tests python -m contract.shift_gates          (some minutes)
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from narrowcast_api.wire.levels import Gate
from support.ledger import TESTS, ledger, proven_in

ROOT = TESTS.parent
GATES = Path("api/narrowcast_api/wire/levels.py")
SOURCES = ("api", "assets", "server", "tests", "tui")
COMPARES_NUMBERS = ("test_levels.py", "test_level_sweep.py")
"""Tests that only read the table prove nothing about its effects."""


def gates(text: str) -> Iterator[tuple[str, int]]:
    """Names and levels of the contract's gates."""
    for name, level in re.findall(r"^    ([A-Z_]+) = _row\(\s*(\d+),", text, re.MULTILINE):
        if Gate[name].value.rows and int(level):
            yield name, int(level)


def proofs(level: int) -> list[str]:
    """The tests of statements about servers that change at a level."""
    rows = [row.id for row in ledger().values() if row.server and row.level == str(level)]
    proven = proven_in(TESTS / "server")
    tests = {test for row in rows for test in proven.get(row, [])}
    return sorted(f"tests/{test}" for test in tests if not test.split("::")[0].endswith(COMPARES_NUMBERS))


def fails(copy: Path, tests: list[str]) -> bool:
    """Whether any of the tests fails in the copy."""
    path = os.pathsep.join(str(copy / source) for source in SOURCES)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    return run.returncode == 1


def main() -> int:
    """Prints a line for each gate that can be moved without a failing test; returns 1 if there is one."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for source in SOURCES:
            shutil.copytree(ROOT / source, copy / source, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, copy / name)
        table = (copy / GATES).read_text()
        for name, level in gates(table):
            for moved in (level - 1, level + 1):
                shifted = re.sub(rf"( {name} = _row\(\s*){level}\b", rf"\g<1>{moved}", table)
                (copy / GATES).write_text(shifted)
                if not fails(copy, proofs(level)):
                    missed += 1
                    sys.stdout.write(f"{name}: nobody notices {moved} for {level}\n")
        (copy / GATES).write_text(table)
    sys.stdout.write(f"{missed} gates could be moved unnoticed\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
