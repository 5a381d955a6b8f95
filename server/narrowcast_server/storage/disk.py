"""Flushes commits to the disk: in a thread, one flush for all requests that wait.

Here SQLite syncs its log only at checkpoints (`synchronous = NORMAL`), so nothing is lost when the process
dies. So that nothing acknowledged is lost when the machine crashes either, each response waits for a flush
that began after its commit. Requests that arrive during a flush are processed and share the next one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)


class Disk:
    """Flushes one file. For a single event loop."""

    def __init__(self, path: Path, sync: Callable[[int], None] = _sync) -> None:
        self._path = path
        self._sync = sync
        self._file: int | None = None
        self._next: asyncio.Future[None] | None = None
        self._working: asyncio.Task[None] | None = None

    async def flushed(self) -> None:
        """Returns once everything written before this call is on the disk; raises OSError if the flush fails."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        coming = self._next
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        await asyncio.shield(coming)

    async def _work(self) -> None:
        while (waiting := self._next) is not None:
            self._next = None
            try:
                await asyncio.to_thread(self._flush)
            except OSError as error:
                waiting.set_exception(error)
            else:
                waiting.set_result(None)

    def _flush(self) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR)
        self._sync(self._file)

    def close(self) -> None:
        if self._working is not None:
            self._working.cancel()
        if self._file is not None:
            os.close(self._file)
            self._file = None
