"""The contract's ledger, and the decorator by which a test says which rows it proves.

@proves("TYP-03", "TYP-06") async def test_direct_is_called_private_below_174() -> None: ...

``tests/contract/test_ledger.py`` fails while a row with a client duty is proven by no test under
``tests/api``, or one with a server duty by none under ``tests/server``. It reads the decorators from the
source, so that it holds whichever tests are run.
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
    """One checkable statement of the contract."""

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
    """Marks a test as the proof of rows of the ledger. Raises ValueError for an unknown id."""
    unknown = [name for name in ids if name not in ledger()]
    if unknown or not ids:
        msg = f"not in the ledger: {', '.join(unknown) or 'nothing given'}"
        raise ValueError(msg)

    def mark(test: Tested) -> Tested:
        return test

    return mark


def proven_in(folder: Path) -> dict[str, list[str]]:
    """Returns which tests under a folder prove which row, read from their source: id -> ``file::test``."""
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
