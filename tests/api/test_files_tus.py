"""Resumable uploads continue after any interruption."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from narrowcast_api.errors import (
    InvalidInput,
    MalformedResponse,
    NarrowcastError,
    NotFound,
    OutcomeUnknown,
    RedirectRefused,
    ServerFault,
    Unauthorized,
)
from narrowcast_api.files.reading import Progress, inspect_file
from narrowcast_api.files.tus import send_resumable
from narrowcast_api.http.connection import Connection
from support.api import ACCOUNT
from support.clock import VirtualClock
from support.ledger import proves
from support.uploads import TusServer

PART = 1000


async def send(
    server: TusServer,
    path: Path,
    *,
    progress: Progress | None = None,
    resume_from: str | None = None,
    resumable: Callable[[str], None] | None = None,
) -> dict[str, object]:
    """Uploads with a clock that advances by itself."""
    clock = VirtualClock()
    async with Connection(ACCOUNT, transport=server, clock=clock) as connection:
        task = asyncio.create_task(
            send_resumable(
                connection,
                await inspect_file(path),
                progress=progress,
                resume_from=resume_from,
                resumable=resumable,
                part_bytes=PART,
            )
        )
        while not task.done():
            if clock.sleeping:
                await clock.advance(clock.sleeping[0])
            else:
                await asyncio.wait([task], timeout=0.001)
        return await task


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hölzern.bin"
    path.write_bytes(os.urandom(2500))
    return path


@proves("AUTH-02", "UPL-15")
async def test_a_file_goes_in_parts_with_credentials_and_its_name(file: Path) -> None:
    server = TusServer()
    seen: list[tuple[int, int]] = []
    addresses: list[str] = []
    response = await send(server, file, progress=lambda *step: seen.append(step), resumable=addresses.append)
    assert response == {"url": "/user_uploads/1/ab/x.bin", "filename": "x.bin"}
    assert bytes(server.content) == file.read_bytes()
    assert server.patches == [(0, 1000), (1000, 1000), (2000, 500)]
    assert server.unauthorized == 0
    assert server.metadata()["filename"] == "hölzern.bin"
    assert addresses == ["https://chat.example.org/api/v1/tus/1/abc"]
    assert seen == [(1000, 2500), (2000, 2500), (2500, 2500)]


@pytest.mark.parametrize(
    "faults",
    [
        [300],
        [0],
        [0, 0, 0],
        ["ok", 999, 1, "ok"],
        ["status:503"],
        ["status:423", "status:409"],
        ["deaf"],
        ["ok", "deaf", 10],
        ["ok", "forget"],
        ["status:502", 5, "forget", "ok", "deaf"],
    ],
)
async def test_a_cut_costs_one_part_at_most(file: Path, faults: list[int | str]) -> None:
    server = TusServer(faults=list(faults))
    response = await send(server, file)
    assert response["url"] == "/user_uploads/1/ab/x.bin"
    assert bytes(server.content) == file.read_bytes()
    assert len(server.creates) == 1 + faults.count("forget")


async def test_a_response_that_was_lost_at_the_end_is_asked_for_again(file: Path) -> None:
    server = TusServer(faults=["ok", "ok", "deaf"])
    assert (await send(server, file))["filename"] == "x.bin"
    assert server.patches[-1] == (2500, 0)


async def test_an_upload_goes_on_after_a_restart(file: Path) -> None:
    server = TusServer(length=2500, content=bytearray(file.read_bytes()[:1700]))
    await send(server, file, resume_from="https://chat.example.org/api/v1/tus/1/abc")
    assert bytes(server.content) == file.read_bytes()
    assert not server.creates
    assert server.patches == [(1700, 800)]


@pytest.mark.parametrize(
    "address",
    ["https://canary.example.net/api/v1/tus/1", "https://chat.example.org/api/v1/tus/old", "http://[bad"],
)
async def test_an_upload_that_cannot_be_found_again_starts_anew(file: Path, address: str) -> None:
    server = TusServer()
    await send(server, file, resume_from=address)
    assert len(server.creates) == 1
    assert bytes(server.content) == file.read_bytes()


@pytest.mark.parametrize("arrived", [9000, 100])
async def test_an_upload_of_another_file_is_not_continued(file: Path, arrived: int) -> None:
    server = TusServer(length=9000, content=bytearray(b"x" * arrived))
    await send(server, file, resume_from="https://chat.example.org/api/v1/tus/1/abc")
    assert bytes(server.content) == file.read_bytes()


@pytest.mark.parametrize("location", ["https://canary.example.net/tus/1", "//canary.example.net/x"])
async def test_an_upload_address_on_another_server_receives_neither_file_nor_credentials(
    file: Path, location: str
) -> None:
    server = TusServer(location=location)
    with pytest.raises(RedirectRefused):
        await send(server, file)
    assert server.patches == []


async def test_an_upload_address_with_the_proxys_scheme_counts_as_the_own_server(file: Path) -> None:
    server = TusServer(location="http://chat.example.org/api/v1/tus/1/abc")
    addresses: list[str] = []
    await send(server, file, resumable=addresses.append)
    assert addresses == ["https://chat.example.org/api/v1/tus/1/abc"]


@pytest.mark.parametrize(
    ("server", "kind"),
    [
        (TusServer(faults=[0] * 50), OutcomeUnknown),
        (TusServer(faults=["status:503"] * 50), ServerFault),
        (TusServer(faults=["status:409"] * 50), ServerFault),
        (TusServer(faults=["status:401"]), Unauthorized),
        (TusServer(create_status=404), NotFound),
        (TusServer(create_status=503), ServerFault),
        (TusServer(location=""), MalformedResponse),
        (TusServer(final=b""), OutcomeUnknown),
        (TusServer(final=b"<html>"), MalformedResponse),
    ],
)
async def test_an_upload_error_that_cannot_be_retried_raises_its_own_type(
    file: Path, server: TusServer, kind: type[NarrowcastError]
) -> None:
    with pytest.raises(kind):
        await send(server, file)


async def test_a_file_that_shrinks_during_the_upload_is_reported(file: Path) -> None:
    def shrink(sent: int, size: int) -> None:
        if sent == 1000:
            file.write_bytes(b"short")

    with pytest.raises(InvalidInput, match="shorter"):
        await send(TusServer(), file, progress=shrink)


async def test_an_empty_file_is_one_empty_part(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    server = TusServer()
    await send(server, path)
    assert server.patches == [(0, 0)]
