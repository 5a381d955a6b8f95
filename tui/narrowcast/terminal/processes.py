"""The beginning and end of processes that the app starts.

At the end of the app a task is cancelled again while it waits for the end of a process that it has killed, and
the end of the loop cancels all tasks. A process that nobody waits for keeps its pipes open, so a cancellation takes
effect once the process has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process
from pathlib import Path
from typing import Any

__all__ = ["kill", "start"]


async def start(*command: str | Path, **options: Any) -> Process:
    """As `asyncio.create_subprocess_exec`. If this is cancelled, the process has been killed and has ended."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, **options))
    cancelled: asyncio.CancelledError | None = None
    while not starting.done():
        try:
            await asyncio.wait([starting])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return starting.result()
    if not starting.cancelled() and starting.exception() is None:
        await kill(starting.result())
    raise cancelled


async def kill(process: Process) -> None:
    """Kills the process if it runs, reads its output to the end and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            await process.communicate()
            break
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
