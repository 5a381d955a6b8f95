"""Makes the exports that administrators request: one archive at a time, in a thread."""

from __future__ import annotations

import asyncio
import logging
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.resources.exports import FOLDER, archive_at, emit_exports, new_place

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization
    from narrowcast_server.storage.store import Row

_log = logging.getLogger("narrowcast.server")


async def make_exports(organization: Organization) -> None:
    """Makes the requested exports as long as the server runs; restarts one that a stopped server had begun."""
    _forget_lost(organization)
    while True:
        row = organization.store.one(
            "SELECT * FROM exports WHERE place IS NULL AND failed IS NULL ORDER BY id LIMIT 1"
        )
        if row is None:
            organization.export_wanted.clear()
            await organization.export_wanted.wait()
        else:
            await _make(organization, row)


def _forget_lost(organization: Organization) -> None:
    """Marks exports without a file (after a restore) as deleted; deletes files that belong to no export."""
    rows = organization.store.all("SELECT * FROM exports WHERE place IS NOT NULL AND deleted IS NULL")
    archives = {row["id"]: archive_at(organization.folder, row["place"]) for row in rows}
    lost = [identity for identity, archive in archives.items() if archive is None or not archive.is_file()]
    folder = organization.folder / FOLDER
    known = {archive.parent.name for archive in archives.values() if archive is not None}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)
    with organization.transaction():
        for identity in lost:
            organization.store.execute(
                "UPDATE exports SET deleted = ? WHERE id = ?", organization.now(), identity
            )


async def _make(organization: Organization, row: Row) -> None:
    place = new_place()
    archive = archive_at(organization.folder, place)
    assert archive is not None
    stopped = threading.Event()
    try:
        await asyncio.to_thread(_write, organization.folder, archive, ExportType(row["kind"]), stopped)
    except asyncio.CancelledError:
        stopped.set()
        raise
    except Exception:
        _log.exception("export %s failed", row["id"])
        changed, value = "failed", str(organization.now())
    else:
        changed, value = "place", place
    with organization.transaction():
        organization.store.execute(f"UPDATE exports SET {changed} = ? WHERE id = ?", value, row["id"])
        emit_exports(organization)


def _write(data: Path, target: Path, kind: ExportType, stopped: threading.Event) -> None:
    # Imported late: seldom needed, and slow to load.
    from narrowcast_server.zulip_archive.writing.archive import write_archive

    target.parent.mkdir(parents=True, mode=0o700)
    try:
        write_archive(data, target, kind=kind, should_continue=lambda: not stopped.is_set(), say=_log.info)
    except BaseException:  # half an archive must not look like a whole one
        shutil.rmtree(target.parent, ignore_errors=True)
        raise
