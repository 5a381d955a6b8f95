"""Downloads: streamed to new files only, and complete or not there at all."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.errors import (
    InvalidInput,
    NarrowcastError,
    NotFound,
    OutcomeUnknown,
    PermissionDenied,
    RedirectRefused,
    ResponseTooLarge,
    ServerFault,
)
from narrowcast_api.files import downloads
from narrowcast_api.files.downloads import create_new, own_url
from support.api import make_connection, scripted_client
from support.ledger import proves
from support.scripted import ScriptedTransport

URL = "/user_uploads/1/ab/hello.txt"
FULL_DISK = Path("/dev/full")


async def test_a_file_arrives_whole_with_progress_and_is_for_its_owner_only(tmp_path: Path) -> None:
    content = os.urandom(600_000)
    seen: list[tuple[int, int | None]] = []
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, content=content, headers={"content-type": "text/plain"})
        result = await client.uploads.download(
            url=URL, folder=tmp_path, progress=lambda *step: seen.append(step)
        )
        assert transport.last.authorization is not None
    assert result.path == tmp_path / "hello.txt"
    assert result.path.read_bytes() == content
    assert (result.size, result.content_type) == (600_000, "text/plain")
    assert stat.S_IMODE(result.path.stat().st_mode) == 0o600
    assert seen[-1] == (600_000, 600_000)
    assert seen == sorted(seen)


async def test_nothing_that_is_there_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "hello.txt").write_text("mine")
    target = tmp_path / "target"
    (tmp_path / "hello (1).txt").symlink_to(target)
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, content=b"theirs")
        result = await client.uploads.download(url=URL, folder=tmp_path)
    assert result.path.name == "hello (2).txt"
    assert (tmp_path / "hello.txt").read_text() == "mine"
    assert not target.exists()


async def test_the_servers_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    async with scripted_client() as (client, transport):
        header = {"content-disposition": "attachment; filename*=UTF-8''..%2F..%2F.evil"}
        transport.prepare("GET", URL, content=b"x", headers=header)
        result = await client.uploads.download(url=URL, folder=folder)
        assert result.path == folder / "evil"
        transport.prepare("GET", URL, content=b"x", headers=header)
        assert (await client.uploads.download(url=URL, folder=folder, name="../own")).path == folder / "own"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


class Body(httpx2.AsyncByteStream):
    def __init__(self, *parts: bytes | Exception, gate: asyncio.Event | None = None) -> None:
        self.parts, self.gate = parts, gate

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            yield part
            if self.gate is not None:
                await self.gate.wait()


@pytest.mark.parametrize(
    ("body", "length", "kind"),
    [
        (Body(b"x" * 10, httpx2.ReadError("cut")), "20", OutcomeUnknown),
        (Body(b"x" * 10), "20", OutcomeUnknown),
        (Body(b"x" * 3000), "3000", ResponseTooLarge),
        (Body(b"x" * 3000), "", ResponseTooLarge),
    ],
)
async def test_a_download_that_fails_leaves_nothing_behind(
    tmp_path: Path, body: Body, length: str, kind: type[NarrowcastError]
) -> None:
    async with scripted_client() as (client, transport):
        headers = {"content-length": length} if length else {}
        transport.prepare("GET", URL, reply=lambda _: httpx2.Response(200, stream=body, headers=headers))
        with pytest.raises(kind) as raised:
            await client.uploads.download(url=URL, folder=tmp_path, max_bytes=2000)
    assert "It may have worked" not in raised.value.user_message
    assert list(tmp_path.iterdir()) == []


async def test_a_download_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    started = asyncio.Event()
    body = Body(b"x" * 300_000, gate=asyncio.Event())
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, reply=lambda _: httpx2.Response(200, stream=body))
        task = asyncio.create_task(
            client.uploads.download(url=URL, folder=tmp_path, progress=lambda *_: started.set())
        )
        await started.wait()
        assert len(list(tmp_path.iterdir())) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert list(tmp_path.iterdir()) == []


async def test_a_download_that_is_cancelled_while_its_file_is_created_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    creating, cancelled = threading.Event(), threading.Event()
    created: list[tuple[Path, int]] = []

    def slow(folder: Path, name: str) -> tuple[Path, int]:
        creating.set()
        cancelled.wait()
        created.append(create_new(folder, name))
        return created[0]

    monkeypatch.setattr(downloads, "create_new", slow)
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, content=b"x")
        task = asyncio.create_task(client.uploads.download(url=URL, folder=tmp_path))
        await asyncio.to_thread(creating.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    cancelled.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    ((path, descriptor),) = created
    assert not path.exists()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


@pytest.mark.skipif(not FULL_DISK.exists(), reason="this system has no full device")
@pytest.mark.parametrize("content", [b"few", b"x" * 600_000], ids=["few bytes", "many"])
async def test_a_full_disk_is_reported_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    def on_full_disk(folder: Path, name: str) -> tuple[Path, int]:
        path, descriptor = create_new(folder, name)
        os.close(descriptor)
        return path, os.open(FULL_DISK, os.O_WRONLY)

    monkeypatch.setattr(downloads, "create_new", on_full_disk)
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, content=content)
        with pytest.raises(InvalidInput, match="cannot be written: No space left"):
            await client.uploads.download(url=URL, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (404, b"<p>This file does not exist or has been deleted.</p>", NotFound),
        (403, b"<p>You are not authorized to view this file.</p>", PermissionDenied),
        (204, b"", NarrowcastError),
        (206, b"part", NarrowcastError),
    ],
)
async def test_a_file_that_may_not_be_read_is_a_typed_error(
    tmp_path: Path, status: int, content: bytes, kind: type[NarrowcastError]
) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, status=status, content=content)
        with pytest.raises(kind):
            await client.uploads.download(url=URL, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", [403, 404])
async def test_an_html_error_page_is_reported_in_plain_words(tmp_path: Path, status: int) -> None:
    async with scripted_client() as (client, transport):
        page = b"<p>You are not authorized to view this file.</p>" * 10_000
        transport.prepare("GET", URL, status=status, content=page, headers={"content-type": "text/html"})
        with pytest.raises((PermissionDenied, NotFound)) as refused:
            await client.uploads.download(url=URL, folder=tmp_path)
    assert refused.value.user_message == "This file may not be read, or no longer exists."
    assert refused.value.status == status


async def test_a_fault_of_the_server_with_a_long_page_is_one(tmp_path: Path) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, status=500, content=b"<p>Traceback</p>" * 20_000)
        with pytest.raises(ServerFault):
            await client.uploads.download(url=URL, folder=tmp_path)


async def test_a_page_to_sign_in_at_is_not_saved_as_the_file(tmp_path: Path) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, status=302, headers={"location": f"/login/?next={URL}"}, content=b"")
        transport.prepare("GET", "/login/", content=b"<html>")
        with pytest.raises(PermissionDenied):
            await client.uploads.download(url=URL, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@proves("UPL-17")
@pytest.mark.parametrize(
    ("url", "full"),
    [
        ("/user_uploads/1/a.txt", "https://chat.example.org/user_uploads/1/a.txt"),
        ("user_uploads/1/a.txt", "https://chat.example.org/user_uploads/1/a.txt"),
        ("https://chat.example.org/user_uploads/a#x", "https://chat.example.org/user_uploads/a"),
    ],
)
async def test_a_relative_address_belongs_to_the_organization(url: str, full: str) -> None:
    async with make_connection(ScriptedTransport()) as connection:
        assert str(own_url(connection, url)) == full


@pytest.mark.parametrize(
    "url",
    [
        "https://canary.example.net/a",
        "//canary.example.net/a",
        "http://chat.example.org/a",
        "file:///etc/passwd",
        "http://169.254.169.254/",
        "javascript:alert(1)",
        "https://[bad",
    ],
)
async def test_nothing_is_fetched_from_elsewhere(tmp_path: Path, url: str) -> None:
    async with scripted_client() as (client, transport):
        with pytest.raises((RedirectRefused, InvalidInput)):
            await client.uploads.download(url=url, folder=tmp_path)
        with pytest.raises((RedirectRefused, InvalidInput)):
            await client.uploads.fetch(url=url, max_bytes=10)
        assert not transport.requests


async def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", URL, content=b"x")
        with pytest.raises(InvalidInput, match="cannot be written"):
            await client.uploads.download(url=URL, folder=tmp_path / "nosuch")


async def test_a_small_file_is_held_in_memory_up_to_its_limit() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/user_avatars/7.png", content=b"png")
        assert await client.uploads.fetch(url="/user_avatars/7.png", max_bytes=10) == b"png"
        transport.prepare("GET", "/user_avatars/7.png", content=b"x" * 11)
        with pytest.raises(ResponseTooLarge):
            await client.uploads.fetch(url="/user_avatars/7.png", max_bytes=10)
