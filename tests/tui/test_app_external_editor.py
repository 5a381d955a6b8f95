"""What becomes of the text of an external editor that fails, or during which compose changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from narrowcast.screens.main.moves import follow_topic
from narrowcast.terminal.programs import Edited
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from support.stage import Stage, on_stage


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what the editor appends to the text, its exit status, and what happens while it is open."""

    def use(appended: str, status: int = 0, meanwhile: Callable[[], object] = lambda: None) -> None:
        async def edit(_app: object, _host: object, text: str, _command: str) -> Edited:
            meanwhile()
            return Edited(text + appended, status)

        monkeypatch.setattr("narrowcast.commands.editing.edit_externally", edit)

    return use


Use = Callable[..., None]


async def write(stage: Stage) -> None:
    await stage.in_topic("general", "lunch")
    await stage.press("c")
    await stage.type("Soup")


def drafts(stage: Stage) -> list[str]:
    return sorted(draft.content for draft in stage.session.drafts.all())


async def test_the_text_of_the_editor_replaces_the_text_in_compose(tmp_path: Path, editor: Use) -> None:
    async with on_stage(tmp_path) as stage:
        await write(stage)
        editor(" and bread")
        await stage.press("ctrl+o")
        assert stage.screen.writing.text.text == "Soup and bread"
        assert drafts(stage) == ["Soup and bread"]
        assert stage.notices == []


async def test_an_editor_that_fails_is_reported_and_changes_nothing(tmp_path: Path, editor: Use) -> None:
    async with on_stage(tmp_path) as stage:
        await write(stage)
        editor("", status=3)
        await stage.press("ctrl+o")
        assert stage.screen.writing.text.text == "Soup"
        assert stage.notices == ["The editor failed with status 3. The text is unchanged."]


async def test_what_an_editor_saved_before_it_failed_is_in_the_drafts(tmp_path: Path, editor: Use) -> None:
    async with on_stage(tmp_path) as stage:
        await write(stage)
        editor(" and bread", status=3)
        await stage.press("ctrl+o")
        assert stage.screen.writing.text.text == "Soup"
        assert drafts(stage) == ["Soup", "Soup and bread"]
        assert "What you wrote in the editor is in Drafts." in stage.notices[-1]


async def test_another_text_that_is_in_compose_by_then_is_not_replaced(tmp_path: Path, editor: Use) -> None:
    async with on_stage(tmp_path) as stage:
        await write(stage)
        engineering = Narrow.topic(stage.server.channel("engineering"), "music")
        editor(" and bread", meanwhile=lambda: stage.screen.go(engineering))
        await stage.press("ctrl+o")
        assert stage.screen.writing.text.text == ""
        assert drafts(stage) == ["Soup", "Soup and bread"]
        assert stage.notices[-1].startswith("The text in compose was changed while the editor was open.")


async def test_another_version_of_the_draft_that_arrived_meanwhile_is_not_replaced(
    tmp_path: Path, editor: Use
) -> None:
    async with on_stage(tmp_path) as stage:
        await write(stage)
        (draft,) = stage.session.drafts.all()
        save = stage.session.drafts.save

        def elsewhere() -> None:
            save(draft.draft_id, draft.destination, "Soup at noon")
            stage.screen.writing.follow_draft()

        editor(" and bread", meanwhile=elsewhere)
        await stage.press("ctrl+o")
        assert stage.screen.writing.text.text == "Soup at noon"
        assert drafts(stage) == ["Soup and bread", "Soup at noon"]


async def test_the_text_of_the_editor_goes_along_when_its_topic_is_moved_meanwhile(
    tmp_path: Path, editor: Use
) -> None:
    async with on_stage(tmp_path) as stage:
        await write(stage)
        old = ChannelDestination(stage.server.channel("general"), "lunch")
        new = ChannelDestination(old.channel_id, "✔ lunch")
        editor(" and bread", meanwhile=lambda: follow_topic(stage.screen, old, new, is_own=False))
        await stage.press("ctrl+o")
        writing = stage.screen.writing
        assert (writing.destination()[0], writing.text.text) == (new, "Soup and bread")
        assert drafts(stage) == ["Soup and bread"]
