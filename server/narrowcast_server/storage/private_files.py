"""Files that only the server's user can read: secrets, and account files with keys."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

_SECRET_BYTES: Final = 32


def write_secret(path: Path, text: str) -> None:
    """Atomically writes a file that only its owner can read."""
    _replace(path, text.encode())


def load_or_create_secret(path: Path) -> bytes:
    """The random bytes in a file, which is created if it is missing or has the wrong length."""
    with contextlib.suppress(FileNotFoundError):
        present = path.read_bytes()
        if len(present) == _SECRET_BYTES:
            return present
    fresh = secrets.token_bytes(_SECRET_BYTES)
    _replace(path, fresh)
    return fresh


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
