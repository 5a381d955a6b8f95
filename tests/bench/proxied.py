"""The proxy of the tests on a loop in a thread of its own, so that a bench without one can use it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from support.fault_proxy import FaultProxy
from support.loop_thread import LoopThread


class Proxied:
    """A proxy before ``url``, at ``self.url``."""

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
        """Where clients connect."""
        return self._proxy.url

    def delay(self, seconds: float) -> None:
        """Each piece takes this long, on the way there and on the way back."""
        self._thread.call(setattr, self._proxy, "delay", seconds)

    def hang(self) -> None:
        """Nothing goes through."""
        self._thread.call(self._proxy.hang)

    def go_on(self) -> None:
        """What waited goes through at once."""
        self._thread.call(self._proxy.go_on)
