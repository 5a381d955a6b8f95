"""A lock that allows one server per data folder: a second one would not see what the first keeps in memory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from narrowcast_server.storage.store import StoreError

_NAME = "narrowcast.lock"


class FolderLock:
    """Held until `release`, or until the process ends for any reason. Raises StoreError if another process
    holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise StoreError(f"another server uses {folder}") from error

    def release(self) -> None:
        os.close(self._descriptor)
