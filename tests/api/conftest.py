"""Fixtures that several files use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from narrowcast_api.client import Client
from narrowcast_api.storage.cache import Cache
from narrowcast_api.storage.executors import inline
from narrowcast_api.sync.session import Session
from support.api import client_of
from support.clock import VirtualClock
from support.draft_server import DraftClient, DraftServer
from support.outbox_server import OutboxBench
from support.server import TestServer
from support.session_service import Service, live_session


@pytest.fixture
def client(tmp_path: Path) -> DraftClient:
    """A device with drafts, connected to a server with no other devices."""
    return DraftClient(DraftServer(), tmp_path, VirtualClock())


@pytest.fixture
def bench(tmp_path: Path) -> OutboxBench:
    """An outbox with its journal and the server it sends to."""
    return OutboxBench(tmp_path)


@pytest.fixture
async def ada(server: TestServer) -> AsyncIterator[Client]:
    """Ada's client on a server with the data of `support.world`."""
    async with client_of(server, "ada") as client:
        yield client


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    """An empty cache that writes at once."""
    opened = Cache.open(tmp_path / "cache.db", executor=inline)
    yield opened
    opened.close()


@pytest.fixture
def service() -> Service:
    """The scripted service behind the `session` fixture."""
    return Service()


@pytest.fixture
async def session(tmp_path: Path, service: Service) -> AsyncIterator[Session]:
    """Ada's session, live on the scripted `service`."""
    async with live_session(tmp_path, service) as session:
        yield session
