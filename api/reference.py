"""Writes the table of operations in api/README.md from the code: ``python api/reference.py`` (``--check``
only compares).

A row is a function that a group of ``Client`` offers. Its operation stands first in its docstring; its level
is the gate that its code requires; other gates that its code asks for are the levels at which it adapts. The
contract's rows are those of the ledger for the same operation.
"""

from __future__ import annotations

import ast
import csv
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType

from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.common import Bound
from narrowcast_api.wire.levels import Gate

README = Path(__file__).with_name("README.md")
LEDGER = Path(__file__).parents[1] / "tests" / "contract" / "ledger.csv"
BEGIN, END = "<!-- operations: made by api/reference.py -->", "<!-- end of operations -->"

_OPERATION = re.compile(r"(GET|POST|PATCH|DELETE) (/[^\s:;,.]*[^\s:;,.)])")


@dataclass(frozen=True)
class Entry:
    """One operation as a row of the table."""

    operation: str
    call: str
    level: int
    adapts: tuple[int, ...]
    rows: str


def entries() -> list[Entry]:
    """Every function that a client offers, in the order of its groups."""
    return list(_entries())


def _entries() -> Iterator[Entry]:
    client = Client.open(Account("https://reference.example", "reference@example.org", Secret("none")))
    contract = _contract()
    for group_name, group in client.groups().items():
        for name, bound in vars(type(group)).items():
            if not isinstance(bound, Bound):
                continue
            function = bound.function
            assert isinstance(function, FunctionType)
            described = _OPERATION.match(inspect.getdoc(function) or "")
            operation = f"{described[1]} {described[2]}" if described else "composed"
            level, adapts = _levels(function)
            outside = "outside the contract" in (function.__doc__ or "")
            rows = "" if outside else contract.get(_shape(operation), "")
            yield Entry(operation, f"{group_name}.{name}", level, adapts, rows)


def _shape(operation: str) -> str:
    """An operation without the names of its path's parameters."""
    return re.sub(r"\{[^}]*\}", "{}", operation)


def _contract() -> dict[str, str]:
    """The ids of the ledger for each operation, as ``DRF-01 … DRF-18``."""
    ids: dict[str, list[str]] = {}
    with LEDGER.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "endpoint":
                ids[_shape(row["operation"])] = [row["id"].split("-")[0]]
    with LEDGER.open(encoding="utf-8", newline="") as file:
        row_ids = [row["id"] for row in csv.DictReader(file)]
    ranges = {}
    for operation, (prefix,) in ids.items():
        own = sorted(name for name in row_ids if name.split("-")[0] == prefix)
        ranges[operation] = f"{own[0]} … {own[-1]}"
    return ranges


def _levels(function: FunctionType) -> tuple[int, tuple[int, ...]]:
    """The level that a function needs, and those at which it adapts: from its code and all that it uses."""
    here = _definitions(function.__module__)[function.__name__]
    assert isinstance(here, ast.AsyncFunctionDef)
    needed = {level for statement in here.body for level in _required(statement)}
    asked: set[int] = set()
    seen: set[tuple[str, str]] = set()
    todo = [(function.__module__, function.__name__)]
    while todo:
        place = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        module, name = place
        for node in ast.walk(_definitions(module)[name]):
            asked |= _gate(node)
            if isinstance(node, ast.Name):
                todo += _uses(module, node.id)
    level = max(needed, default=0)
    return level, tuple(sorted(gate for gate in asked if gate > level))


@cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """What a module defines at its top level, by name."""
    definitions: dict[str, ast.stmt] = {}
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            definitions[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            definitions[node.target.id] = node
    return definitions


def _uses(module: str, name: str) -> list[tuple[str, str]]:
    """Where a name that a module uses is defined, if that is in a module of routes."""
    if name in _definitions(module):
        return [(module, name)]
    value = vars(sys.modules[module]).get(name)
    elsewhere = getattr(value, "__module__", "")
    if isinstance(value, FunctionType) and elsewhere.startswith("narrowcast_api.routes."):
        return [(elsewhere, value.__name__)]
    return []


def _required(statement: ast.stmt) -> Iterator[int]:
    """Gates that a statement of the function's own body requires, whatever the arguments."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "require":
        for node in ast.walk(statement):
            yield from _gate(node)


def _gate(node: ast.AST) -> set[int]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Gate":
        return {Gate[node.attr].level}
    return set()


def table() -> str:
    """The table of all operations in Markdown."""
    lines = ["| operation | function | level | adapts at | contract |", "|---|---|---:|---|---|"]
    for entry in entries():
        adapts = ", ".join(str(level) for level in entry.adapts)
        level = str(entry.level) if entry.level else ""
        lines.append(f"| {entry.operation} | `client.{entry.call}` | {level} | {adapts} | {entry.rows} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """The README with the table of the present code."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write the table, or with ``--check`` say whether it is current: 0 if so, else 1."""
    present = README.read_text(encoding="utf-8")
    current = with_table(present)
    if "--check" in arguments:
        return 0 if present == current else 1
    README.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
