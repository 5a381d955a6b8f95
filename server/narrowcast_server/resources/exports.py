"""Exports of the organization's data at the request of administrators (`zulip_archive/` makes them)."""

from __future__ import annotations

import re
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.http.params import defaulted, integer_choice
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import setting, switched_on
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.uploads.serving import file_response, missing_file

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization
    from narrowcast_server.storage.store import Row

CONSENT: Final = "allow_private_data_export"
"""The personal setting by which users consent to having their private data exported."""
ADDRESS: Final = "/user_avatars/exports"
"""Path of all exports. Their names cannot be guessed, so a browser opens them without logging in."""
NUMBERS: Final = {ExportType.PUBLIC: 1, ExportType.FULL_WITH_CONSENT: 2}
"""Numbers of the export types in requests and responses, below level 449."""
_WEEK: Final = 7 * 86_400
FOLDER: Final = "exports"
"""The folder of archives inside the data folder; backups leave it out."""
_FILE: Final = "narrowcast-export.tar.gz"
_PLACE: Final = re.compile(rf"([A-Za-z0-9_-]{{43}})/{re.escape(_FILE)}")
_A_WEEK: Final = 5
_MAX_MESSAGES: Final = 250_000


def exports_of(organization: Organization) -> list[dict[str, object]]:
    """All requested exports, by id."""
    return [
        _export_object(organization, row)
        for row in organization.store.all("SELECT * FROM exports ORDER BY id")
    ]


def _export_object(organization: Organization, row: Row) -> dict[str, object]:
    there = row["place"] is not None and row["deleted"] is None
    return {
        "id": row["id"],
        "acting_user_id": row["user_id"],
        "export_time": row["requested"],
        "export_url": f"{organization.url}{ADDRESS}/{row['place']}" if there else None,
        "deleted_timestamp": row["deleted"],
        "failed_timestamp": row["failed"],
        "pending": is_pending(row),
        "export_type": shown_type(organization.level, ExportType(row["kind"])),
    }


def shown_type(level: int, kind: ExportType) -> int | str:
    """An export type as servers of a level write it."""
    return kind.value if level >= Gate.EXPORT_TYPE_WORDS.level else NUMBERS[kind]


def consents_of(organization: Organization) -> list[dict[str, object]]:
    """Whether each active user consents to having their private data exported."""
    return [
        {
            "user_id": user.id,
            "consented": switched_on(user, CONSENT),
            "email_address_visibility": setting(user, "email_address_visibility"),
        }
        for user in organization.users.all()
        if user.is_active and not user.is_bot
    ]


def is_pending(row: Row) -> bool:
    """Whether an export is not finished yet."""
    return row["place"] is None and row["failed"] is None


def archive_exists(organization: Organization, place: str) -> bool:
    """Whether this place has an archive that is not deleted."""
    return (
        organization.store.one("SELECT 1 FROM exports WHERE place = ? AND deleted IS NULL", place) is not None
    )


def requested_this_week(organization: Organization) -> int:
    """How many exports were requested in the last week."""
    return (
        organization.store.integer(
            "SELECT count(*) FROM exports WHERE requested > ?", organization.now() - _WEEK
        )
        or 0
    )


def new_place() -> str:
    """A place for an archive, as it is stored and as it ends the archive's URL."""
    return f"{secrets.token_urlsafe(32)}/{_FILE}"


def is_place(place: object) -> bool:
    """Whether this is a place of an archive, and so within its folder."""
    return isinstance(place, str) and _PLACE.fullmatch(place) is not None


def archive_at(data: Path, place: object) -> Path | None:
    """The path of an archive; None if this is no place of one."""
    match = _PLACE.fullmatch(place) if isinstance(place, str) else None
    return None if match is None else data / FOLDER / match[1] / _FILE


def request_export(organization: Organization, user: User, kind: ExportType) -> int:
    """Requests an export; returns its id. Raises BAD_REQUEST for too many exports in a week or too many messages."""
    if requested_this_week(organization) >= _A_WEEK:
        raise ServiceError("Exceeded rate limit.")
    if (organization.store.integer("SELECT count(*) FROM messages") or 0) > _MAX_MESSAGES:
        raise ServiceError(
            "The export you requested is too large for automatic processing. Ask the operator of this server."
        )
    identity = organization.store.insert(
        "INSERT INTO exports (user_id, kind, requested) VALUES (?, ?, ?)",
        user.id,
        kind.value,
        organization.now(),
    )
    organization.after_commit(organization.export_wanted.set)
    emit_exports(organization)
    return identity


