"""Delays in tests: random ones of threads and callbacks, and responses that arrive late."""

from __future__ import annotations

import asyncio
import random
import time
from asyncio import Future, Handle
from asyncio.base_events import BaseEventLoop
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.sessions import until
from support.stage import Stage

_OF_THREADS = 0.3
"""The probability of a delay before the work of a thread, and of one after it."""
_OF_CALLBACKS = 0.003
_THREAD_SECONDS = 0.1
_CALLBACK_SECONDS = 0.03


def install(seed: int) -> None:
    """Delays the threads and callbacks of all event loops of this process from now on."""
    chance = random.Random(seed)
    in_executor, run = BaseEventLoop.run_in_executor, Handle._run

    def pause(probability: float, longest: float) -> None:
        if chance.random() < probability:
            time.sleep(chance.uniform(0.0, longest))

    def delayed_in_executor(
        loop: BaseEventLoop, executor: Any, work: Callable[..., Any], *args: Any
    ) -> Future[Any]:
        def delayed() -> Any:
            pause(_OF_THREADS, _THREAD_SECONDS)
            try:
                return work(*args)
            finally:
                pause(_OF_THREADS, _THREAD_SECONDS)

        return in_executor(loop, executor, delayed)

    def delayed_run(handle: Handle) -> None:
        pause(_OF_CALLBACKS, _CALLBACK_SECONDS)
        run(handle)

    setattr(BaseEventLoop, "run_in_executor", delayed_in_executor)  # noqa: B010  # a method is not to be assigned to
    setattr(Handle, "_run", delayed_run)  # noqa: B010


def shuffled(items: Sequence[pytest.Item], seed: int) -> list[pytest.Item]:
    """The tests in another order within each file."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    for file, tests in files.items():
        random.Random(f"{seed} {file.name}").shuffle(tests)
    return [item for tests in files.values() for item in tests]


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
