"""One server a data folder: what is kept in memory would not survive a second one."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from narrowcast_server.storage.store import StoreError

_NAME = "narrowcast.lock"


class FolderLock:
    """Held until `release`, or until the process is gone, however it ends. Raises StoreError when another has it."""

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise StoreError(f"another server uses {folder}") from error

    def release(self) -> None:
        """Lets others have the folder."""
        os.close(self._descriptor)
