"""Random delays and a random order, which show what depends on how fast threads and callbacks are.

    make test PYTEST_ARGS="--delays 7"

Threads of a loop begin late and return late; callbacks of a loop, which include each step of a task, run late.
The tests of a file run in another order. A seed always gives the same order; the delays also depend on the
machine.
"""

from __future__ import annotations

import random
import time
from asyncio import Future, Handle
from asyncio.base_events import BaseEventLoop
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

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
