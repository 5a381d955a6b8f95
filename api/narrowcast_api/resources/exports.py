"""Exports of the organization's data (outside the contract, CONV-23)."""

from __future__ import annotations

from narrowcast_api.errors import MalformedResponse
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Done, Group, read, segment
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.organization import CreatedId, Export, ExportConsent, ExportConsentList, ExportList
from narrowcast_api.wire.vocabulary import ExportType

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
    """DELETE /export/realm/{export_id}: delete the file of an export."""
    path = f"/export/realm/{segment(export_id, 'export_id')}"
    return read(Done, await connection.request("DELETE", path))


async def list_export_consents(connection: Connection) -> list[ExportConsent]:
    """GET /export/realm/consents: which users let administrators export their private data; administrators
    only, level 295, else Unsupported.
    """
    (await connection.identified()).require(Gate.EXPORT_CONSENTS)
    response = await connection.request("GET", "/export/realm/consents")
    return list(read(ExportConsentList, response).export_consents)


class Exports(Group):
    """Exports of the organization's data."""

    list = Bound(list_exports)
    create = Bound(create_export)
    delete = Bound(delete_export)
    consents = Bound(list_export_consents)
