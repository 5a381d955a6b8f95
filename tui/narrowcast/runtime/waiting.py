"""Waiting for a state of an account."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["until"]


async def until(session: Session, holds: Callable[[], bool]) -> None:
    """Waits until ``holds`` returns true; it is called again after each change of the session."""
    changed = asyncio.Event()
    unsubscribe = session.subscribe(lambda _: changed.set())
    try:
        while not holds():
            changed.clear()
            await changed.wait()
    finally:
        unsubscribe()
