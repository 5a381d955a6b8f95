"""Background tasks: errors are logged and reported, the others go on, all end with their owner."""

from __future__ import annotations

import asyncio
import logging

import pytest

from narrowcast_api.errors import NotConnected
from narrowcast_api.tasks import RESTART_AFTER, Tasks
from support.clock import VirtualClock

Reported = list[tuple[str, str]]


@pytest.fixture
def reported() -> Reported:
    return []


@pytest.fixture
def tasks(reported: Reported) -> Tasks:
    return Tasks(lambda name, error: reported.append((name, type(error).__name__)))


async def fails(error: Exception) -> None:
    raise error


async def test_an_error_is_logged_and_reported_and_the_others_go_on(
    tasks: Tasks, reported: Reported, caplog: pytest.LogCaptureFixture
) -> None:
    go = asyncio.Event()
    other = tasks.start(go.wait(), "wait")
    await asyncio.gather(tasks.start(fails(KeyError("x")), "look it up"))
    await asyncio.gather(tasks.start(fails(NotConnected("down")), "send it"))
    assert reported == [("look it up", "KeyError"), ("send it", "NotConnected")]
    assert [
        (record.levelname, record.getMessage(), record.exc_info is None) for record in caplog.records
    ] == [
        ("ERROR", "could not look it up", False),
        ("WARNING", "could not send it: down", True),
    ]
    assert not other.done()
    go.set()
    await other
    assert len(tasks) == 0


async def test_all_tasks_have_ended_when_it_is_closed(tasks: Tasks, reported: Reported) -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("work")

    tasks.start(work(), "work")
    await asyncio.sleep(0)
    tasks.start(work(), "work that never began")  # its coroutine must not be reported as never awaited
    await tasks.close()
    assert (ended, len(tasks), reported) == (["work"], 0, [])


async def test_a_loop_that_fails_starts_again_after_a_second(
    tasks: Tasks, reported: Reported, caplog: pytest.LogCaptureFixture
) -> None:
    clock, starts = VirtualClock(), 0

    async def loop() -> None:
        nonlocal starts
        starts += 1
        if starts < 3:
            raise ZeroDivisionError
        await asyncio.Event().wait()

    running = tasks.keep_running(loop, "count", clock)
    await clock.advance(RESTART_AFTER - 0.01)
    assert starts == 1
    await clock.advance(RESTART_AFTER + 0.01)
    assert starts == 3
    assert reported == [("count", "ZeroDivisionError")] * 2
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
        "could not count; it starts again"
    ] * 2
    await tasks.close()
    assert running.cancelled()


async def test_a_loop_that_ends_is_not_started_again(tasks: Tasks) -> None:
    clock, starts = VirtualClock(), 0

    async def loop() -> None:
        nonlocal starts
        starts += 1

    await tasks.keep_running(loop, "count", clock)
    await clock.advance(10 * RESTART_AFTER)
    assert starts == 1
