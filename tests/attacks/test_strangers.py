"""Without credentials only login and public information are reachable."""

from __future__ import annotations

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from narrowcast_server.app import routes_of
from narrowcast_server.http.routing import Endpoint
from support.server import TestServer

CLOSED = sorted((e for e in routes_of() if not e.public), key=lambda e: (e.path, e.method))
OPEN = {
    "/accounts/login/browser/",
    "/accounts/login/subdomain/{token}",
    "/json/fetch_api_key",
    "/",
    "/fetch_api_key",
    "/health",
    "/join/{token}",
    "/join/{token}/",
    "/reset",
    "/reset/{token}",
    "/reset/{token}/",
    "/server_settings",
    "/static/emoji.json",
    "/static/images/{name}",
    "/tus",
    "/tus/",
}
"""Routes that need no credentials; files and images have separate rules."""


def url_of(server: TestServer, endpoint: Endpoint) -> str:
    path = "/".join("1" if part.startswith("{") else part for part in endpoint.path.split("/"))
    return f"{server.url}{path}" if endpoint.absolute else f"{server.url}/api/v1{path}"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        (None, ""),
        ("ada@demo.example", "x" * 32),
        ("nobody@demo.example", "x" * 32),
        ("", ""),
        ("ada@demo.example", ""),
    ],
)
async def test_every_operation_requires_credentials(
    server: TestServer, address: str | None, key: str
) -> None:
    auth = None if address is None else httpx2.BasicAuth(address, key)
    async with httpx2.AsyncClient(trust_env=False, auth=auth) as client:
        for endpoint in CLOSED:
            response = await client.request(endpoint.method, url_of(server, endpoint))
            where = (endpoint.method, endpoint.path)
            assert response.status_code == 401, where
            assert response.json()["code"] == "UNAUTHORIZED", where
            assert response.json().keys() <= {"result", "msg", "code"}, where


@pytest.mark.parametrize("name", ["hugo", "iris", "jasper", "dario"])
async def test_no_operation_fails_internally_without_parameters(server: TestServer, name: str) -> None:
    for endpoint in CLOSED:
        if endpoint.path in ("/events", "/users/me", "/users/me/api_key/regenerate"):
            continue
        response = await server.raw(name, endpoint.method, url_of(server, endpoint))
        assert response.status_code < 500, (endpoint.method, endpoint.path, response.text)


def test_every_route_without_credentials_is_listed() -> None:
    opened = {e.path for e in routes_of() if e.public}
    files = {path for path in opened if path.startswith(("/user_uploads/", "/user_avatars/", "/static/"))}
    assert opened - files <= OPEN, opened - files - OPEN


@pytest.mark.parametrize("query", ["", "?queue_id=x", "?queue_id={queue}&last_event_id=-1"])
async def test_a_websocket_without_credentials_receives_no_events(server: TestServer, query: str) -> None:
    listener = await server.listen("ada")
    url = server.url.replace("http://", "ws://") + "/api/v1/events/stream"
    async with connect(url + query.replace("{queue}", listener.queue_id), proxy=None) as socket:
        assert '"UNAUTHORIZED"' in str(await socket.recv())
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 4401


async def test_another_users_queue_is_treated_as_unknown(server: TestServer) -> None:
    listener = await server.listen("ada")
    await server.send("elif", "general", "t", "for the others")
    for name in ("bruno", "hugo", "iris"):
        refusal = await server.refusal(name, "GET", "/events", listener.poll(dont_block=True))
        assert refusal["code"] == "BAD_EVENT_QUEUE_ID"
        refusal = await server.refusal(name, "DELETE", "/events", {"queue_id": listener.queue_id})
        assert refusal["code"] == "BAD_EVENT_QUEUE_ID"
    assert len(await listener.events("message")) == 1
