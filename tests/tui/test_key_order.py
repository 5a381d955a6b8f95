"""Keys that arrive faster than the app handles them each reach what the key before them focused."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from textual import events
from textual.widget import Widget

from narrowcast.app import key_queue
from narrowcast.screens.dialogs.picker import Picker
from narrowcast_api.narrow.narrow import Narrow
from support.screens import mouse_event, post_keys
from support.sessions import until
from support.stage import on_stage


@pytest.mark.parametrize("opens", ["c", "r"])
@pytest.mark.parametrize("busy", [0, 0.05], ids=["idle", "busy"])
async def test_keys_typed_after_the_one_that_opens_compose_go_to_compose(
    tmp_path: Path, opens: str, busy: float
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        stage.screen.call_later(asyncio.sleep, busy)  # the screen is busy
        post_keys(stage, opens, "Ups and downs, quietly")
        await until(lambda: stage.screen.writing.text.text.endswith("quietly"))
        assert stage.screen.writing.text.text == "Ups and downs, quietly"


async def test_a_key_is_not_lost_while_the_machine_is_overloaded(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()

        async def delayed() -> None:
            """Some turns of the loop that take 1 s in total, as on a machine that is busy with other programs."""
            for _ in range(20):
                end = time.monotonic() + 0.05
                while time.monotonic() < end:
                    pass
                await asyncio.sleep(0)

        stage.screen.call_later(delayed)
        post_keys(stage, "c", "Ups")
        await until(lambda: stage.screen.writing.text.text.endswith("ps"))
        assert stage.screen.writing.text.text == "Ups"


async def test_keys_typed_after_the_one_that_opens_a_dialog_go_to_the_dialog(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        await stage.go(Narrow.all())
        post_keys(stage, "ctrl+k", "lunch", "enter")
        await until(lambda: not isinstance(stage.app.screen, Picker) and stage.screen.narrow != Narrow.all())
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")


async def test_keys_wait_for_a_dialog_that_takes_many_turns_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        await stage.go(Narrow.all())
        mount = Picker.mount_composed_widgets

        async def mount_later(picker: Picker[object], widgets: list[Widget]) -> None:
            for _ in range(10):
                await asyncio.sleep(key_queue.STEP)
            await mount(picker, widgets)

        monkeypatch.setattr(Picker, "mount_composed_widgets", mount_later)
        monkeypatch.setattr(key_queue, "STEPS", 2)
        post_keys(stage, "ctrl+k", "lunch", "enter")
        await until(lambda: not isinstance(stage.app.screen, Picker) and stage.screen.narrow != Narrow.all())
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")


@pytest.mark.parametrize("busy", [0, 0.05], ids=["idle", "busy"])
async def test_a_click_acts_after_the_keys_before_it(tmp_path: Path, busy: float) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        region = stage.screen.messages.list.region
        stage.screen.call_later(asyncio.sleep, busy)
        post_keys(stage, "c", "Ups and downs, quietly")
        for kind in (events.MouseDown, events.MouseUp):
            stage.app.post_message(mouse_event(kind, (region.x + 4, region.y + 1)))
        await until(lambda: stage.screen.messages.list.has_focus)
        await stage.pilot.pause()
        assert stage.screen.writing.text.text == "Ups and downs, quietly"
        assert stage.screen.messages.list.has_focus


async def test_a_paste_waits_for_the_keys_before_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        post_keys(stage, "c", "See ")
        stage.app.post_message(events.Paste("the pasted part"))
        post_keys(stage, " and more")
        await until(lambda: stage.screen.writing.text.text.endswith("more"))
        assert stage.screen.writing.text.text == "See the pasted part and more"
