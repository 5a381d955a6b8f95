"""What several files of these tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.mailbox import Mailbox
    from support.server import TestServer


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    """A mail server."""
    from support.mailbox import mailbox  # few tests need one

    async with mailbox() as open_box:
        yield open_box


@pytest.fixture
async def mailing(tmp_path: Path, box: Mailbox) -> AsyncIterator[TestServer]:
    """A server that sends its mail to `box`."""
    from narrowcast_server.organization.config import Config
    from support.server import running_server

    async with running_server(tmp_path / "data", config=Config(mail=box.settings())) as running:
        yield running
