"""Quitting while texts are nowhere but in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.dialogs.picker import Picker
from support.held import hold
from support.journals import refuse
from support.screen_text import screen_text
from support.sessions import until
from support.stage import on_stage


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
        assert not isinstance(stage.app.screen, Picker)
        assert stage.app.is_running
        refuse(journal, False)
        assert journal.flush(60)
        await stage.press("ctrl+q")
        await until(lambda: not stage.app.is_running)
