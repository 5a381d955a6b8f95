"""What holds for every test: property tests try the same each time, and files are kept in memory where there is
room, because most of the waiting is for disks.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from support import exploring

_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30


def pytest_configure() -> None:
    """Before pytest makes its folder; child processes and workers inherit it. A TMPDIR that is set stays."""
    exploring.load_profile()
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None
