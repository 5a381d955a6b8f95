"""A window learns what other windows of its account write, and counts as alive while it does."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast_api.client import Client
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.storage.records import OutboxMessage, OutboxState
from narrowcast_api.storage.windows import TOUCH_EVERY, Machine
from narrowcast_api.sync.journal_watcher import JournalWatcher
from support.api import ACCOUNT
from support.clock import VirtualClock

SOUP = OutboxMessage("m1", 1, ChannelDestination(7, "lunch"), "Soup", OutboxState.WAITING, 1.0)
HERE, THERE = Machine("laptop", "boot-1"), Machine("desktop", "boot-2")


def storage_at(folder: Path, machine: Machine = HERE) -> AccountStorage:
    return AccountStorage.open(
        folder / "data",
        folder / "cache",
        "https://chat.example",
        "ada@demo.example",
        machine=machine,
        executor=inline,
    )


@dataclass
class Heard:
    """What a part of the session is told of other windows."""

    changes: list[JournalChanges]

    def on_journal(self, changes: JournalChanges) -> None:
        self.changes.append(changes)


def context_of(
    storage: AccountStorage, clock: VirtualClock, heard: list[JournalChanges] | None = None
) -> SessionContext:
    context = SessionContext(storage, State(11), Client.open(ACCOUNT, clock=clock), clock)
    context.follow_journal(Heard([] if heard is None else heard))
    return context


@pytest.fixture
def first(tmp_path: Path) -> Iterator[AccountStorage]:
    with storage_at(tmp_path) as storage:
        yield storage


async def test_a_window_that_was_too_late_learns_at_once_each_time_what_another_wrote(
    tmp_path: Path, first: AccountStorage, clock: VirtualClock
) -> None:
    heard: list[JournalChanges] = []
    watcher = JournalWatcher(context_of(first, clock, heard), on_leader=lambda: None)
    reading = asyncio.create_task(watcher.run_on_lost_writes())
    with storage_at(tmp_path) as second:
        for number in (1, 2):
            message = replace(SOUP, local_id=f"m{number}", position=number)
            first.journal.put_outbox(message)
            await clock.settle()
            second.journal.claim_outbox(message.local_id).result()
            first.journal.put_outbox(replace(message, state=OutboxState.SENDING))
            await clock.settle()
            assert [changes.lost_of("outbox") for changes in heard[number - 1 :]] == [{message.local_id}]
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


async def test_other_machines_see_that_a_window_lives_for_as_long_as_it_does(
    tmp_path: Path, first: AccountStorage, clock: VirtualClock
) -> None:
    watcher = JournalWatcher(context_of(first, clock), on_leader=lambda: None)
    (file,) = (tmp_path / "data").glob("*/windows/*")
    for _ in range(2):
        os.utime(file, (0, 0))
        await clock.advance(TOUCH_EVERY)
        await watcher.look()
        with storage_at(tmp_path, THERE) as elsewhere:
            assert elsewhere.read_only


async def test_a_window_that_only_reads_looks_for_the_others_too(tmp_path: Path, clock: VirtualClock) -> None:
    (tmp_path / "data").write_text("no folder")
    with storage_at(tmp_path) as storage:
        assert storage.window is None
        await JournalWatcher(context_of(storage, clock), on_leader=lambda: None).look()
