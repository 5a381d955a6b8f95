"""Mutation testing: changes conditions, comparisons and constants one at a time and lists the changes that no
test notices: `make mutate`.

    make mutate MUTATE_ARGS="server/narrowcast_server/rules --sample 20"

Without paths, mutates the files changed since the main branch; with --since, only lines that are newer than
that commit. Each change is made in a copy of the project, and the tests that import the file, directly or in
one step, run against the copy until one fails. If no test imports the file, as with the server's rules, which
are tested by requests, all tests of its package run, or those of --tests. A change that no test notices is a
survivor: add a test for it, or explain why it changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from affected import changed_files, tests_of
from structure import PACKAGES, ROOT, arrows, modules

TIMES_AS_LONG = 8.0
"""A run may take this many times as long as without a change, and `SECONDS` more: after that it counts as
noticed, since the change caused an endless loop.
"""
SECONDS = 30.0

WHOLE = {
    "narrowcast_server": ["tests/attacks", "tests/server", "tests/contract"],
    "narrowcast_api": ["tests/api"],
    "narrowcast": ["tests/tui"],
}
"""The tests of a package, for files that no test imports."""

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True)
class Mutant:
    """One changed file."""

    path: Path
    line: int
    what: str
    source: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Returns all changes of a file, each alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    declared = {  # such as frozen=True, slots=True of a class: tests cannot notice them
        id(node)
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for part in (*owner.keywords, *owner.decorator_list)
        for node in ast.walk(part)
    }
    for number, node in enumerate(ast.walk(tree)):
        changed = _changed(node)
        if changed is not None and id(node) not in declared:
            line = getattr(node, "lineno", 0)
            what = f"{ast.unparse(node)[:70]}  ->  {ast.unparse(changed)[:70]}"
            yield Mutant(path, line, what, ast.unparse(_Replacement(number, changed).applied(tree)))


def _changed(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Compare(ops=[operator], left=left, comparators=comparators):
            return ast.Compare(left, [_OPPOSITE[type(operator)]()], comparators)
        case ast.BoolOp(op=ast.And(), values=values):
            return ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return ast.BoolOp(ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool() as value):
            return ast.Constant(not value)
        case ast.Constant(value=int() as value):
            return ast.Constant(value + 1)
    return None


class _Replacement:
    """Replaces the node with a number, counted as `ast.walk` does."""

    def __init__(self, number: int, node: ast.expr) -> None:
        self._number = number
        self._node = node

    def applied(self, tree: ast.Module) -> ast.Module:
        changed = copy.deepcopy(tree)
        target = next(node for number, node in enumerate(ast.walk(changed)) if number == self._number)
        for parent in ast.walk(changed):
            for name, value in ast.iter_fields(parent):
                if value is target:
                    setattr(parent, name, self._node)
                elif isinstance(value, list):
                    setattr(parent, name, [self._node if item is target else item for item in value])
        return ast.fix_missing_locations(changed)


class AlreadyFails(SystemExit):
    """Tests fail without any change, so they cannot notice one. Ends the run with this message."""


class Copy:
    """A copy of the project in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
        roots = [folder / path.relative_to(ROOT).parent for path in PACKAGES.values()]
        self._env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, roots)),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._limits: dict[tuple[str, ...], float] = {}

    def notices(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether a test fails with the change. Raises AlreadyFails if one fails without it."""
        limit = self._limits.get(tuple(tests)) or self._measured(tests)
        place = self._folder / mutant.path.relative_to(ROOT)
        original = place.read_text(encoding="utf-8")
        place.write_text(mutant.source, encoding="utf-8")
        try:
            return not self._pass(tests, limit)
        finally:
            place.write_text(original, encoding="utf-8")

    def _measured(self, tests: list[str]) -> float:
        """Returns the time limit of the tests in seconds, from the time that they take without a change."""
        began = time.monotonic()
        if not self._pass(tests, None):
            raise AlreadyFails(f"these tests fail without a change: {' '.join(tests)}")
        limit = self._limits[tuple(tests)] = SECONDS + TIMES_AS_LONG * (time.monotonic() - began)
        return limit

    def _pass(self, tests: list[str], limit: float | None) -> bool:
        """Whether the tests pass on the current copy, within this many seconds."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        if not all(test.endswith(".py") for test in tests):
            command += ["--numprocesses", "auto", "--dist", "loadfile"]
        try:
            ran = subprocess.run(
                command, cwd=self._folder, env=self._env, capture_output=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return ran.returncode == 0


def lines_since(commit: str, path: Path) -> set[int]:
    """Returns the lines of a committed file that are new or differ since a commit; moved lines do not count."""
    command = ["git", "blame", "-s", "-M", "-C", f"{commit}..", "--", str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    return {number for number, line in enumerate(lines, start=1) if not line.startswith("^")}


def tests_near(path: Path) -> list[str]:
    """Returns the tests that import a file, or else one that imports it, or else those of its package."""
    names = {name for name, known in modules().items() if known == path}
    found = tests_of(names)
    if not found:
        graph = arrows()
        found = tests_of({name for name, targets in graph.items() if targets & names})
    near = sorted(str(test.relative_to(ROOT)) for test in found)
    return near or WHOLE.get(path.relative_to(ROOT).parts[1], ["tests"])


def main() -> int:
    """Tries the changes; returns 1 if one survived."""
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument(
        "paths", nargs="*", type=Path, help="files or folders (default: what changed since main)"
    )
    parser.add_argument("--sample", type=int, default=0, help="try so many of the changes, chosen by --seed")
    parser.add_argument("--since", metavar="COMMIT", help="try only changes of lines that are newer than it")
    parser.add_argument("--tests", nargs="+", help="run these tests instead of those near the file")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    product = set(modules().values())
    named = [p for path in args.paths for p in ([path] if path.is_file() else sorted(path.rglob("*.py")))]
    files = [path.resolve() for path in named] or sorted(changed_files() & product)
    found = [mutant for path in files if path in product for mutant in mutants(path)]
    if args.since:
        newer = {path: lines_since(args.since, path) for path in files}
        found = [mutant for mutant in found if mutant.line in newer[mutant.path]]
    if args.sample and args.sample < len(found):
        found = sorted(Random(args.seed).sample(found, args.sample), key=lambda m: (m.path, m.line))
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        project = Copy(Path(folder) / "project")
        for mutant in found:
            noticed = project.notices(mutant, args.tests or tests_near(mutant.path))
            survivors += not noticed
            mark = "noticed " if noticed else "SURVIVED"
            sys.stdout.write(f"{mark} {mutant.path.relative_to(ROOT)}:{mutant.line}  {mutant.what}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(found)} changes, {survivors} that no test near them noticed\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
