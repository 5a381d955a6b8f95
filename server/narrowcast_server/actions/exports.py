"""Exports of the organization's data at the request of administrators."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.exports import CONSENT, exports_of, is_pending, requested_this_week
from narrowcast_server.uploads.exports import archive_at

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_A_WEEK: Final = 5
_MAX_MESSAGES: Final = 250_000


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
    emit_exports(core)
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
    if (archive := archive_at(core.folder, row["place"])) is not None:
        core.after_commit(lambda: shutil.rmtree(archive.parent, ignore_errors=True))
    emit_exports(core)


def emit_consent(core: Core, user: User) -> None:
    """Emits `realm_export_consent` after a user changed their consent."""
    event = {"type": "realm_export_consent", "user_id": user.id, "consented": switched_on(user, CONSENT)}
    core.emit(event, _administrators(core))


def _administrators(core: Core) -> list[int]:
    return [user.id for user in core.users.all() if user.is_active and user.is_administrator]


def emit_exports(core: Core) -> None:
    """Emits `realm_export` with all exports."""
    core.emit({"type": "realm_export", "exports": exports_of(core)}, _administrators(core))
