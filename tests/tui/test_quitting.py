"""Quitting while texts are nowhere but in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.dialogs.confirm import ConfirmScreen
from support.delays import hold
from support.journals import refuse
from support.screens import screen_text
from support.sessions import until
from support.stage import behind_proxy, on_stage


async def test_with_a_full_disk_one_is_asked_before_a_draft_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        hold(monkeypatch, stage.session.client.drafts, "list")
        journal = stage.session.storage.journal
        refuse(journal)
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("Soup")
        await until(lambda: journal.warning is not None)
        await stage.press("ctrl+q")
        assert "1 draft is not saved" in screen_text(stage.app.screen)
        await stage.press("enter")
        assert not isinstance(stage.app.screen, ConfirmScreen)
        assert stage.app.is_running
        refuse(journal, False)
        assert journal.flush(60)
        await stage.press("ctrl+q")
        await until(lambda: not stage.app.is_running)


async def test_without_a_connection_and_with_a_full_disk_nothing_is_promised_to_be_saved(
    tmp_path: Path,
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        journal = stage.session.storage.journal
        await stage.in_topic("general", "lunch")
        await proxy.refuse()
        await until(lambda: "Messages are saved and sent" in stage.screen.lines.banner.plain)
        refuse(journal)
        await stage.press("c")
        await stage.type("Soup")
        await until(lambda: "cannot be saved" in stage.screen.lines.banner.plain)
        assert "Messages are saved" not in stage.screen.lines.banner.plain
        assert "unless Narrowcast is closed before" in stage.screen.lines.banner.plain
        refuse(journal, False)
        assert journal.flush(60)
