"""A message that is changed elsewhere, or whose time for edits passes, while it is being edited here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narrowcast.panes.compose import session, start
from narrowcast.screens.messages.versions import ComparisonScreen
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.messages import EditResult
from support.screens import edit_opened, edit_own, screen_text
from support.sessions import until
from support.stage import Stage, on_stage


async def changes(stage: Stage, message_id: int, content: str) -> None:
    """Changes the message on another device."""
    await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"content": content})


async def source(stage: Stage) -> object:
    return (await stage.server.newest("ada"))[-1]["content"]


async def test_a_change_elsewhere_is_shown_in_an_edit_that_was_not_touched(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await changes(stage, message_id, "Soup")
        await until(lambda: stage.screen.writing.text.text == "Soup")
        await stage.type("!")
        await stage.press("enter")
        await until(lambda: not stage.session.edits.is_saving(message_id))
        assert await source(stage) == "Soup!"


async def test_a_change_elsewhere_is_told_at_once_and_not_overwritten_by_a_key_that_was_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        monkeypatch.setattr(session, "NOTICED_AFTER", 1000.0)
        message_id = await edit_own(stage)
        await stage.type("!")
        await changes(stage, message_id, "Soup")
        await stage.told("You changed this message elsewhere. Alt-e shows the difference.")
        pane = stage.screen.writing
        assert pane.target.hint.plain.strip() == "Alt-e shows  Enter overwrites  Esc leaves"
        await stage.press("enter")
        assert "just now. Saving again overwrites that." in stage.notices[-1]
        assert pane.text.text == "Soop!"
        assert await source(stage) == "Soup"
        monkeypatch.setattr(session, "NOTICED_AFTER", 0.0)
        await stage.press("enter")
        await until(lambda: pane.editing is None and not stage.session.edits.is_saving(message_id))
        assert await source(stage) == "Soop!"


async def test_escape_keeps_a_change_elsewhere_and_the_edit_for_the_next_time(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type("!")
        await changes(stage, message_id, "Soup")
        await stage.told("You changed this message elsewhere.")
        await stage.press("escape")
        assert await source(stage) == "Soup"
        await stage.press("G", "e")
        await edit_opened(stage, message_id)
        assert stage.screen.writing.text.text == "Soop!"


async def test_the_key_for_versions_shows_what_the_edit_would_change(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" with bread")
        await changes(stage, message_id, "Soup with butter")
        await stage.told("You changed this message elsewhere.")
        await stage.press("alt+e")
        await until(lambda: isinstance(stage.app.screen, ComparisonScreen))
        await stage.pilot.pause()
        shown = screen_text(stage.app.screen)
        assert "Soup with butter" in shown
        assert "SoupSoop with butterbread" in shown
        await stage.press("escape")
        assert stage.screen.writing.text.has_focus


async def test_a_preview_of_a_link_is_no_change_elsewhere(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type("!")
        await changes(stage, message_id, "Soop")  # the same text
        edits = stage.screen.writing
        edits.edit_changed(message_id, "Soop", "You")
        assert edits.compare_edit() is None
        assert stage.notices == []


async def test_a_change_between_the_comparison_and_the_request_is_told_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        stage.at_level(Gate.EDIT_EXPECTATION.level - 1)
        message_id = await edit_own(stage)
        save = stage.session.client.messages.edit

        async def late(**parameters: Any) -> EditResult:
            await changes(stage, message_id, "Soup with bread")
            return await save(**parameters)

        monkeypatch.setattr(stage.session.client.messages, "edit", late)
        await stage.type("!")
        await stage.press("enter")
        await stage.told(
            "replaced a change that was made elsewhere at the same moment. That text is in Drafts."
        )
        assert await source(stage) == "Soop!"
        (draft,) = stage.session.drafts.all()
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        assert (draft.destination, draft.content) == (where, "Soup with bread")
        assert stage.session.edits.all() == []


async def test_a_text_whose_time_for_edits_passes_is_in_drafts_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        monkeypatch.setattr(start, "ASK_TIME_EVERY", 0.05)
        message_id = await edit_own(stage)
        await stage.type(" with")
        await stage.server.call("ada", "PATCH", "/realm", {"message_content_edit_limit_seconds": 1})
        await stage.told("The time for edits is over. What you write here is in Drafts.")
        assert [draft.content for draft in stage.session.drafts.all()] == ["Soop with"]
        assert stage.screen.writing.target.hint.plain.strip() == "Esc leaves"
        await stage.type(" bread")
        assert [draft.content for draft in stage.session.drafts.all()] == ["Soop with bread"]
        await stage.press("enter")
        assert stage.notices[-1] == "The time for edits is over. Your text is in Drafts."
        assert stage.screen.writing.editing is None
        assert await source(stage) == "Soop"
        assert [draft.content for draft in stage.session.drafts.all()] == ["Soop with bread"]
        assert stage.session.outbox.entries() == []
        assert stage.session.edits.get(message_id) is None
