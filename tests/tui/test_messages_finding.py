"""Finding text in a view, and going to a date or a message, on a live account."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.panes.messages import requests
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState
from support.message_stage import staged
from support.sessions import until


async def test_finding_goes_from_match_to_match(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        ids = [
            await stage.server.send("bruno", "general", "soup", f"{word} soup")
            for word in ("leek", "bean", "leek", "pea")
        ]
        await stage.show(stage.topic, "newest")
        await stage.see("pea soup")
        await stage.press("ctrl+f", *"leek", "enter")
        await until(lambda: stage.pane.selected_id == ids[2])
        await stage.press("n")
        await until(lambda: stage.pane.selected_id == ids[0])
        await stage.press("n")
        await until(lambda: stage.pane.selected_id == ids[2])
        await until(lambda: "Search wrapped to the newest" in stage.app.told[-1])
        await stage.press("N")
        await until(lambda: stage.pane.selected_id == ids[0])
        await stage.press("escape")
        assert stage.pane.list.overlay is None
        told = list(stage.app.told)
        await stage.press("n", "N", "escape")
        assert (stage.app.told, stage.pane.selected_id) == (told, ids[0])


async def test_finding_begins_at_the_newest_message_if_an_unsent_one_is_selected(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        leek = await stage.server.send("bruno", "general", "soup", "leek soup")
        await stage.server.send("bruno", "general", "soup", "bean soup")
        await stage.show(stage.topic, "newest")
        await stage.see("bean soup")
        lines = stage.pane.list
        assert lines.feed is not None
        place = ChannelDestination(stage.server.channel("general"), "soup")
        lines.feed.echoes = [
            OutboxEntry(name, place, name, OutboxState.WAITING, stage.session.clock.now())
            for name in ("first", "second")
        ]
        lines.position.select("second")
        await stage.press("ctrl+f", *"leek", "enter")
        await until(lambda: stage.pane.selected_id == leek)


async def test_finding_searches_all_messages_without_blocking_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast.panes.messages.find.SEARCHED_AT_ONCE", 200)
    async with staged(tmp_path) as stage:
        first = await stage.server.send("bruno", "general", "soup", "l<b>ee</b>k & **le**ek")
        for number in range(9):
            await stage.server.send("bruno", "general", "soup", f"bean {number}")
        await stage.show(stage.topic, "newest")
        await stage.see("bean 8")
        await stage.press("ctrl+f", *("ampersand", "space", *"leek"), "enter")
        await until(lambda: stage.pane.selected_id == first)
        await stage.press("escape", "G", "ctrl+f", *"onion", "enter", "escape")
        assert stage.pane.list.overlay is None


@pytest.mark.parametrize("text", ["2000-01-01", "2999-12-31"])
async def test_a_date_is_gone_to(tmp_path: Path, text: str) -> None:
    async with staged(tmp_path, (80, 12)) as stage:
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(30)]
        await stage.show(stage.topic, ids[15])
        await stage.see("spoon 15")
        await stage.press("T", *text, "enter")
        await until(lambda: stage.pane.selected_id == (ids[0] if text < "2026" else ids[-1]))


@pytest.mark.parametrize("level", [444, 445])
async def test_a_date_far_from_what_is_loaded_is_gone_to_without_loading_what_lies_between(
    tmp_path: Path, level: int
) -> None:
    async with staged(tmp_path, (80, 12)) as stage:
        server = replace(stage.session.state.server, level=level)
        stage.session.state.server = stage.session.client.connection.server = server
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(330)]
        store = stage.server.organization.store
        with store.transaction():
            for day, message_id in enumerate(ids):
                noon = 86_400 * day + 43_200
                store.execute("UPDATE messages SET timestamp = ? WHERE id = ?", noon, message_id)
        await stage.show(stage.topic, "newest")
        await stage.press("T", *"1970-02-10", "enter")
        await until(lambda: stage.pane.selected_id == ids[40])
        await stage.see("spoon 40")
        assert stage.pane.view is not None
        assert len(stage.pane.view.ids) < 250
        await stage.press("T", *"1970-11-07", "enter")
        await until(lambda: stage.pane.selected_id == ids[310])
        await stage.press("T", *"2999-01-01", "enter")
        await until(lambda: stage.pane.selected_id == ids[-1])


async def test_a_message_is_gone_to_by_its_number_wherever_it_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        elsewhere = await stage.server.send("bruno", "general", "salad", "green")
        await stage.server.send("bruno", "general", "soup", "red")
        await stage.show(stage.topic)
        await stage.see("red")
        await stage.press("semicolon", *str(elsewhere), "enter")
        await until(lambda: any(isinstance(one, requests.NarrowRequested) for one in stage.app.asked))
        asked = next(one for one in stage.app.asked if isinstance(one, requests.NarrowRequested))
        assert asked.narrow == Narrow.topic(stage.server.channel("general"), "salad")
        assert asked.message_id == elsewhere
