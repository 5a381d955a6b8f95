"""Text that moves between drafts, outbox, unsaved edits and uploads is on disk once whenever the process ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config.config import Compose, Config
from narrowcast.panes.compose import start
from narrowcast.screens.later.scheduled import ScheduledScreen
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols import uploads
from narrowcast_api.wire.messages import UploadResult
from support.journals import each_commit
from support.screens import confirm, edit_own
from support.sessions import until
from support.stage import Stage, on_stage, run

HELD = Config(compose=Compose(undo_send=20))


def saved(stage: Stage) -> None:
    """Writes what was typed to the disk."""
    stage.session.services.queue_writes()
    assert stage.session.storage.journal.flush(10)


def places(found: list[list[str]]) -> list[list[str]]:
    """Where the text was after each commit, without repetitions."""
    return [now for number, now in enumerate(found) if number == 0 or found[number - 1] != now]


async def test_a_draft_that_is_sent_becomes_a_message_and_a_draft_again_if_that_is_undone(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, config=HELD) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("Soup")
        saved(stage)
        with each_commit(stage.session.storage.journal, "Soup") as found:
            await stage.press("enter")
            assert places(found)[-1] == ["outbox"]
            await stage.press("escape")
            assert places(found) in ([["outbox"], ["drafts"]], [["drafts"], ["outbox"], ["drafts"]])


async def test_a_message_that_is_taken_back_from_the_outbox_becomes_a_draft(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.session.outbox.send(ChannelDestination(stage.server.channel("general"), "x" * 500), "Soup")
        with each_commit(stage.session.storage.journal, "Soup") as found:
            await stage.press("f9")
            await until(lambda: stage.session.drafts.all())
            assert places(found) in ([["drafts"]], [["outbox"], ["drafts"]])


async def test_an_edit_whose_time_passes_becomes_a_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        monkeypatch.setattr(start, "ASK_TIME_EVERY", 0.05)
        await edit_own(stage)
        await stage.type(" with")
        saved(stage)
        with each_commit(stage.session.storage.journal, "Soop with") as found:
            await stage.server.call("ada", "PATCH", "/realm", {"message_content_edit_limit_seconds": 1})
            await stage.told("The time for edits is over.")
            assert places(found) in ([["drafts"]], [["edits"], ["drafts"]])


async def test_an_edit_that_would_overwrite_another_one_becomes_a_draft(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" with")
        saved(stage)
        with each_commit(stage.session.storage.journal, "Soop with") as found:
            await stage.press("escape")
            await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "Salad"})
            await stage.press("e")
            await stage.told("Your unsaved edit of it is in Drafts.")
            assert places(found) in ([["drafts"]], [["edits"], ["drafts"]])


async def test_a_scheduled_message_that_is_sent_now_goes_through_drafts_to_the_outbox(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        session = stage.session
        parameters = {
            "type": "channel",
            "to": stage.server.channel("general"),
            "topic": "soup",
            "content": "Soup at noon",
            "scheduled_delivery_timestamp": int(session.clock.now()) + 3600,
        }
        await stage.server.call("ada", "POST", "/scheduled_messages", parameters)
        await until(lambda: session.state.scheduled_messages.all())
        await run(stage, "go.scheduled")
        assert isinstance(stage.app.screen, ScheduledScreen)
        with each_commit(session.storage.journal, "Soup at noon") as found:
            await stage.press("s")
            await confirm(stage)
            await until(lambda: found and not found[-1])
            assert places(found) == [["drafts"], ["outbox"], []]


async def test_the_link_of_an_upload_goes_into_the_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def upload_file(*_: object, path: Path, **__: object) -> UploadResult:
        return UploadResult(url=f"/user_uploads/{path.name}", filename=path.name)

    monkeypatch.setattr(uploads, "upload_file", upload_file)
    path = tmp_path / "plan.txt"
    path.write_bytes(b"the plan")
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("See")
        saved(stage)
        with each_commit(stage.session.storage.journal, "/user_uploads/plan.txt") as found:
            stage.screen.writing.uploads.start(path, stage.screen.writing.links.place)
            await until(lambda: "plan.txt](" in stage.screen.writing.text.text)
            saved(stage)
            assert places(found) == [[], ["uploads"], ["drafts"]]
