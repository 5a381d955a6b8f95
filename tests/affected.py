"""Lists the tests of what has changed since the main branch, for `make check`: python tests/affected.py

A test file is listed if it changed itself, or if it directly imports a changed module or one that imports
such a module. Prints one file per line; nothing if nothing changed.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from structure import ROOT, arrows, modules

STEPS = 1
"""How many imports away from a changed module the tests still run: more would soon be all tests."""


def changed_files() -> set[Path]:
    """Returns the Python files that differ from the main branch, or are new, or whose style sheets are."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = _git("diff", "--name-only", base[0]) + _git("ls-files", "--others", "--exclude-standard")
    # A style sheet is read by the module beside it.
    return {(ROOT / name).with_suffix(".py") for name in names if name.endswith((".py", ".tcss"))}


def _git(*arguments: str) -> list[str]:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.split()


def affected_modules(changed: set[Path]) -> set[str]:
    """Returns the modules that changed, and those that import one of them."""
    graph = arrows()
    reached = {name for name, path in modules().items() if path in changed}
    for _ in range(STEPS):
        reached |= {name for name, targets in graph.items() if targets & reached}
    return reached


def tests_of(names: set[str]) -> set[Path]:
    """Returns the test files that import one of the modules."""
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported = {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
            else:
                continue
            if imported & names:
                found.add(path)
                break
    return found


def main() -> None:
    """Prints the test files."""
    changed = changed_files()
    tests = {path for path in changed if path.name.startswith("test_") and path.exists()}
    found = sorted(tests | tests_of(affected_modules(changed)))
    sys.stdout.write("".join(f"{path.relative_to(ROOT)}\n" for path in found))


if __name__ == "__main__":
    main()
