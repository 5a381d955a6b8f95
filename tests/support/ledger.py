"""The ledger of the contract's statements, and the decorator that names the statements a test proves.

    @proves("TYP-03", "TYP-06")
    async def test_direct_is_called_private_below_174() -> None: ...

``tests/contract/test_ledger.py`` fails if a statement about clients has no test in ``tests/api``, or one about
servers none in ``tests/server``. It reads the decorators from the source, whichever tests are run.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

TESTS = Path(__file__).resolve().parents[1]
LEDGER = TESTS / "contract" / "ledger.csv"

Tested = TypeVar("Tested", bound=Callable[..., object])


@dataclass(frozen=True)
class Row:
    """A statement of the contract that tests can prove."""

    id: str
    operation: str
    kind: str
    level: str
    statement: str
    client: bool
    server: bool


@cache
def ledger() -> dict[str, Row]:
    """All rows by id."""
    with LEDGER.open(encoding="utf-8", newline="") as file:
        return {
            line["id"]: Row(
                line["id"],
                line["operation"],
                line["kind"],
                line["level"],
                line["statement"],
                line["client"] == "yes",
                line["server"] == "yes",
            )
            for line in csv.DictReader(file)
        }


def proves(*ids: str) -> Callable[[Tested], Tested]:
    """Marks a test as one that proves statements of the ledger. Raises ValueError for an unknown id."""
    unknown = [name for name in ids if name not in ledger()]
    if unknown or not ids:
        msg = f"not in the ledger: {', '.join(unknown) or 'nothing given'}"
        raise ValueError(msg)

    def mark(test: Tested) -> Tested:
        return test

    return mark


def proven_in(folder: Path) -> dict[str, list[str]]:
    """Returns the tests in a folder by the ids of the statements that they prove: id -> ``file::test``."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for name, test in _proofs(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(f"{path.relative_to(TESTS)}::{test}")
    return found


def _proofs(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", None) == "proves":
                for argument in decorator.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield argument.value, node.name
