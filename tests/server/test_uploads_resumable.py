"""Uploads with tus: in parts, after interruptions, within limits."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.clock import VirtualClock
from support.ledger import proves
from support.server import TestServer, running_server
from support.sessions import until

TUS = {"Tus-Resumable": "1.0.0"}
PART = {**TUS, "Content-Type": "application/offset+octet-stream"}


def metadata(filename: str) -> str:
    """The `Upload-Metadata` header of a file."""
    pairs = {"filename": filename, "filetype": "text/plain"}
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in pairs.items())


async def created(server: TestServer, length: int, filename: str = "notes.txt", name: str = "ada") -> str:
    """Creates an upload and returns its URL."""
    headers = {**TUS, "Upload-Length": str(length), "Upload-Metadata": metadata(filename)}
    response = await server.raw(name, "POST", "/tus", headers=headers)
    assert response.status_code == 201, response.text
    assert response.headers["upload-offset"] == "0"
    assert response.headers["tus-resumable"] == "1.0.0"
    return server.url + response.headers["location"]


async def patched(
    server: TestServer, address: str, offset: int, content: bytes, name: str = "ada"
) -> httpx2.Response:
    """Sends bytes at an offset and returns the response."""
    headers = {**PART, "Upload-Offset": str(offset)}
    return await server.raw(name, "PATCH", address, headers=headers, content=content)


async def offset_of(server: TestServer, address: str, name: str = "ada") -> int:
    """The upload's current offset."""
    response = await server.raw(name, "HEAD", address, headers=TUS)
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"
    return int(response.headers["upload-offset"])


