"""Fixtures of several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clock import VirtualClock
from support.draft_server import DraftClient, DraftServer


@pytest.fixture
def client(tmp_path: Path) -> DraftClient:
    """A device with drafts, on a server of its own."""
    return DraftClient(DraftServer(), tmp_path, VirtualClock())
