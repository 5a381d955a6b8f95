"""An unsaved edit of a message outlives the window in which it was typed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.edits import UnsavedEdits
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import Edit
from narrowcast_api.wire.events import UpdateMessageEvent
from support.clock import VirtualClock

EDIT = Edit(12, "Soop", "Soup", ChannelDestination(7, "lunch"))


class Window:
    """A window, and the names of windows that it knows to have ended."""

    def __init__(self, folder: Path, name: str, *gone: str) -> None:
        self.clock = VirtualClock()
        self.journal = Journal.open(folder / "journal.db", window=name, executor=inline)
        self.gone = set(gone)
        self.edits = UnsavedEdits(
            journal=self.journal, clock=self.clock, is_gone=lambda owner: owner in self.gone
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self.edits.run())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self.journal.close()


@contextmanager
def window(folder: Path, name: str, *gone: str) -> Iterator[Window]:
    opened = Window(folder, name, *gone)
    with closing(opened.journal):
        yield opened


def kept(folder: Path) -> list[tuple[str | None, str]]:
    """The unsaved edits on the disk: owner and text."""
    with closing(Journal.open(folder / "journal.db", read_only="looked at", executor=inline)) as journal:
        return [(edit.owner, edit.content) for edit in journal.edits()]


async def test_what_is_typed_is_on_the_disk_within_a_moment_and_not_with_each_key(tmp_path: Path) -> None:
    typing = Window(tmp_path, "a")
    async with typing.running():
        typing.edits.update(replace(EDIT, content="S"))
        assert kept(tmp_path) == [("a", "S")]
        for text in ("So", "Sou", "Soup"):
            typing.edits.update(replace(EDIT, content=text))
        assert kept(tmp_path) == [("a", "S")]
        await typing.clock.advance(0.3)
        assert kept(tmp_path) == [("a", "Soup")]
        assert typing.clock.sleeping == []


def test_the_unsaved_edit_of_an_ended_window_is_taken_over_once_with_all_its_data(tmp_path: Path) -> None:
    with window(tmp_path, "a") as first:
        first.edits.update(EDIT)
    with window(tmp_path, "b", "a") as second, window(tmp_path, "c", "a") as third:
        assert second.edits.take_over() == [replace(EDIT, owner="a")]
        assert second.edits.take_over() == []
        assert kept(tmp_path) == [("b", "Soup")]
        third.journal.refresh().result()
        assert third.edits.take_over() == []
        (left,) = second.edits.all()
        assert replace(left, owner=None) == EDIT


def test_what_a_living_window_writes_stays_its_own(tmp_path: Path) -> None:
    with window(tmp_path, "a") as first, window(tmp_path, "b") as second:
        first.edits.update(EDIT)
        second.journal.refresh().result()
        assert second.edits.take_over() == []
        second.edits.update(replace(EDIT, content="Stew"))
        assert sorted(kept(tmp_path)) == [("a", "Soup"), ("b", "Stew")]


def test_an_own_unsaved_edit_is_not_replaced_by_that_of_an_ended_window(tmp_path: Path) -> None:
    with window(tmp_path, "a") as first:
        first.edits.update(EDIT)
    with window(tmp_path, "b", "a") as second:
        second.edits.update(replace(EDIT, content="Stew"))
        assert second.edits.take_over() == []
        assert sorted(kept(tmp_path)) == [("a", "Soup"), ("b", "Stew")]
        second.edits.forget(EDIT.message_id)
        assert [edit.content for edit in second.edits.take_over()] == ["Soup"]


def test_a_change_is_in_the_journal_until_the_server_has_it(tmp_path: Path) -> None:
    with window(tmp_path, "a") as only:
        only.edits.update(EDIT)
        only.edits.saving(EDIT)
        assert (only.edits.all(), kept(tmp_path)) == ([], [("a", "Soup")])
        only.edits.update(EDIT)  # the save was rejected
        assert (only.edits.all(), kept(tmp_path)) == ([EDIT], [("a", "Soup")])
        only.edits.saving(EDIT)
        only.edits.saved(EDIT)
        assert (only.edits.all(), kept(tmp_path)) == ([], [])


def test_a_message_that_is_changed_again_while_it_is_saved_keeps_the_new_change(tmp_path: Path) -> None:
    with window(tmp_path, "a") as only:
        only.edits.saving(EDIT)
        again = replace(EDIT, content="Soup, hot")
        only.edits.update(again)
        only.edits.saved(EDIT)
        only.edits.write()
        assert kept(tmp_path) == [("a", "Soup, hot")]


def changed(content: str | None, **fields: Any) -> UpdateMessageEvent:
    return UpdateMessageEvent(message_id=EDIT.message_id, content=content, **fields)


def test_a_text_that_came_before_the_edit_and_was_not_seen_here_was_replaced(tmp_path: Path) -> None:
    with window(tmp_path, "here") as here:
        here.edits.saving(EDIT)
        assert here.edits.on_update(changed("Stew")) is None
        assert here.edits.on_update(changed(None)) is None  # moved
        assert here.edits.on_update(changed("Soop", rendering_only=True)) is None
        here.edits.saved(EDIT)  # the response may be faster than the event
        assert here.edits.on_update(changed("Soup\n")) == replace(EDIT, content="Stew")
        assert here.edits.on_update(changed("Soup")) is None


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([], id="none"),
        pytest.param(["Soop"], id="the text with which the edit began"),
        pytest.param(["Soup"], id="the same text"),
    ],
)
def test_what_was_seen_here_was_not_replaced(tmp_path: Path, before: list[str]) -> None:
    with window(tmp_path, "here") as here:
        here.edits.saving(EDIT)
        assert [here.edits.on_update(changed(text)) for text in (*before, "Soup", "Stew", "Soup")] == [
            None
        ] * (len(before) + 3)


@pytest.mark.parametrize("lost", ["forget", "snapshot"])
def test_an_edit_that_is_not_saved_or_whose_events_are_lost_is_not_followed(
    tmp_path: Path, lost: str
) -> None:
    with window(tmp_path, "here") as here:
        here.edits.saving(EDIT)
        here.edits.on_update(changed("Stew"))
        if lost == "forget":
            here.edits.forget(EDIT.message_id)
        else:
            here.edits.on_snapshot()
        assert here.edits.on_update(changed("Soup")) is None


@pytest.mark.parametrize("end", ["saved", "update"])
async def test_the_end_of_a_save_can_be_waited_for(tmp_path: Path, end: str) -> None:
    with window(tmp_path, "here") as here:
        await here.edits.save_ended(EDIT.message_id)  # there is none
        here.edits.saving(EDIT)
        waiting = asyncio.create_task(here.edits.save_ended(EDIT.message_id))
        await asyncio.sleep(0)
        assert here.edits.is_saving(EDIT.message_id)
        assert not waiting.done()
        getattr(here.edits, end)(EDIT)
        await waiting
        assert not here.edits.is_saving(EDIT.message_id)


@pytest.mark.parametrize("content", ["\ud800", "\0", "a" * 100_000])
def test_any_text_can_be_kept(tmp_path: Path, content: str) -> None:
    with window(tmp_path, "a") as first:
        first.edits.update(replace(EDIT, content=content, destination=None))
    with window(tmp_path, "b", "a") as second:
        (taken,) = second.edits.take_over()
        assert taken.content == content.replace("\ud800", "\N{REPLACEMENT CHARACTER}") or taken.content == "?"
        assert taken.destination is None
