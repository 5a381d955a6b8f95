"""The end of processes that the app has started."""

from __future__ import annotations

import asyncio
import contextlib

__all__ = ["kill"]


async def kill(process: asyncio.subprocess.Process) -> None:
    """Kills the process if it runs, reads its output to the end and waits for it.

    A cancellation takes effect afterwards: at the end of the app a task is cancelled again while it waits here, and
    a process that nobody waits for keeps its pipes open.
    """
    cancelled: asyncio.CancelledError | None = None
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    while True:
        try:
            await process.communicate()
            break
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
