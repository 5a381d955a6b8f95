"""The table of operations in the library's README is current and names every operation of the contract."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from support.ledger import ledger

SCRIPT = Path(__file__).resolve().parents[2] / "api" / "reference.py"


def _reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("narrowcast_reference", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look up their module by name
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _shape(operation: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", operation)


def test_the_table_is_current() -> None:
    assert _reference().main(["--check"]) == 0, "run: python api/reference.py"


def test_every_operation_of_the_contract_has_a_function() -> None:
    offered = {_shape(entry.operation) for entry in _reference().entries()}
    wanted = {_shape(row.operation) for row in ledger().values() if row.kind == "endpoint"}
    assert wanted <= offered, wanted - offered