def remove_export(organization: Organization, export_id: int) -> None:
    """Deletes an archive; raises BAD_REQUEST if there is none."""
    row = organization.store.one("SELECT * FROM exports WHERE id = ?", export_id)
    if row is None:
        raise ServiceError("Invalid data export ID")
    if row["deleted"] is not None:
        raise ServiceError("Export already deleted")
    if row["failed"] is not None:
        raise ServiceError("Export failed, nothing to delete")
    if is_pending(row):
        raise ServiceError("Export still in progress")
    organization.store.execute("UPDATE exports SET deleted = ? WHERE id = ?", organization.now(), export_id)
    if (archive := archive_at(organization.folder, row["place"])) is not None:
        organization.after_commit(lambda: shutil.rmtree(archive.parent, ignore_errors=True))
    emit_exports(organization)


def emit_consent(organization: Organization, user: User) -> None:
    """Emits `realm_export_consent` after a user changed their consent."""
    event = {"type": "realm_export_consent", "user_id": user.id, "consented": switched_on(user, CONSENT)}
    organization.emit(event, _administrators(organization))


def _administrators(organization: Organization) -> list[int]:
    return [user.id for user in organization.users.all() if user.is_active and user.is_administrator]


def emit_exports(organization: Organization) -> None:
    """Emits `realm_export` with all exports."""
    organization.emit(
        {"type": "realm_export", "exports": exports_of(organization)}, _administrators(organization)
    )


routes = Routes()

_BY_NUMBER: Final = {number: kind for kind, number in NUMBERS.items()}


def export_type(name: str, text: str) -> ExportType:
    """A type of exports that this server makes."""
    if (word := text.strip('"')) not in NUMBERS:
        raise ServiceError(f"Invalid {name}")
    return ExportType(word)


KIND = defaulted("export_type", export_type, ExportType.PUBLIC, since=Gate.EXPORT_TYPE_WORDS.level)
NUMBER = defaulted(
    "export_type",
    integer_choice(*_BY_NUMBER),
    NUMBERS[ExportType.PUBLIC],
    until=Gate.EXPORT_TYPE_WORDS.level,
)


@routes.get("/export/realm", callers=Callers.ADMINISTRATORS)
def get_exports(call: Call) -> ResponseBody:
    """All exports: pending, completed, failed and deleted ones."""
    return {"exports": exports_of(call.organization)}


@routes.post("/export/realm", KIND, NUMBER, callers=Callers.ADMINISTRATORS)
def post_export(call: Call) -> ResponseBody:
    """Starts an export; an event reports when it is complete."""
    kind = _BY_NUMBER[call[NUMBER]] if call.level < Gate.EXPORT_TYPE_WORDS.level else call[KIND]
    return {"id": request_export(call.organization, call.user, kind)}


@routes.get("/export/realm/consents", since=Gate.EXPORT_CONSENTS.level, callers=Callers.ADMINISTRATORS)
def get_consents(call: Call) -> ResponseBody:
    """Which users consent to having their private data exported."""
    return {"export_consents": consents_of(call.organization)}


@routes.delete("/export/realm/{export_id}", callers=Callers.ADMINISTRATORS)
def delete_export(call: Call) -> ResponseBody:
    """Deletes the archive; the export stays in the list."""
    remove_export(call.organization, call.path_id("export_id"))
    return {}


@routes.add("GET", f"{ADDRESS}/{{path:path}}", absolute=True, public=True, accepts_anything=True)
def get_archive(call: Call) -> Response:
    """Serves an archive to anyone who has its URL."""
    place = call.path["path"]
    file = archive_at(call.organization.folder, place)
    if file is None or not archive_exists(call.organization, place):
        raise missing_file()
    response = file_response(file, "application/gzip", file.name, private=True, download=True)
    response.headers["Cache-Control"] = "no-store"
    return response
