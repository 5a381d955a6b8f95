"""A request whose responses arrive late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support.sessions import until
from support.stage import Stage


class Held:
    """A request whose responses, also errors, are held back until `arrive`."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request
        self._go_on = asyncio.Event()
        self.waiting = 0

    async def __call__(self, *parameters: Any, **more: Any) -> Any:
        try:
            return await self._request(*parameters, **more)
        finally:
            self.waiting += 1
            await self._go_on.wait()
            self.waiting -= 1

    def release(self) -> None:
        """Lets the responses arrive."""
        self._go_on.set()

    async def arrive(self, stage: Stage) -> None:
        """Lets the responses arrive, and waits for their effects."""
        self.release()
        await until(lambda: not self.waiting and not stage.screen.messages.mode_hint)
        await stage.pilot.pause()


def hold(monkeypatch: pytest.MonkeyPatch, group: object, operation: str) -> Held:
    """Holds back the responses to an operation, such as one of the client's, from now on."""
    held = Held(getattr(group, operation))
    monkeypatch.setattr(group, operation, held)
    return held
