"""One table of gates: VER rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from narrowcast_server import levels
from narrowcast_server.app import routes_of
from narrowcast_server.params import Param
from support.ledger import LEDGER, ledger, proves
from support.server import TestServer

CITED = {
    1, 2, 9, 57, 58, 86, 88, 92, 96, 116, 117, 126, 135, 148, 163, 165, 167, 174, 176, 180, 184, 191, 193, 196, 198,
    208, 209, 211, 215, 224, 248, 256, 257, 260, 261, 267, 272, 283, 285, 296, 301, 303, 305, 308, 311, 322, 324,
    334, 340, 355, 362, 363, 368, 372,
}  # fmt: skip


def table() -> set[int]:
    return {
        value
        for name, value in vars(levels).items()
        if name.isupper() and name != "LATEST" and isinstance(value, int)
    }


@proves("VER-01", "VER-02", "VER-07")
def test_the_table_holds_every_cited_level_and_no_other() -> None:
    assert table() == CITED
    assert {int(row.level) for row in ledger().values() if row.level.isdigit()} - {0} <= CITED
    assert LEDGER.is_file()


@proves("VER-02")
def test_no_gate_is_written_outside_the_table() -> None:
    root = Path(levels.__file__).parent
    pattern = re.compile(r"level\s*(<|>=|>|<=|==)\s*\d|since=\d|until=\d")
    found = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in root.rglob("*.py")
        for line in path.read_text().splitlines()
        if pattern.search(line) and "level > 0" not in line and '"' not in line.split("level")[0]
    ]
    assert found == []


@proves("VER-05")
@pytest.mark.parametrize(
    "param",
    [param for endpoint in routes_of() for param in endpoint.params if param.since > 0],
    ids=lambda param: param.name,
)
def test_a_parameter_is_unknown_below_its_level(param: Param[Any]) -> None:
    assert param.since in CITED
    assert not param.known_at(param.since - 1)
    assert param.known_at(param.since)


@proves("VER-01")
async def test_the_newest_level_is_372_and_higher_means_372(server: TestServer) -> None:
    assert levels.LATEST == 372
    server.set_level(999)
    assert server.core.level == 372
