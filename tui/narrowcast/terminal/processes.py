"""The beginning and end of processes that the app starts.

At the end of the app a task is cancelled again while it waits for the end of a process that it has killed. A
process that nobody waits for keeps its pipes open, so a cancellation takes effect once the process has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["kill", "start"]

Result = TypeVar("Result")


async def start(*command: str | Path, **options: Any) -> Process:
    """As `asyncio.create_subprocess_exec`. If this is cancelled, the process has been killed and has ended."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, **options))
    try:
        return await _to_its_end(starting)
    except asyncio.CancelledError:
        if starting.exception() is None:
            await kill(starting.result())
        raise


async def kill(process: Process) -> None:
    """Kills the process if it runs, reads its output to the end and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await _to_its_end(asyncio.ensure_future(process.communicate()))


async def _to_its_end(task: asyncio.Task[Result]) -> Result:
    """The result of ``task``, which runs to its end even if this is cancelled, which is raised then."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
