"""What httpcore waits with, made of asyncio and threads alone: anyio, which it takes otherwise, is 1.7 MB of memory.

For a program of its own whose event loop is asyncio's: `install` changes httpcore for the whole process. anyio can
still be imported, by httpcore too where a client has no `network.Network`. The names and what they do are those of
httpcore's private ``_synchronization`` in the version named here: with any other one, httpcore is left as it is. As
with anyio, no shield keeps off a task's own `cancel`.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

READ_FROM = "1.0.9"
"""The version of httpcore whose source this was read from."""

_OWN = "httpcore._synchronization"
_BACKEND = "httpcore._backends.anyio"

AsyncLock = asyncio.Lock
AsyncThreadLock = nullcontext
AsyncShieldCancellation = nullcontext
Lock = threading.Lock
ThreadLock = threading.Lock
Semaphore = threading.Semaphore
ShieldCancellation = nullcontext


def install() -> None:
    """Have httpcore use these, unless it was imported before or is of another version."""
    if "httpcore" not in sys.modules and _is_as_read():
        sys.modules[_OWN] = sys.modules[__name__]
        backend = ModuleType(_BACKEND)
        backend.AnyIOBackend = AnyIOBackend  # type: ignore[attr-defined]
        sys.modules[_BACKEND] = backend


def _is_as_read() -> bool:
    """Whether that version is installed; `importlib.metadata` would take longer to say so than this saves."""
    spec = find_spec("httpcore")
    if spec is None or spec.origin is None:
        return False
    return (Path(spec.origin).parents[1] / f"httpcore-{READ_FROM}.dist-info").is_dir()


def current_async_library() -> str:
    return "asyncio"


class AsyncEvent:
    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self, timeout: float | None = None) -> None:
        """Raises httpcore.PoolTimeout after so many seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._event.wait()
        except TimeoutError as error:
            raise _pool_timeout() from error


class AsyncSemaphore:
    def __init__(self, bound: int) -> None:
        self._semaphore = asyncio.BoundedSemaphore(bound)

    async def acquire(self) -> None:
        await self._semaphore.acquire()

    async def release(self) -> None:
        self._semaphore.release()


class Event:
    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def wait(self, timeout: float | None = None) -> None:
        """Raises httpcore.PoolTimeout after so many seconds."""
        if not self._event.wait(timeout):
            raise _pool_timeout()


class AnyIOBackend:
    """httpcore's own, imported when somebody makes one."""

    def __new__(cls) -> Any:
        placeholder = sys.modules.get(_BACKEND)
        if placeholder is not None and getattr(placeholder, "AnyIOBackend", None) is cls:
            del sys.modules[_BACKEND]
        from httpcore._backends.anyio import AnyIOBackend as Own

        return Own()


def _pool_timeout() -> Exception:
    from httpcore import PoolTimeout  # which imports this module

    return PoolTimeout()
