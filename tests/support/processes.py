"""Other programs of a test: waiting for them, the children of the test itself, unpacking archives."""

from __future__ import annotations

import json
import os
import tarfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["BETWEEN", "Late", "Tables", "children", "tables_of", "unpack", "unpacked", "wait_until"]

BETWEEN = 0.05
"""Seconds between two checks."""


class Late(AssertionError):
    """Something did not happen in time."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not in time: {what}")


def wait_until(holds: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    """Checks repeatedly until a condition holds. Raises Late, with `what`, after too long."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Late(what)
        time.sleep(BETWEEN)


def children(module: str) -> set[int]:
    """The ids of this process's own children that run the Python module; other test processes may have theirs."""
    found = set()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            folder = Path(f"/proc/{name}")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and module.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.add(int(name))
    return found


Tables = dict[str, list[dict[str, Any]]]


def unpack(file: Path, into: Path) -> None:
    """Unpacks ``file``, with a filter if Python supports that: from 3.11.4 on."""
    with tarfile.open(file) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(into)


def unpacked(file: Path, into: Path) -> Path:
    """Unpacks an archive and returns its only folder."""
    unpack(file, into)
    with tarfile.open(file) as archive:
        (folder,) = {name.split("/")[0] for name in archive.getnames()}
    return into / folder


def tables_of(folder: Path) -> Tables:
    """All rows of an unpacked Zulip archive."""
    realm = json.loads((folder / "realm.json").read_text())
    assert realm.pop("import_source") == "zulip"
    rows: Tables = realm
    rows |= json.loads((folder / "attachment.json").read_text())
    for file in sorted(folder.glob("messages-*.json")):
        for table, part in json.loads(file.read_text()).items():
            rows.setdefault(table, []).extend(part)
    return rows
