"""Exports of the organization's data at the request of administrators: one archive at a time, in a thread."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.exports import CONSENT, exports_of, is_pending, requested_this_week

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core
    from narrowcast_server.storage.store import Row

FOLDER: Final = "exports"
"""The folder of archives inside the data folder; backups leave it out."""
_FILE: Final = "narrowcast-export.tar.gz"
_A_WEEK: Final = 5
_MAX_MESSAGES: Final = 250_000

_log = logging.getLogger("narrowcast.server")


def request_export(core: Core, user: User, kind: ExportType) -> int:
    """Requests an export; returns its id. Raises BAD_REQUEST for too many exports in a week or too many messages."""
    if requested_this_week(core) >= _A_WEEK:
        raise ServiceError("Exceeded rate limit.")
    if (core.store.integer("SELECT count(*) FROM messages") or 0) > _MAX_MESSAGES:
        raise ServiceError(
            "The export you requested is too large for automatic processing. Ask the operator of this server."
        )
    identity = core.store.insert(
        "INSERT INTO exports (user_id, kind, requested) VALUES (?, ?, ?)", user.id, kind.value, core.now()
    )
    core.after_commit(core.export_wanted.set)
    _emit_exports(core)
    return identity


def delete_export(core: Core, export_id: int) -> None:
    """Deletes an archive; raises BAD_REQUEST if there is none."""
    row = core.store.one("SELECT * FROM exports WHERE id = ?", export_id)
    if row is None:
        raise ServiceError("Invalid data export ID")
    if row["deleted"] is not None:
        raise ServiceError("Export already deleted")
    if row["failed"] is not None:
        raise ServiceError("Export failed, nothing to delete")
    if is_pending(row):
        raise ServiceError("Export still in progress")
    core.store.execute("UPDATE exports SET deleted = ? WHERE id = ?", core.now(), export_id)
    core.after_commit(lambda: shutil.rmtree(file_of(core, row["place"]).parent, ignore_errors=True))
    _emit_exports(core)


def file_of(core: Core, place: str) -> Path:
    """The path of the archive of a row's `place`."""
    return core.folder / FOLDER / place


def emit_consent(core: Core, user: User) -> None:
    """Emits `realm_export_consent` after a user changed their consent."""
    event = {"type": "realm_export_consent", "user_id": user.id, "consented": switched_on(user, CONSENT)}
    core.emit(event, _administrators(core))


def _administrators(core: Core) -> list[int]:
    return [user.id for user in core.users.all() if user.is_active and user.is_administrator]


def _emit_exports(core: Core) -> None:
    core.emit({"type": "realm_export", "exports": exports_of(core)}, _administrators(core))


async def make_exports(core: Core) -> None:
    """Makes the requested exports as long as the server runs; restarts one that a stopped server had begun."""
    _forget_lost(core)
    while True:
        row = core.store.one(
            "SELECT * FROM exports WHERE place IS NULL AND failed IS NULL ORDER BY id LIMIT 1"
        )
        if row is None:
            core.export_wanted.clear()
            await core.export_wanted.wait()
        else:
            await _make(core, row)


def _forget_lost(core: Core) -> None:
    """Marks exports without a file (after a restore) as deleted; deletes files that belong to no export."""
    rows = core.store.all("SELECT * FROM exports WHERE place IS NOT NULL AND deleted IS NULL")
    lost = [row["id"] for row in rows if not file_of(core, row["place"]).is_file()]
    folder, known = core.folder / FOLDER, {row["place"].partition("/")[0] for row in rows}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)
    with core.transaction():
        for identity in lost:
            core.store.execute("UPDATE exports SET deleted = ? WHERE id = ?", core.now(), identity)


async def _make(core: Core, row: Row) -> None:
    place = f"{secrets.token_urlsafe(32)}/{_FILE}"
    stopped = threading.Event()
    try:
        await asyncio.to_thread(_write, core.folder, file_of(core, place), ExportType(row["kind"]), stopped)
    except asyncio.CancelledError:
        stopped.set()
        raise
    except Exception:
        _log.exception("export %s failed", row["id"])
        changed, value = "failed", str(core.now())
    else:
        changed, value = "place", place
    with core.transaction():
        core.store.execute(f"UPDATE exports SET {changed} = ? WHERE id = ?", value, row["id"])
        _emit_exports(core)


def _write(data: Path, target: Path, kind: ExportType, stopped: threading.Event) -> None:
    # Imported late: seldom needed, and slow to load.
    from narrowcast_server.zulip_archive.writing.archive import write_archive

    target.parent.mkdir(parents=True, mode=0o700)
    try:
        write_archive(data, target, kind=kind, should_continue=lambda: not stopped.is_set(), say=_log.info)
    except BaseException:
        shutil.rmtree(target.parent, ignore_errors=True)
        raise
