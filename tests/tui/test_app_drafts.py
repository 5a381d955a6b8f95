"""One draft, edited in the app and on another device at the same time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast.screens.main.title import TitleLine
from narrowcast.screens.messages.drafts import ConflictScreen, DraftsScreen, RemovedDraftsScreen
from narrowcast_api.client import Client
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.resources.drafts import DraftVersion
from support.screens import screen_text
from support.sessions import until
from support.stage import Stage, on_stage


class Device:
    """Another device of the same user."""

    def __init__(self, stage: Stage, client: Client, where: ChannelDestination) -> None:
        self.stage = stage
        self.client = client
        self.where = where

    async def texts(self) -> list[str]:
        """The drafts on the server, oldest first."""
        return [draft.content for draft in await self.client.drafts.list()]

    async def writes(self, content: str) -> None:
        """Edits the first draft."""
        draft = (await self.client.drafts.list())[0]
        assert draft.id is not None
        await self.client.drafts.edit(draft_id=draft.id, draft=DraftVersion(self.where, content))

    async def deletes(self) -> None:
        """Sends or deletes the first draft."""
        draft = (await self.client.drafts.list())[0]
        assert draft.id is not None
        await self.client.drafts.delete(draft_id=draft.id)


@asynccontextmanager
async def two_devices(folder: Path) -> AsyncIterator[Device]:
    """The draft `soup` is in compose and on the server."""
    async with on_stage(folder) as stage, Client.open(stage.server.account("ada")) as client:
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        stage.screen.writing.begin.channel(where)
        await stage.type("soup")
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        device = Device(stage, client, where)
        assert await device.texts() == ["soup"]
        yield device


async def in_conflict(device: Device, there: str = "soup there") -> None:
    """Both devices edit the draft before either has received the other's change."""
    stage = device.stage
    live = stage.session.status
    stage.session.synchronizer.on_status(live._replace(kind=ConnectionKind.OFFLINE))
    await stage.type(" here")
    await device.writes(there)
    await until(lambda: stage.session.drafts.conflicts())
    stage.session.synchronizer.on_status(live)
    await stage.pilot.pause()


