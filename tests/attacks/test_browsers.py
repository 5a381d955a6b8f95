"""Pages of other sites cannot use the server through a user's browser; other programs are not affected."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
import websockets

from narrowcast_server.organization.config import ServerConfig
from support.server import TestServer, running_server

OWN = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}


async def status(server: TestServer, **headers: str) -> int:
    response = await server.raw(None, "GET", "/server_settings", headers=headers)
    assert response.json()["result"] in ("success", "error")
    return response.status_code


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 200),
        ({"Host": "evil.example", **OWN}, 403),
        ({"Host": "evil.example:9911", **OWN}, 403),
        ({"Host": "evil.example.", **OWN}, 403),
        ({"Host": "", **OWN}, 403),
        ({"Host": "localhost.evil.example", **OWN}, 403),
        ({"Host": "127.0.0.1.evil.example", **OWN}, 403),
        ({"Host": "localhost:1234", **OWN}, 200),
        ({"Host": "[::1]:1234", **OWN}, 200),
        ({"Host": "192.0.2.1", **OWN}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "websocket"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Host": "evil.example", "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 403),
    ],
)
async def test_requests_are_accepted_depending_on_their_origin_headers(
    server: TestServer, headers: dict[str, str], expected: int
) -> None:
    assert await status(server, **headers) == expected


async def test_a_page_of_the_servers_own_origin_may_call_it(server: TestServer) -> None:
    assert await status(server, Origin=server.url, **OWN) == 200


async def test_a_server_that_listens_on_all_addresses_accepts_any_host_name(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        server.organization.config = ServerConfig(url=server.url, any_name=True)
        assert await status(server, Host="team.local:9911", **OWN) == 200
        assert await status(server, Host="team.local", Origin="https://evil.example") == 403
        assert await status(server, Host="team.local", Origin="http://team.local") == 200


async def test_a_page_of_another_origin_cannot_change_data(server: TestServer) -> None:
    user = server.user("ada")
    async with httpx2.AsyncClient(trust_env=False, auth=(user.delivery_email, user.api_key)) as client:
        response = await client.post(
            f"{server.url}/api/v1/saved_snippets",
            data={"title": "t", "content": "c"},
            headers={"Origin": "https://evil.example"},
        )
    assert response.status_code == 403
    assert (await server.call("ada", "GET", "/saved_snippets"))["saved_snippets"] == []


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://[", "http://localhost:1"])
async def test_a_page_of_another_origin_gets_no_websocket(server: TestServer, origin: str) -> None:
    address = f"ws://{urlsplit(server.url).netloc}/api/v1/events/stream?queue_id=x"
    with pytest.raises(websockets.InvalidStatus) as caught:
        await websockets.connect(address, additional_headers={"Origin": origin}, proxy=None)
    assert caught.value.response.status_code == 403
