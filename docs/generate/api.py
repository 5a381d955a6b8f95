"""Pages about the API library: errors, levels, operations."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from generate.markdown import cell, table
from narrowcast.cli.outcome import exit_code
from narrowcast_api import errors
from narrowcast_api.wire.levels import SERVED_LEVEL, Gate

REFERENCE = Path(__file__).parents[2] / "api" / "reference.py"


def error_page() -> str:
    """The page of all error types."""
    intro = inspect.cleandoc(errors.__doc__ or "")
    title, _, rest = intro.partition("\n\n")
    tree, _, after = rest.partition("\n\n")
    kinds = [
        one
        for module in (errors.failures, errors.refusals)
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__
    ]
    rows = []
    for one in kinds:
        base = next((above.__name__ for above in one.__mro__[1:] if above in kinds), "Exception")
        rows.append(
            (
                f"`{one.__name__}`",
                f"`{base}`",
                cell(inspect.cleandoc(one.__doc__ or "")),
                str(int(exit_code(one))),
            )
        )
    return "\n\n".join(
        [
            "# Errors",
            title + " They are in `narrowcast_api.errors`.",
            "```\n" + inspect.cleandoc(tree) + "\n```",
            " ".join(after.split()),
            "*Exit code* is that of a `narrowcast` command that fails with the error.",
            table(("Error", "Base class", "Meaning", "Exit code"), rows),
        ]
    )


def level_page() -> str:
    """The page of all gates."""
    rows = [
        (str(gate.level), cell(gate.title), cell(gate.value.below), cell(", ".join(gate.value.rows)))
        for gate in Gate
    ]
    return "\n\n".join(
        [
            "# Feature levels",
            "A server reports its feature level. For features that an older server does not have, the library uses "
            "another operation, leaves something out, or raises `Unsupported` before anything is sent. The "
            f"embedded server has level {SERVED_LEVEL}. The last column lists statements of the contract "
            "(tests/contract/ledger.csv).",
            table(("From level", "Feature", "On older servers", "Contract"), rows),
        ]
    )


def operation_page() -> str:
    """The page of all operations; its table is that of the library's README."""
    return "\n\n".join(
        [
            "# Operations",
            "All operations of the API, the client function of each, the level that it requires, the levels at which "
            "its behaviour changes, and the statements of the API contract.",
            _module(REFERENCE).table(),
        ]
    )


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