@proves("UPL-14", "UPL-15")
async def test_an_upload_in_parts_becomes_an_ordinary_file(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        address = await created(server, 11)
        first = await patched(server, address, 0, b"hello ")
        assert (first.status_code, first.headers["upload-offset"]) == (204, "6")
        assert await offset_of(server, address) == 6
        last = await patched(server, address, 6, b"world")
        assert last.status_code == 200
        response = last.json()
        assert (response["result"], response["filename"]) == ("success", "notes.txt")
        opened = await server.raw("ada", "GET", server.url + response["url"])
        assert opened.content == b"hello world"
        assert (await server.raw("ada", "HEAD", address, headers=TUS)).status_code == 404
        assert [one["size"] for one in (await server.call("ada", "GET", "/attachments"))["attachments"]] == [
            11
        ]


@proves("UPL-14")
async def test_below_its_level_the_service_has_no_resumable_uploads(tmp_path: Path) -> None:
    async with running_server(tmp_path, feature_level=295) as server:
        response = await server.raw("ada", "POST", "/tus", headers={**TUS, "Upload-Length": "1"})
        assert response.status_code == 404
        server.set_level(296)
        response = await server.raw("ada", "POST", "/tus", headers={**TUS, "Upload-Length": "1"})
        assert response.status_code == 201


async def test_creating_an_upload_may_include_bytes(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        headers = {**PART, "Upload-Length": "5", "Upload-Metadata": metadata("a.txt")}
        response = await server.raw("ada", "POST", "/tus", headers=headers, content=b"hello")
        assert (response.status_code, response.json()["filename"]) == (201, "a.txt")
        response = await server.raw("ada", "POST", "/tus", headers=headers, content=b"hel")
        assert (response.status_code, response.headers["upload-offset"]) == (201, "3")


async def test_an_empty_upload_is_complete_at_once(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        headers = {**TUS, "Upload-Length": "0", "Upload-Metadata": metadata("empty.txt")}
        response = await server.raw("ada", "POST", "/tus", headers=headers)
        assert response.json()["filename"] == "empty.txt"


async def test_bytes_received_before_an_interruption_are_kept(tmp_path: Path) -> None:
    async def half() -> AsyncIterator[bytes]:
        yield b"12345"
        raise ConnectionError("the line is cut")

    async with running_server(tmp_path) as server:
        address = await created(server, 10)
        headers = {**PART, "Upload-Offset": "0", "Content-Length": "10"}
        with pytest.raises(ConnectionError):
            await server.raw("ada", "PATCH", address, headers=headers, content=half())

        async def has_come() -> bool:
            return await offset_of(server, address) == 5

        await until(has_come)
        last = await patched(server, address, 5, b"67890")
        opened = await server.raw("ada", "GET", server.url + last.json()["url"])
        assert opened.content == b"1234567890"


async def test_an_upload_survives_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        address = await created(server, 4)
        await patched(server, address, 0, b"ab")
        identity = address.rpartition("/")[2]
    async with running_server(tmp_path) as server:
        address = f"{server.url}/api/v1/tus/{identity}"
        assert await offset_of(server, address) == 2
        assert (await patched(server, address, 2, b"cd")).status_code == 200


async def test_wrong_offsets_and_lengths_are_rejected(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        address = await created(server, 4)
        assert (await patched(server, address, 1, b"x")).status_code == 409
        assert (await patched(server, address, 0, b"12345")).status_code == 413
        assert await offset_of(server, address) == 0
        wrong = await server.raw("ada", "PATCH", address, headers={**TUS, "Upload-Offset": "0"}, content=b"x")
        assert wrong.status_code == 415
        other = await server.raw(
            "ada", "PATCH", address, headers={**PART, "Tus-Resumable": "0.2"}, content=b"x"
        )
        assert (other.status_code, other.headers["tus-version"]) == (412, "1.0.0")


@pytest.mark.parametrize("length", ["", "-1", "x", "1" * 30, "²"])
async def test_a_length_that_is_not_a_number_is_rejected(tmp_path: Path, length: str) -> None:
    async with running_server(tmp_path) as server:
        headers = [(b"Tus-Resumable", b"1.0.0"), (b"Upload-Length", length.encode("latin-1"))]
        response = await server.raw("ada", "POST", "/tus", headers=headers)
        assert (response.status_code, response.json()["code"]) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("text", ["filename !!!", "filename /w==", "x" * 5000])
async def test_metadata_that_is_not_base64_is_rejected(tmp_path: Path, text: str) -> None:
    async with running_server(tmp_path) as server:
        headers = {**TUS, "Upload-Length": "1", "Upload-Metadata": text}
        assert (await server.raw("ada", "POST", "/tus", headers=headers)).status_code == 400


async def test_a_file_beyond_the_limit_is_rejected_before_it_is_sent(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), max_file_upload_mib=1))
    async with running_server(tmp_path, config=config) as server:
        headers = {**TUS, "Upload-Length": str((1 << 20) + 1)}
        assert (await server.raw("ada", "POST", "/tus", headers=headers)).status_code == 413
        options = await server.raw(None, "OPTIONS", "/tus")
        assert options.headers["tus-max-size"] == str(1 << 20)
        assert "termination" in options.headers["tus-extension"]


async def test_an_upload_cannot_be_continued_by_others(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        address = await created(server, 4)
        assert (await patched(server, address, 0, b"evil", name="bruno")).status_code == 404
        assert (await server.raw("bruno", "HEAD", address, headers=TUS)).status_code == 404
        assert (await server.raw("bruno", "DELETE", address, headers=TUS)).status_code == 404
        assert (await server.raw(None, "HEAD", address, headers=TUS)).status_code == 401
        for identity in ("..", "%2e%2e%2fsecret", "0" * 32):
            response = await server.raw("ada", "HEAD", f"{server.url}/api/v1/tus/{identity}", headers=TUS)
            assert response.status_code == 404


async def test_an_upload_can_be_cancelled(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        address = await created(server, 4)
        assert (await server.raw("ada", "DELETE", address, headers=TUS)).status_code == 204
        assert (await server.raw("ada", "HEAD", address, headers=TUS)).status_code == 404
        assert list((tmp_path / "uploads" / "resumable").iterdir()) == []


async def test_old_uploads_expire(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running_server(tmp_path, clock=clock) as server:
        address = await created(server, 4)
        clock.jump(24 * 3600 - 1)
        assert await offset_of(server, address) == 0
        clock.jump(2)
        assert (await server.raw("ada", "HEAD", address, headers=TUS)).status_code == 404
        await created(server, 4)
        assert len(list((tmp_path / "uploads" / "resumable").glob("*.json"))) == 1


@pytest.mark.parametrize("method", ["OPTIONS", "POST"])
async def test_the_path_of_resumable_uploads_may_end_with_a_slash(server: TestServer, method: str) -> None:
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "1"}
    response = await server.raw("ada", method, "/tus/", headers=headers)
    assert response.status_code == (204 if method == "OPTIONS" else 201)
