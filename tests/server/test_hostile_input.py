"""Whatever a request contains, the response is JSON as in the contract, and never an internal error."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from narrowcast_server.app import routes_of
from narrowcast_server.http.routing import Endpoint
from support.server import TestServer, running_server

NASTY: tuple[str, ...] = (
    "",
    " ",
    "0",
    "-1",
    "1",
    "99999999999999999999999999",
    "1e309",
    "NaN",
    "-Infinity",
    "null",
    "true",
    '"text"',
    "[]",
    "{}",
    "[1]",
    "[[1]]",
    "[null]",
    '["a", 1, null]',
    "[999999999999999999999]",
    '[{"id": 1}]',
    '{"new": 1}',
    '{"new": {"direct_members": ["x"], "direct_subgroups": [null]}}',
    '{"type": "stream", "to": [1], "topic": {}, "content": []}',
    '[{"operator": "channel", "operand": {"a": 1}}]',
    '[{"operator": "near", "operand": 1e400}]',
    '[["sender", ["x"]]]',
    '[{"operator": "search", "operand": "\\" OR * NEAR("}]',
    "[" * 5000,
    '{"a":' * 400 + "1" + "}" * 400,
    '"\\ud800"',
    "\x00",
    "a\x00b",
    "\u202eabc\u200b",
    "é" * 20_000,
    "' OR 1=1 --",
    "../../../../etc/passwd",
    "%s%n{0}{x!r}",
    "1; DROP TABLE messages",
)
PATHS: tuple[str, ...] = ("1", "0", "-1", "999999", "99999999999999999999", "x", "..", "%2e%2e", "a%00b", "é")
SKIPPED = {("GET", "/events"), ("DELETE", "/users/me")}
"""The first waits on purpose; the second deactivates the calling account."""


def endpoints() -> Iterator[Endpoint]:
    for endpoint in routes_of():
        if (endpoint.method, endpoint.path) not in SKIPPED and not endpoint.streaming:
            yield endpoint


def path_with_values(path: str, chance: random.Random) -> str:
    """The path with a value for each of its variables."""
    parts = [chance.choice(PATHS) if part.startswith("{") else part for part in path.split("/")]
    return "/".join(parts)


def fields(endpoint: Endpoint, chance: random.Random) -> dict[str, str]:
    """Values for most parameters and for an undeclared one; those of GET are short enough for a URL."""
    longest = 2000 if endpoint.method == "GET" else 1_000_000
    chosen = {param.name: chance.choice(NASTY) for param in endpoint.params if chance.random() < 0.9}
    return {name: value[:longest] for name, value in {**chosen, "unheard_of": chance.choice(NASTY)}.items()}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TestServer]:
    """A server with one message."""
    async with running_server(tmp_path / "data") as running:
        await running.send("dario", "general", "t", "hello")
        yield running


async def attack(server: TestServer, endpoint: Endpoint, name: str, chance: random.Random) -> tuple[int, str]:
    path = path_with_values(endpoint.path, chance)
    url = f"{server.url}{path}" if endpoint.absolute else path
    sent: dict[str, Any] = {**fields(endpoint, chance)}
    response = await server.raw(name, endpoint.method, url, sent)
    # Resumable uploads use the tus protocol, which responds with headers.
    if not endpoint.absolute and not endpoint.path.startswith("/tus"):
        assert response.headers.get("content-type") == "application/json", (endpoint, path, response)
        body = json.loads(response.content)
        assert body["result"] in ("success", "error"), (endpoint, body)
        if body["result"] == "error":
            assert isinstance(body["msg"], str)
            assert isinstance(body["code"], str)
            assert "Traceback" not in body["msg"]
    return response.status_code, path


@pytest.mark.parametrize("name", ["ada", "elif", "hugo"])
async def test_no_hostile_request_causes_an_internal_error(server: TestServer, name: str) -> None:
    chance = random.Random(f"hostile {name}")
    failures = []
    for endpoint in [*endpoints()] * 2:
        status, path = await attack(server, endpoint, name, chance)
        if status >= 500:
            failures.append(f"{endpoint.method} {path}: {status}")
    assert failures == []


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\xff\xfe=1", "application/x-www-form-urlencoded"),
        (b"a=%zz&b=%ff", "application/x-www-form-urlencoded"),
        (b"&".join(b"a%d=1" % number for number in range(5000)), "application/x-www-form-urlencoded"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"no boundary", "multipart/form-data"),
        (b"{}", "application/json"),
        (b"\x00" * 100, "application/octet-stream"),
        (b"a=" + b"x" * (3 * 1024 * 1024), "application/x-www-form-urlencoded"),
    ],
)
async def test_bodies_of_any_content_type_are_rejected_with_a_json_error(
    server: TestServer, content: bytes, kind: str
) -> None:
    response = await server.raw("elif", "POST", "/messages", content=content, headers={"content-type": kind})
    body = response.json()
    assert 400 <= response.status_code < 500
    assert (body["result"], type(body["msg"]), type(body["code"])) == ("error", str, str)


async def test_unknown_paths_and_methods_return_json(server: TestServer) -> None:
    for method, path in (("GET", "/nothing"), ("PUT", "/messages"), ("GET", "/users/me/"), ("POST", "/../x")):
        response = await server.raw("elif", method, path)
        assert response.status_code in (404, 405)
        assert response.json()["result"] == "error"
