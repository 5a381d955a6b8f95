"""Holding keys back for the account that is being opened, which they are meant for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Arrival"]

MAX_SECONDS = 3.0
"""Seconds for which keys are held back at most."""


class Arrival:
    """Whether the account that was requested last is on screen."""

    def __init__(self) -> None:
        self._is_here = asyncio.Event()
        self._is_here.set()

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Keys wait until the end of the block, or until `here` is called."""
        self._is_here.clear()
        try:
            yield
        finally:
            self._is_here.set()

    def here(self) -> None:
        """The account is on screen: keys wait no longer."""
        self._is_here.set()

    async def settled(self) -> None:
        """Waits until the account is on screen; if that takes too long, keys no longer wait for it."""
        if self._is_here.is_set():
            return
        try:
            await asyncio.wait_for(self._is_here.wait(), MAX_SECONDS)
        except TimeoutError:
            self._is_here.set()
