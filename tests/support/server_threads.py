"""Servers and proxies in threads of their own, for tests that block meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.serve import Options, running

T = TypeVar("T")


class LoopThread:
    """A context manager; `do` and `call` work within its block."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="event loop", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, T], seconds: float = 60.0) -> T:
        """Runs a coroutine in the thread and waits for it here. Raises TimeoutError after `seconds`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Schedules a call in the thread."""
        self._loop.call_soon_threadsafe(function, *args)


@contextmanager
def serving(data: Path, port: int = 0) -> Iterator[str]:
    """Serves the same as `narrowcast serve --demo`, on a free port unless one is given; yields its address.
    The demo's simulated people write nothing, as their timing would be random.
    """
    options = Options(port=port, data=data, demo=True, alive=False)
    with LoopThread() as thread:
        stack = AsyncExitStack()
        server = thread.do(stack.enter_async_context(running(options, config=ServerConfig(durable=False))))
        try:
            yield server.url
        finally:
            thread.do(stack.aclose())
