"""Fixtures for all tests under simulated time."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Faults are expected in these tests and not logged."""
    log = logging.getLogger("narrowcast_api")
    before = log.level
    log.setLevel(logging.CRITICAL)
    yield
    log.setLevel(before)
