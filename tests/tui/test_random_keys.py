"""Random keys, with two conversations side by side and with several accounts: nothing crashes the app or is
lost.

NARROWCAST_EXAMPLES=50 tries 50 seeds of each.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast.config import account_files
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.narrow import Narrow
from support import properties
from support.random_keys import RandomKeys, no_errors_logged
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import Stage, on_stage

WIDE = (180, 40)
STEPS = 30


@pytest.fixture(autouse=True)
def _no_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EDITOR", "VISUAL", "BROWSER"):
        monkeypatch.setenv(name, "true")


async def _talk(server: TestServer) -> None:
    for topic in ("lunch", "supper"):
        for name in ("bruno", "ada"):
            await server.send(
                name, "general", topic, f"**{topic}**, @**Ada Moreno**? [menu](https://menu.example)"
            )
    await server.send_direct("dario", ["ada"], "soup?")
    await server.send_direct("dario", ["bruno"], "soup?")


async def _two_conversations(stage: Stage) -> None:
    general = stage.server.channel("general")
    await stage.go(Narrow.topic(general, "lunch"))
    stage.screen.open_beside(Narrow.topic(general, "supper"))
    await until(lambda: len(stage.screen.side.all) == 2)


@pytest.mark.parametrize("seed", properties.seeds(1))
async def test_two_conversations_bear_keys_at_random(tmp_path: Path, seed: int) -> None:
    with no_errors_logged():
        async with on_stage(tmp_path, size=WIDE) as stage:
            await _talk(stage.server)
            await _two_conversations(stage)
            keys = RandomKeys(stage, seed)
            await keys.press(STEPS)
            await keys.all_words_are_there("ada")


@pytest.mark.parametrize("seed", properties.seeds(1))
async def test_several_accounts_bear_keys_at_random_and_one_of_them_is_broken(
    tmp_path: Path, seed: int
) -> None:
    stored = ["bruno", "dario"][: 1 + seed % 2]
    folder = Paths.under(tmp_path / "home-ada").accounts
    with no_errors_logged():
        async with running_server(tmp_path / "server") as server:
            await _talk(server)
            account_files.store(replace(server.account("greta"), site="http://127.0.0.1:9"), folder)
            (folder / "aaa.zuliprc").write_text("nothing")
            async with on_stage(tmp_path, server=server, stored=stored, size=WIDE) as stage:
                await _two_conversations(stage)
                keys = RandomKeys(stage, seed)
                await keys.press(STEPS)
                await keys.all_words_are_there("ada", *stored)
