"""The folders and files of an account, which are private to the user."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from urllib.parse import urlsplit

_UNSAFE = re.compile(r"[^a-z0-9.@+-]+")
_MAX_NAME_LENGTH = 60


def account_folder_name(site: str, email: str) -> str:
    """A folder name for one account: readable, safe on every file system, different for every account.

    The same for `site` with and without a trailing slash and in any case.
    """
    parts = urlsplit(site if "//" in site else f"//{site}")
    identity = f"{parts.netloc.lower()}{parts.path.rstrip('/')} {email.strip().lower()}"
    readable = _UNSAFE.sub("-", f"{parts.netloc}-{email.strip()}".lower()).strip(".-")[:_MAX_NAME_LENGTH]
    digest = sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{readable or 'account'}-{digest}"


def expand_home(path: Path | str) -> Path:
    """Expands `~` in a path that the user entered. If the home folder is unknown, the path is returned
    unchanged and does not exist; `Path.expanduser` would raise RuntimeError.
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111


def private_folder(path: Path) -> Path:
    """Creates the folder, readable only by its owner (0700), and missing folders above it. Raises OSError."""
    for missing in reversed(list(takewhile(lambda folder: not folder.exists(), [path, *path.parents]))):
        missing.mkdir(mode=0o700, exist_ok=True)  # `parents=True` would create them with the default mode
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)
    return path


def private_file(path: Path) -> Path:
    """Creates an empty file if there is none, readable only by its owner (0600). Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    return path
