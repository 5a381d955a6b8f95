"""Responses wait for the disk, sharing flushes."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.storage.disk import Disk
from narrowcast_server.storage.store import Store, fold_log
from support.server import running_server
from support.sessions import until


class SlowSync:
    """Replaces fsync; each flush ends when the test says so."""

    def __init__(self) -> None:
        self.begun = 0
        self._may_end = threading.Semaphore(0)

    def __call__(self, _file: int) -> None:
        self.begun += 1
        assert self._may_end.acquire(timeout=60)

    def end_one(self) -> None:
        """Lets one flush end."""
        self._may_end.release()


async def until_begun(sync: SlowSync, count: int) -> None:
    await until(lambda: sync.begun >= count)


async def test_requests_that_arrive_during_a_flush_share_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    sync = SlowSync()
    disk = Disk(tmp_path / "log", sync)
    first = asyncio.create_task(disk.flushed())
    await until_begun(sync, 1)
    others = [asyncio.create_task(disk.flushed()) for _ in range(5)]
    sync.end_one()
    await first
    await until_begun(sync, 2)
    assert not any(task.done() for task in others)
    sync.end_one()
    await asyncio.gather(*others)
    assert sync.begun == 2
    disk.close()


async def test_a_failed_flush_raises_for_its_waiters_and_is_retried(tmp_path: Path) -> None:
    outcomes: list[OSError | None] = [OSError(28, "No space left on device"), None]

    def sync(_file: int) -> None:
        if (outcome := outcomes.pop(0)) is not None:
            raise outcome

    (tmp_path / "log").touch()
    disk = Disk(tmp_path / "log", sync)
    with pytest.raises(OSError, match="No space left"):
        await disk.flushed()
    await disk.flushed()
    disk.close()


async def test_a_response_waits_for_the_disk_and_others_are_served_meanwhile(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        sync = SlowSync()
        server.organization.config = replace(server.organization.config, durable=True)
        server.organization.disk = Disk(server.organization.store.log_path, sync)
        sending = asyncio.create_task(server.send("ada", "general", "t"))
        await until_begun(sync, 1)
        await server.call("dario", "GET", "/messages", {"anchor": "newest", "num_before": 1, "num_after": 0})
        await server.call("dario", "POST", "/typing", {"op": "start", "to": [server.id("ada")]})
        assert not sending.done()
        sync.end_one()
        assert await sending > 0
        assert sync.begun == 1


def test_the_write_ahead_log_is_checkpointed_while_the_store_is_in_use(tmp_path: Path) -> None:
    store = Store(tmp_path / "some.db")
    store.execute("INSERT INTO settings (name, value) VALUES ('long', ?)", "x" * 500_000)
    assert fold_log(store.path) > 100
    assert store.path.stat().st_size > 500_000
    with store.transaction():
        store.execute("INSERT INTO settings (name, value) VALUES ('next', '1')")
        fold_log(store.path)
    assert store.strings("SELECT name FROM settings ORDER BY name") == ["long", "next"]
    store.close()
