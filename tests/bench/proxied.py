"""The tests' proxy on an event loop in a thread of its own, for benchmarks without a loop."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from support.fault_proxy import FaultProxy
from support.server import LoopThread


class Proxied:
    """A proxy in front of ``url``, at ``self.url``."""

    def __init__(self, url: str) -> None:
        self._thread = LoopThread()
        self._proxy = FaultProxy(url)

    def __enter__(self) -> Self:
        self._thread.__enter__()
        self._thread.do(self._proxy.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.do(self._proxy.__aexit__())
        self._thread.__exit__()

    @property
    def url(self) -> str:
        """The address for clients."""
        return self._proxy.url

    def delay(self, seconds: float) -> None:
        """Sets the latency of each piece of data, each way."""
        self._thread.call(setattr, self._proxy, "delay", seconds)

    def hang(self) -> None:
        """Stops all traffic."""
        self._thread.call(self._proxy.hang)

    def resume(self) -> None:
        """Forwards everything that was held back at once."""
        self._thread.call(self._proxy.resume)
