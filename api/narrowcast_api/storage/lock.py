"""One writer for an account: the first instance holds a lock, a second one knows who does."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class AccountLock:
    """An advisory lock on a file. The system gives it up when the process ends, however it ends.

    `held` tells whether this instance has it. If not, `owner_pid` is the process that does, as far as known.
    """

    def __init__(self, descriptor: int | None, owner_pid: int | None) -> None:
        self._descriptor = descriptor
        self.owner_pid = owner_pid

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    @classmethod
    def acquire(cls, path: Path) -> AccountLock:
        """Try once, without waiting. Raises OSError if the file cannot be made."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _read_pid(descriptor)
            os.close(descriptor)
            return cls(None, owner)
        except OSError:
            os.close(descriptor)
            raise
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode("ascii"))
        return cls(descriptor, os.getpid())

    def release(self) -> None:
        """Let go; the file stays, because removing it would let two others lock two different files."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _read_pid(descriptor: int) -> int | None:
    text = os.pread(descriptor, 20, 0)
    return int(text) if text.isdigit() else None
