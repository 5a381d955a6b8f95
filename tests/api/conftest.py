"""Fixtures of several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clock import VirtualClock
from support.draft_server import DraftClient, DraftServer
from support.outbox_server import OutboxBench


@pytest.fixture
def client(tmp_path: Path) -> DraftClient:
    """A device with drafts, on a server of its own."""
    return DraftClient(DraftServer(), tmp_path, VirtualClock())


@pytest.fixture
def bench(tmp_path: Path) -> OutboxBench:
    """An outbox with its journal, and the server that it sends to."""
    return OutboxBench(tmp_path)