async def test_what_another_device_writes_is_shown_and_never_overwritten(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await device.writes("soup and bread")
        await until(lambda: stage.screen.writing.text.text == "soup and bread")
        assert "changed on another device" in stage.notices[-1]
        await stage.press("escape", "d", "escape", "c")
        assert [draft.content for draft in stage.session.drafts.all()] == ["soup and bread"]
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert await device.texts() == ["soup and bread"]


async def test_leaving_compose_writes_nothing_over_a_text_that_was_not_touched(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        stage.screen.writing.follow_draft = lambda: None  # type: ignore[method-assign]  # its frame has not come yet
        await device.writes("soup and bread")
        await until(lambda: [draft.content for draft in stage.session.drafts.all()] == ["soup and bread"])
        await stage.press("escape")
        assert [draft.content for draft in stage.session.drafts.all()] == ["soup and bread"]


async def test_a_draft_that_was_sent_elsewhere_leaves_compose_and_undo_brings_it_back(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await device.deletes()
        await stage.told("This draft was sent or deleted. Ctrl-z in compose brings its text back.")
        assert stage.screen.writing.text.text == ""
        await stage.press("enter")
        await stage.told("You have nothing to send!")
        assert stage.session.outbox.entries() == []
        assert stage.session.drafts.all() == []
        await stage.press("ctrl+z")
        assert stage.screen.writing.text.text == "soup"
        assert [draft.content for draft in stage.session.drafts.all()] == ["soup"]


async def test_enter_sends_no_draft_that_was_sent_elsewhere_a_moment_ago(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        stage.screen.writing.follow_draft = lambda: None  # type: ignore[method-assign]  # its frame has not come yet
        await device.deletes()
        await until(lambda: stage.session.drafts.all() == [])
        await stage.press("enter")
        assert "This draft was sent or deleted." in stage.notices[-1]
        assert stage.session.outbox.entries() == []
        assert stage.screen.writing.text.text == ""


async def test_what_was_changed_here_stays_as_a_new_draft_and_is_not_sent_before_one_knows(
    tmp_path: Path,
) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await stage.type(" and bread")
        await device.deletes()
        await stage.told("This draft was sent or deleted elsewhere. What you wrote since is a new draft.")
        assert stage.screen.writing.text.text == "soup and bread"
        assert [draft.content for draft in stage.session.drafts.all()] == ["soup and bread"]
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert await device.texts() == ["soup and bread"]


async def test_another_window_that_shows_the_sent_draft_is_emptied_too(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as first, on_stage(tmp_path, server=first.server) as second:
        where = ChannelDestination(first.server.channel("general"), "lunch")
        first.screen.writing.begin.channel(where)
        await first.type("soup")
        await until(lambda: [draft.content for draft in second.session.drafts.all()] == ["soup"])
        second.screen.writing.begin.channel(where)
        assert second.screen.writing.text.text == "soup"
        await first.press("enter")
        await second.told("This draft was sent or deleted.")
        assert second.screen.writing.text.text == ""
        await second.press("enter")
        assert [entry for entry in second.session.outbox.entries() if not entry.elsewhere] == []


@asynccontextmanager
async def two_windows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Stage, Stage]]:
    """The draft `soup` is in both. From now on none of them looks by itself for what the other has done."""
    async with on_stage(folder) as first, on_stage(folder, server=first.server) as second:
        where = ChannelDestination(first.server.channel("general"), "lunch")
        first.screen.writing.begin.channel(where)
        await first.type("soup")
        await until(lambda: [draft.content for draft in second.session.drafts.all()] == ["soup"])
        second.screen.writing.begin.channel(where)
        await second.drawn()
        with monkeypatch.context() as patch:
            for stage in (first, second):
                patch.setattr(stage.session.journal_watcher, "look", nothing)
            yield first, second


async def nothing() -> None:
    """Does nothing."""


async def sent(stage: Stage) -> list[str]:
    """The messages of the topic, and those that are on their way to it."""
    there = [message["content"] for message in await stage.server.newest("ada", topic="lunch")]
    return [*there, *(entry.content for entry in stage.session.outbox.unsent())]


async def test_two_windows_do_not_both_send_a_draft_however_quickly_one_follows_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_windows(tmp_path, monkeypatch) as (first, second):
        (draft,) = first.session.drafts.all()
        journal = first.session.storage.journal
        await first.press("enter")
        await until(lambda: not journal.is_pending("drafts", draft.draft_id))
        await until(lambda: first.session.outbox.unsent() == [])
        await second.press("enter")
        await second.told("This draft was sent or deleted.")
        assert second.screen.writing.text.text == ""
        assert await sent(second) == ["soup"]
        await second.press("ctrl+z")
        assert second.screen.writing.text.text == "soup"


async def test_a_window_does_not_send_a_draft_to_which_another_has_just_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_windows(tmp_path, monkeypatch) as (first, second):
        await second.type("!")
        await second.session.drafts.flush()
        await first.press("enter")
        await first.told("This draft was changed on another device.")
        assert first.screen.writing.text.text == "soup!"
        assert await sent(first) == []


async def test_a_window_that_added_to_a_draft_while_another_sent_it_says_so_before_it_sends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_windows(tmp_path, monkeypatch) as (first, second):
        (draft,) = second.session.drafts.all()
        await second.type("!")
        await second.session.drafts.flush()
        first.session.drafts.delete(draft.draft_id)  # as sending does, before the addition is read
        await until(lambda: [draft.content for draft in first.session.drafts.all()] == ["soup!"])
        await first.session.drafts.flush()
        await second.press("enter")
        await second.told("This draft was sent or deleted elsewhere. What you wrote since is a new draft.")
        assert second.screen.writing.text.text == "soup!"
        assert await sent(second) == []
        await second.press("enter")
        assert await sent(second) == ["soup!"]


async def test_two_windows_that_write_in_the_same_draft_at_once_both_keep_their_own_text_in_compose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_windows(tmp_path, monkeypatch) as (first, second):
        await first.type("!")
        await first.session.drafts.flush()
        await second.type("?")
        await second.session.drafts.flush()
        await first.session.journal_watcher.catch_up(10)
        for stage, own in ((first, "soup!"), (second, "soup?")):
            await stage.told(
                "This draft was also edited elsewhere. Alt-e shows both versions, to choose one."
            )
            assert stage.screen.writing.text.text == own
            assert sorted(draft.content for draft in stage.session.drafts.all()) == ["soup!", "soup?"]


async def test_a_conflict_is_reported_and_keeping_the_other_text_drops_the_own_one(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await in_conflict(device)
        await until(lambda: stage.notices and "also edited elsewhere" in stage.notices[-1])
        await stage.press("escape", "d", "H")
        assert isinstance(stage.app.screen, ConflictScreen)
        await stage.press("2")
        assert stage.screen.writing.text.text == "soup there"
        await stage.press("escape")
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert [draft.content for draft in stage.session.drafts.all()] == ["soup there"]
        assert await device.texts() == ["soup there"]


async def test_the_own_text_stays_in_compose_where_the_other_one_arrived_last(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage, drafts = device.stage, device.stage.session.drafts
        await stage.type(" here")
        await until(lambda: all(draft.synced for draft in drafts.all()))
        await stage.press("left", "left")
        (draft,) = await device.client.drafts.list()
        unseen = DraftVersion(device.where, "soup there")  # typed before, and sent in the same moment
        typed_at = stage.session.clock.now() - 5
        await device.client.drafts.edit(draft_id=draft.id or 0, draft=unseen, timestamp=typed_at)
        await stage.told("This draft was also edited elsewhere. Alt-e shows both versions, to choose one.")
        assert stage.screen.writing.text.text == "soup here"
        assert not any("changed on another device" in notice for notice in stage.notices)
        await stage.type("!")
        assert sorted(draft.content for draft in drafts.all()) == ["soup he!re", "soup there"]
        await stage.press("alt+e")
        await stage.press("1" if drafts.conflicts()[0][0].content == "soup there" else "2")
        assert stage.screen.writing.text.text == "soup there"
        assert [draft.content for draft in drafts.all()] == ["soup there"]


async def test_the_hint_of_two_versions_goes_once_one_keeps_the_own(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await in_conflict(device)
        await until(lambda: "two versions" in stage.screen.writing.target.hint.plain)
        await stage.press("alt+e", "1")
        await until(lambda: "two versions" not in stage.screen.writing.target.hint.plain)


async def test_two_long_versions_are_told_beside_the_limit_and_shown_where_they_differ(
    tmp_path: Path,
) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        words = " ".join(f"word{number:04}" for number in range(1_000))
        await device.writes(words)
        await until(lambda: stage.screen.writing.text.text == words)
        await stage.press("ctrl+end")
        await in_conflict(device, f"{words} there")
        hint = stage.screen.writing.target.hint
        await until(lambda: hint.plain.strip() == "Alt-e two versions · 996 characters left")
        await stage.press("alt+e")
        shown = screen_text(stage.app.screen)
        assert "word0999 here" in shown
        assert "word0999 there" in shown


async def test_keeping_the_own_text_drops_the_other(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await in_conflict(device)
        await stage.press("escape", "d", "H", "1")
        assert stage.screen.writing.text.text == "soup here"
        await stage.press("escape")
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert await device.texts() == ["soup here"]


async def test_keeping_both_makes_two_drafts_and_each_opens_as_itself(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await in_conflict(device)
        await stage.press("escape", "d", "H", "b")
        assert stage.session.drafts.conflicts() == []
        seen = []
        for steps in ((), ("j",)):
            await stage.press(*steps, "enter")
            seen.append(stage.screen.writing.text.text)
            await stage.press("escape", "d")
        assert sorted(seen) == ["soup here", "soup there"]
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert sorted(await device.texts()) == ["soup here", "soup there"]


async def test_a_draft_begun_elsewhere_is_what_one_continues_here(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage, Client.open(stage.server.account("ada")) as client:
        where = await stage.in_topic("general", "lunch")
        await client.drafts.create(drafts=[DraftVersion(where, "soup")])
        writing = stage.screen.writing
        await until(lambda: writing.text.text == "soup")
        await stage.press("r")
        await stage.type("!")
        assert [draft.content for draft in stage.session.drafts.all()] == ["soup!"]
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert [draft.content for draft in await client.drafts.list()] == ["soup!"]


async def test_a_draft_begun_elsewhere_does_not_replace_what_is_written_here(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await device.client.drafts.create(drafts=[DraftVersion(device.where, "stew")])
        await until(lambda: len(stage.session.drafts.all()) == 2)
        await stage.drawn()
        assert stage.screen.writing.text.text == "soup"


async def test_a_draft_that_was_set_aside_does_not_come_back_by_itself(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await stage.press("alt+n")
        await device.writes("soup and bread")
        await until(lambda: [draft.content for draft in stage.session.drafts.all()] == ["soup and bread"])
        await stage.drawn()
        assert stage.screen.writing.text.text == ""


async def test_the_title_counts_the_other_drafts_of_the_conversation_and_a_key_lists_them(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("general", "lunch")
        await stage.press("r")
        await stage.type("soup")
        await stage.drawn()
        title = stage.screen.query_one(TitleLine)
        assert "draft" not in title.plain
        await stage.press("alt+n")
        await stage.type("stew")
        stage.session.drafts.save(None, ChannelDestination(where.channel_id, "tea"), "milk")
        await stage.drawn()
        assert "1 other draft F5" in title.plain
        await stage.press("f5")
        await until(lambda: isinstance(stage.app.screen, DraftsScreen))
        await stage.pilot.pause()
        shown = screen_text(stage.app.screen)
        assert "Drafts for #general › lunch" in shown
        assert "stew" in shown
        assert "milk" not in shown


async def test_a_key_in_compose_shows_both_versions_of_a_conflict_and_another_chooses(tmp_path: Path) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        await in_conflict(device)
        await stage.told("This draft was also edited elsewhere. Alt-e shows both versions, to choose one.")
        assert stage.screen.writing.target.hint.plain.strip() == "Alt-e two versions"
        await stage.press("alt+e", "2")
        assert stage.screen.writing.text.text == "soup there"
        await stage.drawn()
        assert "two versions" not in stage.screen.writing.target.hint.plain
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert await device.texts() == ["soup there"]


async def test_the_text_of_a_draft_that_the_server_has_lost_is_listed_and_can_be_restored(
    tmp_path: Path,
) -> None:
    async with two_devices(tmp_path) as device:
        stage = device.stage
        with stage.server.organization.transaction():
            stage.server.organization.store.execute("DELETE FROM drafts")
        stage.session.synchronizer.stream.register_again()
        await stage.server.send("bruno", "general", "tea")
        await stage.told("A draft was sent, deleted or replaced elsewhere. d r shows its text.")
        await stage.drawn()
        assert stage.screen.writing.text.text == ""
        await stage.press("escape", "d")
        await until(lambda: isinstance(stage.app.screen, DraftsScreen))
        assert "r 1 removed elsewhere" in screen_text(stage.app.screen)
        await stage.press("r")
        await until(lambda: isinstance(stage.app.screen, RemovedDraftsScreen))
        await stage.pilot.pause()
        assert "soup" in screen_text(stage.app.screen)
        await stage.press("enter")
        assert "removed elsewhere" not in screen_text(stage.app.screen)
        await stage.press("enter")
        assert stage.screen.writing.text.text == "soup"
        await until(lambda: all(draft.synced for draft in stage.session.drafts.all()))
        assert await device.texts() == ["soup"]
