"""Uploads on a bad network and across restarts: complete on the server, or with an error message."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from narrowcast_api.files import tus
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.uploads import Upload, UploadState
from narrowcast_api.routes import uploads as routes
from narrowcast_api.sync.session import Session
from support.fault_proxy import Fault, FaultProxy
from support.server import TestServer, running_server
from support.sessions import session_of, until

TUS = "/api/v1/tus"
LUNCH = ChannelDestination(7, "lunch")


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resumable from 1,000 bytes on, in parts of 1,000."""
    monkeypatch.setattr(routes, "LARGE_UPLOAD_BYTES", 1000)
    defaults = dict(tus.send_resumable.__kwdefaults__ or {}, part_bytes=1000)
    monkeypatch.setattr(tus.send_resumable, "__kwdefaults__", defaults)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.bin"
    path.write_bytes(os.urandom(3500))
    return path


@asynccontextmanager
async def behind_a_proxy(tmp_path: Path) -> AsyncIterator[tuple[TestServer, FaultProxy, Account]]:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        yield server, proxy, replace(server.account("dario"), site=proxy.url)


async def is_whole(session: Session, upload: Upload, file: Path) -> bool:
    """Whether the link leads to the file."""
    assert upload.link is not None
    address = upload.link.rpartition("(")[2].rstrip(")")
    fetched = await session.client.uploads.download(url=address, folder=file.parent)
    return hashlib.sha256(fetched.path.read_bytes()).digest() == hashlib.sha256(file.read_bytes()).digest()


@pytest.mark.parametrize("fault", [Fault.LOST_BEFORE, Fault.LOST_AFTERWARDS, Fault.REFUSED_BY_GATEWAY])
async def test_a_part_that_is_cut_off_costs_only_itself(tmp_path: Path, file: Path, fault: Fault) -> None:
    async with behind_a_proxy(tmp_path) as (_, proxy, account), session_of(account, tmp_path) as session:
        proxy.fail(fault, "PATCH", TUS, times=1)
        upload = session.uploads.start(file, LUNCH)
        await until(lambda: upload.state is UploadState.DONE)
        assert await is_whole(session, upload, file)
        assert sum(line.startswith(f"POST {TUS}") for line in proxy.seen) == 1


async def test_the_next_start_goes_on_with_what_the_server_has(tmp_path: Path, file: Path) -> None:
    async with behind_a_proxy(tmp_path) as (_, proxy, account):
        async with session_of(account, tmp_path) as session:
            upload = session.uploads.start(file, LUNCH)
            await until(lambda: upload.sent >= 1000)
            proxy.fail(Fault.HELD_BEFORE, "PATCH", TUS)
            await until(lambda: proxy.held or upload.state is UploadState.DONE)
            assert upload.state is UploadState.SENDING
        await proxy.heal()
        async with session_of(account, tmp_path) as session:
            (again,) = session.uploads.all()
            await until(lambda: again.state is UploadState.DONE)
            assert again.destination == LUNCH
            assert await is_whole(session, again, file)
        assert sum(line.startswith(f"POST {TUS}") for line in proxy.seen) == 1, "it was begun once"


async def test_an_outage_longer_than_its_patience_is_waited_out(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tus, "_PAUSES", (0.0,) * 6)
    async with behind_a_proxy(tmp_path) as (_, proxy, account), session_of(account, tmp_path) as session:
        proxy.fail(Fault.HELD_BEFORE, "PATCH", TUS)
        upload = session.uploads.start(file, LUNCH)
        await until(lambda: proxy.held)
        await proxy.refuse()
        await until(lambda: upload.state is UploadState.FAILED)
        await until(lambda: not session.is_live)
        await proxy.heal()
        await until(lambda: upload.state is UploadState.DONE)
        assert await is_whole(session, upload, file)
