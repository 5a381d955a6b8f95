"""A server for each test that asks for one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.server import TestServer, running_server


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TestServer]:
    """The small world of `support.world`, at the newest level of the contract."""
    async with running_server(tmp_path / "data") as running:
        yield running
