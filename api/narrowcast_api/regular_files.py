"""Files that can be read to their end without waiting for anybody."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def regular(path: Path) -> Path:
    """The path, for opening. Raises OSError for a pipe, a socket or a device, which may never answer or never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a folder fails by itself
        raise OSError(errno.EINVAL, "not a regular file; put a regular file in its place", str(path))
    return path
