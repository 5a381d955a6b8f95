"""Processes that the app starts are waited for, however often it is interrupted meanwhile."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from asyncio.subprocess import PIPE

import pytest

from narrowcast.terminal.programs import kill, start

LINGER = "import subprocess; subprocess.Popen(['sleep', '0.3']); print('begun', flush=True); input()"
"""A program whose output stays open for a moment after it was killed."""


async def begun() -> asyncio.subprocess.Process:
    process = await start(sys.executable, "-c", LINGER, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"begun\n"
    return process


def test_a_loop_that_ends_meanwhile_waits_for_a_process_that_was_killed() -> None:
    async def interrupted() -> int:
        process = await begun()
        ending.append(asyncio.ensure_future(kill(process)))
        await asyncio.sleep(0)
        return process.pid

    ending: list[asyncio.Task[None]] = []
    pid = asyncio.run(interrupted())  # cancels all tasks at its end
    assert ending[0].cancelled()
    ending.clear()
    gc.collect()  # an error for each pipe that is still open
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_cancellation_takes_effect_once_the_process_has_ended() -> None:
    process = await begun()
    ending = asyncio.ensure_future(kill(process))
    for _ in range(3):
        await asyncio.sleep(0.01)
        ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert process.returncode == -9


async def test_a_start_that_is_cancelled_leaves_no_process() -> None:
    starting = asyncio.ensure_future(
        start(sys.executable, "-c", LINGER, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    )
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    gc.collect()
