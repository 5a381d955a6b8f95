"""Exports of the organization's data (outside the contract, CONV-23)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from narrowcast_api.errors import MalformedResponse
from narrowcast_api.http.operations import Bound, Done, Operations, read, segment
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import CreatedId, GoodList, Id, Seconds, WireModel
from narrowcast_api.wire.vocabulary import ExportType

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Export(WireModel):
    """An export of the organization's data. Times are in seconds since 1970 UTC, None if not reached.
    `export_from_prior_server`: it was made before the organization moved to this server, which has no file of it.
    """

    id: Id
    acting_user_id: Id | None = None
    export_time: Seconds | None = None
    export_url: str | None = None
    pending: bool = False
    failed_timestamp: Seconds | None = None
    deleted_timestamp: Seconds | None = None
    export_type: int | str | None = None
    export_from_prior_server: bool = False


class ExportConsent(WireModel):
    """Whether a user lets administrators export their private data."""

    user_id: Id
    consented: bool = False


# events


class RealmExportEvent(Event):
    """All exports, after one of them changed."""

    type: Literal["realm_export"] = "realm_export"
    exports: GoodList[Export] = []


class RealmExportConsentEvent(Event):
    """A user gave or withdrew consent to the export of their private data."""

    type: Literal["realm_export_consent"] = "realm_export_consent"
    user_id: Id
    consented: bool


# operations


class ExportList(WireModel):
    """Response of GET /export/realm."""

    exports: GoodList[Export] = []


class ExportConsentList(WireModel):
    """Response of GET /export/realm/consents."""

    export_consents: GoodList[ExportConsent] = []


_NUMBERS = {ExportType.PUBLIC: 1, ExportType.FULL_WITH_CONSENT: 2}
"""TODO(server-449): remove the numbers that older servers use for the types of exports."""


async def list_exports(connection: Connection) -> list[Export]:
    """GET /export/realm: finished, running and failed exports; administrators only."""
    return list(read(ExportList, await connection.request("GET", "/export/realm")).exports)


async def create_export(connection: Connection, *, export_type: ExportType = ExportType.PUBLIC) -> int:
    """POST /export/realm: start an export; returns its id. It may take long; an event reports when it is finished.

    Below level 182 the id is looked up. A full export contains the private data of users who consented, and
    needs level 304. Raises Unsupported for an export without consent below level 449. Raises BadRequest if the
    server makes no exports, or made too many this week.
    """
    server = await connection.identified()
    kind: int | ExportType = export_type
    if export_type is not ExportType.PUBLIC:
        server.require(Gate.EXPORT_TYPES)
    if not server.supports(Gate.EXPORT_TYPE_WORDS):
        if export_type not in _NUMBERS:
            server.require(Gate.EXPORT_TYPE_WORDS)
        kind = _NUMBERS[export_type]
    params = {"export_type": kind} if server.supports(Gate.EXPORT_TYPES) else {}
    response = await connection.request("POST", "/export/realm", params)
    if server.supports(Gate.EXPORT_ID) or "id" in response:
        return read(CreatedId, response).id
    newest = max((export.id for export in await list_exports(connection)), default=None)
    if newest is None:
        raise MalformedResponse("the new export is not among the exports")
    return newest


async def delete_export(connection: Connection, *, export_id: int) -> Done:
    """DELETE /export/realm/{export_id}: delete the file of an export. Raises BadRequest if the server has no file of
    it (`export_from_prior_server`).
    """
    path = f"/export/realm/{segment(export_id, 'export_id')}"
    return read(Done, await connection.request("DELETE", path))


async def list_export_consents(connection: Connection) -> list[ExportConsent]:
    """GET /export/realm/consents: which users let administrators export their private data; administrators
    only, level 295, else Unsupported.
    """
    (await connection.identified()).require(Gate.EXPORT_CONSENTS)
    response = await connection.request("GET", "/export/realm/consents")
    return list(read(ExportConsentList, response).export_consents)


class ExportOperations(Operations):
    """Exports of the organization's data."""

    list = Bound(list_exports)
    create = Bound(create_export)
    delete = Bound(delete_export)
    consents = Bound(list_export_consents)
