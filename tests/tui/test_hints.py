"""The keys that the status line names: true, of the moment, and never more than there is room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.app.config import Config
from narrowcast.screens.main.hints import READING, hint_line, keys_of_commands
from support.server import running_server
from support.sessions import until
from support.stage import on_stage


def test_hints_take_their_share_of_the_line_and_help_is_always_there() -> None:
    keys = keys_of_commands({})
    assert hint_line(keys, READING, 120) == (
        "r reply · c write · : react · n next unread · Ctrl-k go to · ? help"
    )
    assert hint_line(keys, (("message.vote", "vote"), *READING), 60) == "X vote · r reply · ? help"
    assert hint_line(keys, READING, 10) == "? help"


def test_hints_name_the_keys_that_the_user_chose() -> None:
    keys = keys_of_commands({"message.vote": "f7", "message.reply": []})
    assert hint_line(keys, (("message.vote", "vote"), ("message.reply", "reply")), 100) == "F7 vote · ? help"


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("/poll Lunch?\nsoup", "F7 vote"),
        ("/todo Field day\nbook the van", "F7 tick"),
        ("```spoiler Plot\ngoat\n```", "Enter open"),
        ("```python\nstir()\n```", "y copy code"),
        ("[there](https://x.example/)", "o follow"),
        ("just text", "r reply"),
    ],
)
async def test_the_status_line_says_what_to_do_with_the_selected_message(
    tmp_path: Path, content: str, hint: str
) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "soup", content)
        config = Config(keys={"message.vote": "f7"})
        async with on_stage(tmp_path, size=(140, 30), config=config, server=server) as stage:
            await until(lambda: f" Demo {hint} " in stage.screen.lines.status.plain)


async def test_a_mode_says_how_to_leave_it_in_the_status_line(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "soup", "[there](https://x.example/)")
        async with on_stage(tmp_path, size=(80, 24), server=server) as stage:
            await until(lambda: "o follow" in stage.screen.lines.status.plain)
            await stage.press("o")
            await until(lambda: "Esc cancels" in stage.screen.lines.status.plain)
            await stage.press("escape")
            await until(lambda: "Esc cancels" not in stage.screen.lines.status.plain)
