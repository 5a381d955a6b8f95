"""A demo server in a thread, for tests of real processes, which do not run an event loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.serve import Options, running
from support.loop_thread import LoopThread


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
