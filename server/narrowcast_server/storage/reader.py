"""Reads of unpredictable duration: in threads, with connections of their own and a time limit."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from narrowcast_server.storage.store import Reading, connect_words

T = TypeVar("T")
_THREADS: Final = 4
_SECONDS: Final = 10.0
_STEPS: Final = 20_000
"""Steps of SQLite between two looks at the clock."""


class ReadTooLong(Exception):
    """A read was ended at its time limit."""


class Reader:
    """Reads what has been committed to a store. For a single event loop."""

    def __init__(self, path: Path, *, seconds: float = _SECONDS) -> None:
        """`seconds`: the limit of one read, in real time."""
        self._path = path
        self._seconds = seconds
        self._free = asyncio.Semaphore(_THREADS)
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    async def read(self, work: Callable[[Reading], T]) -> T:
        """The result of `work` in a thread, for which all reads see the same state; raises ReadTooLong."""
        async with self._free:
            return await asyncio.to_thread(self._read, work)

    def _read(self, work: Callable[[Reading], T]) -> T:
        connection = self._idle.pop() if self._idle else self._connected()
        until = time.monotonic() + self._seconds
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            connection.execute("BEGIN")
            return work(Reading(connection))
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise ReadTooLong from error
            raise
        finally:
            connection.set_progress_handler(None, 0)
            connection.rollback()
            self._idle.append(connection)
            if self._closed:
                self.close()

    def _connected(self) -> sqlite3.Connection:
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        # A connection is used by one thread at a time, not always the same one.
        connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connect_words(connection)
        return connection

    def close(self) -> None:
        """Closes the connections; one that is in use is closed at the end of its read."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
