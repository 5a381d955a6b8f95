"""The table of feature gates: VER rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import narrowcast_server
from narrowcast_api.wire.levels import CONTRACT_LEVEL, SERVED_LEVEL, Gate
from narrowcast_server.app import routes_of
from narrowcast_server.http.params import Param
from narrowcast_server.serve import Options, warnings_of
from support.ledger import proves
from support.server import TestServer

LEVELS = {gate.level for gate in Gate}


@proves("VER-01", "VER-02", "VER-07")
def test_no_level_is_written_outside_the_table() -> None:
    root = Path(narrowcast_server.__file__).parent
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
    assert param.since in LEVELS
    assert not param.known_at(param.since - 1)
    assert param.known_at(param.since)


@proves("VER-01", "VER-04")
async def test_the_server_announces_the_newest_level_that_it_serves(server: TestServer) -> None:
    assert CONTRACT_LEVEL == 372
    assert SERVED_LEVEL >= CONTRACT_LEVEL
    settings = await server.call(None, "GET", "/server_settings")
    assert settings["service_feature_level"] == SERVED_LEVEL
    server.set_level(9999)
    assert server.organization.level == SERVED_LEVEL


@proves("VER-04")
def test_the_operator_is_told_that_a_level_is_too_high(tmp_path: Path) -> None:
    told = warnings_of(Options(data=tmp_path / "new", feature_level=9999))
    assert told == [
        f"feature level 9999 is unknown to this server: it runs at level {SERVED_LEVEL}, the newest that it can"
        " emulate"
    ]
    assert warnings_of(Options(data=tmp_path / "new", feature_level=372)) == []
