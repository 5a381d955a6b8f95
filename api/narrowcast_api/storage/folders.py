"""Where an account's files are, and that nobody else can read them."""

from __future__ import annotations

import hashlib
import os
import re
from itertools import takewhile
from pathlib import Path
from urllib.parse import urlsplit

_UNSAFE = re.compile(r"[^a-z0-9.@+-]+")
_LONGEST_NAME = 60


def account_folder_name(site: str, email: str) -> str:
    """A name for the folder of one account: readable, safe on every file system, different for every account.

    The same for `site` with and without a trailing slash and in any case.
    """
    parts = urlsplit(site if "//" in site else f"//{site}")
    identity = f"{parts.netloc.lower()}{parts.path.rstrip('/')} {email.strip().lower()}"
    readable = _UNSAFE.sub("-", f"{parts.netloc}-{email.strip()}".lower()).strip(".-")[:_LONGEST_NAME]
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{readable or 'account'}-{digest}"


def expanded(path: Path | str) -> Path:
    """The path that somebody has named, where `~` is their home folder. Where nobody knows whose home is meant it stays
    as it is, and there is no such file; `Path.expanduser` would raise RuntimeError.
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111


def private_folder(path: Path) -> Path:
    """Make the folder if need be, readable by its owner only (0700), and what is missing above it. Raises OSError where
    that fails.
    """
    for missing in reversed(list(takewhile(lambda folder: not folder.exists(), [path, *path.parents]))):
        missing.mkdir(mode=0o700, exist_ok=True)  # `parents=True` gives those above it the usual mode
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)
    return path


def private_file(path: Path) -> Path:
    """Make an empty file if need be, readable by its owner only (0600). Raises OSError where that fails."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    return path
