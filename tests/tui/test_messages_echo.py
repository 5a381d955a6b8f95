"""Stars and reactions show before the server has responded, and are reverted if it rejects them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narrowcast_api.errors import ApiError, ReactionAlreadyExists
from narrowcast_api.model.messages import Reaction
from narrowcast_api.narrow.narrow import Narrow
from support.sessions import until
from support.stage import Stage, on_stage


class SlowServer:
    """Stands in for the client's calls and responds when the test says so."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.go_on = asyncio.Event()
        self.problem = problem
        self.asked: list[str] = []

    async def add(self, **_: object) -> None:
        await self._response("add")

    async def remove(self, **_: object) -> None:
        await self._response("remove")

    async def change(self, **arguments: object) -> None:
        if arguments["flag"] != "read":  # the message is marked as read some time after it was shown
            await self._response(str(arguments["op"]))

    async def _response(self, what: str) -> None:
        self.asked.append(what)
        await self.go_on.wait()
        if self.problem is not None:
            raise self.problem


async def prepared(stage: Stage, server: SlowServer, monkeypatch: pytest.MonkeyPatch) -> int:
    """A selected message whose reactions and flags go to ``server``."""
    message_id = await stage.server.send("bruno", "general", "lunch", "Soup?")
    await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
    await stage.shows(message_id)
    await stage.press("G")
    monkeypatch.setattr(stage.session.client, "reactions", server)
    monkeypatch.setattr(stage.session.client, "flags", server)
    return message_id


def shown(stage: Stage, message_id: int) -> tuple[bool, int]:
    message = stage.session.state.messages.get(message_id)
    assert message is not None
    return message.is_starred, len(message.reactions)


async def test_a_star_and_a_reaction_show_at_once_and_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        server = SlowServer()
        message_id = await prepared(stage, server, monkeypatch)
        await stage.press("asterisk", "plus")
        assert shown(stage, message_id) == (True, 1)
        server.go_on.set()
        await until(lambda: server.asked == ["add", "add"])
        await stage.pilot.pause()
        assert shown(stage, message_id) == (True, 1)


async def test_an_act_that_the_server_rejects_is_reverted_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        server = SlowServer(ApiError("BAD_REQUEST", "You may not."))
        message_id = await prepared(stage, server, monkeypatch)
        await stage.press("asterisk", "plus")
        assert shown(stage, message_id) == (True, 1)
        server.go_on.set()
        await until(lambda: shown(stage, message_id) == (False, 0))
        await stage.told("You may not.")


async def test_pressing_twice_asks_for_both_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_stage(tmp_path) as stage:
        server = SlowServer()
        message_id = await prepared(stage, server, monkeypatch)
        await stage.press("plus", "plus")
        assert shown(stage, message_id) == (False, 0)
        assert server.asked == ["add"]
        server.go_on.set()
        await until(lambda: server.asked == ["add", "remove"])


async def test_a_reaction_that_was_there_already_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        server = SlowServer(ReactionAlreadyExists("REACTION_ALREADY_EXISTS", "Reaction already exists."))
        message_id = await prepared(stage, server, monkeypatch)
        server.go_on.set()
        thumb = Reaction("+1", "1f44d", "unicode_emoji", stage.session.state.me)
        await stage.session.message_actions.reaction(message_id, thumb, True)
        assert shown(stage, message_id) == (False, 1)


async def test_a_list_that_got_shorter_before_its_rows_were_redrawn_logs_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with on_stage(tmp_path) as stage:
        for number in range(5):
            await stage.server.send("bruno", "general", "lunch", f"Soup {number}")
        await prepared(stage, SlowServer(), monkeypatch)
        shown_list = stage.screen.messages.list
        feed = shown_list.feed
        assert feed is not None
        feed.ids = feed.ids[:1]
        for y in range(shown_list.content_size.height):
            shown_list.decorate_row(y, shown_list.compose_row(y))
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    ("key", "call", "said"),
    [
        ("V", "read_receipts", "Loading read receipts…"),
        ("H", "history", "Loading edit history…"),
        ("greater_than_sign", "get", "Loading message…"),
    ],
)
async def test_a_key_that_waits_for_the_server_says_so_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, call: str, said: str
) -> None:
    async with on_stage(tmp_path) as stage:
        server = SlowServer(ApiError("BAD_REQUEST", "You may not."))
        await prepared(stage, server, monkeypatch)
        monkeypatch.setattr(stage.session.client.messages, call, server.add)
        await stage.press(key)
        assert stage.screen.messages.mode_hint == said
        server.go_on.set()
        await until(lambda: stage.screen.messages.mode_hint == "")
