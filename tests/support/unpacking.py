"""Unpacks archives that tests have created, on every supported Python."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

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
