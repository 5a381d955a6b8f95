"""Public information about a server, available before logging in (SRV rows)."""

from __future__ import annotations

from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Operations
from narrowcast_api.routes.auth import fetch_api_key
from narrowcast_api.wire.server import ServerSettings


async def get_server_settings(connection: Connection) -> ServerSettings:
    """GET /server_settings: version, level, login methods. No credentials are sent (SRV-02).

    The connection learns the server's level and dialect from the response. Every field has a default: old
    servers omit many, and the root domain of a server with many organizations omits `realm_*` (SRV-24,
    SRV-25).
    """
    response = await connection.request("GET", "/server_settings", authenticated=False)
    connection.record_server(response)
    return ServerSettings.from_response(response)


class ServerOperations(Operations):
    """The server itself, and logging in to it."""

    settings = Bound(get_server_settings)
    fetch_api_key = Bound(fetch_api_key)
