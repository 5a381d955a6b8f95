"""Every statement of the contract has tests of each side that it concerns."""

from __future__ import annotations

import pytest

from support.ledger import TESTS, ledger, proven_in, proves


def _missing(ids: list[str], folder: str) -> str:
    proven = proven_in(TESTS / folder)
    missing = [name for name in ids if name not in proven]
    rows = "\n".join(f"  {name}  {ledger()[name].operation}: {ledger()[name].statement}" for name in missing)
    return (
        f"{len(missing)} of {len(ids)} statements have no test in tests/{folder}:\n{rows}" if missing else ""
    )


def test_every_client_duty_is_proven() -> None:
    missing = _missing([row.id for row in ledger().values() if row.client], "api")
    assert not missing, missing


def test_every_server_duty_is_proven() -> None:
    missing = _missing([row.id for row in ledger().values() if row.server], "server")
    assert not missing, missing


def test_every_test_names_existing_statements() -> None:
    named = {name for folder in ("api", "server") for name in proven_in(TESTS / folder)}
    assert named <= set(ledger())


def test_an_unknown_statement_is_rejected() -> None:
    with pytest.raises(ValueError, match="XYZ-01"):
        proves("XYZ-01")
