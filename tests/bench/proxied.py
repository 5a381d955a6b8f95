"""The proxy of the tests on a loop in a thread of its own, so that a bench without one can use it."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Self

from support.fault_proxy import FaultProxy


class Proxied:
    """A proxy before ``url``, at ``self.url``."""

    def __init__(self, url: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._proxy = FaultProxy(url)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._proxy.__aenter__(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._proxy.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return self._proxy.url

    def delay(self, seconds: float) -> None:
        """Each piece takes this long, on the way there and on the way back."""
        self._loop.call_soon_threadsafe(setattr, self._proxy, "delay", seconds)

    def hang(self) -> None:
        """Nothing goes through."""
        self._loop.call_soon_threadsafe(self._proxy.hang)

    def go_on(self) -> None:
        """What waited goes through at once."""
        self._loop.call_soon_threadsafe(self._proxy.go_on)
