"""Exports of the organization's data, for administrators."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.actions.exports import delete_export, request_export
from narrowcast_server.http.params import defaulted, integer_choice
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.exports import ADDRESS, NUMBERS, archive_exists, consents_of, exports_of
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.uploads.exports import archive_at
from narrowcast_server.uploads.serving import file_response, missing_file

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
def list_exports(call: Call) -> ResponseBody:
    """All exports: pending, completed, failed and deleted ones."""
    return {"exports": exports_of(call.core)}


@routes.post("/export/realm", KIND, NUMBER, callers=Callers.ADMINISTRATORS)
def create_export(call: Call) -> ResponseBody:
    """Starts an export; an event reports when it is complete."""
    kind = _BY_NUMBER[call[NUMBER]] if call.level < Gate.EXPORT_TYPE_WORDS.level else call[KIND]
    return {"id": request_export(call.core, call.user, kind)}


@routes.get("/export/realm/consents", since=Gate.EXPORT_CONSENTS.level, callers=Callers.ADMINISTRATORS)
def list_consents(call: Call) -> ResponseBody:
    """Which users consent to having their private data exported."""
    return {"export_consents": consents_of(call.core)}


@routes.delete("/export/realm/{export_id}", callers=Callers.ADMINISTRATORS)
def remove_export(call: Call) -> ResponseBody:
    """Deletes the archive; the export stays in the list."""
    delete_export(call.core, call.path_id("export_id"))
    return {}


@routes.add("GET", f"{ADDRESS}/{{path:path}}", absolute=True, public=True, accepts_anything=True)
def open_export(call: Call) -> Response:
    """Serves an archive to anyone who has its URL."""
    place = call.path["path"]
    file = archive_at(call.core.folder, place)
    if file is None or not archive_exists(call.core, place):
        raise missing_file()
    response = file_response(file, "application/gzip", file.name, private=True, download=True)
    response.headers["Cache-Control"] = "no-store"
    return response
