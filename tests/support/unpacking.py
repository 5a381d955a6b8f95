"""Unpacking archives of the tests' own making, on every Python that is supported."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(file: Path, into: Path) -> None:
    """Everything in ``file``, filtered where Python can do that: from 3.11.4 on."""
    with tarfile.open(file) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(into)
