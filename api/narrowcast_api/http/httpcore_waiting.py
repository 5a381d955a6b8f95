"""Synchronization for httpcore, based on asyncio and threads only; httpcore's default, anyio, takes 1.7 MB of memory.

For programs that run their own asyncio event loop: `install` changes httpcore for the whole process. anyio
can still be imported, also by httpcore for a client without a `network.Network`. The names and their
behaviour are those of httpcore's private ``_synchronization`` in the version named here; any other version of
httpcore is not changed. As with anyio, shielding does not protect from a task's own `cancel`.
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
"""The version of httpcore that this module replaces a part of."""

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
    """Makes httpcore use this module, unless httpcore is already imported or of another version."""
    if "httpcore" not in sys.modules and _is_as_read():
        sys.modules[_OWN] = sys.modules[__name__]
        backend = ModuleType(_BACKEND)
        backend.AnyIOBackend = AnyIOBackend  # type: ignore[attr-defined]
        sys.modules[_BACKEND] = backend


def _is_as_read() -> bool:
    """Whether that version is installed. Avoids `importlib.metadata`, whose import would take longer than
    this module saves.
    """
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
        """Raises httpcore.PoolTimeout after `timeout` seconds."""
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
        """Raises httpcore.PoolTimeout after `timeout` seconds."""
        if not self._event.wait(timeout):
            raise _pool_timeout()


class AnyIOBackend:
    """httpcore's own backend, imported when an instance is created."""

    def __new__(cls) -> Any:
        placeholder = sys.modules.get(_BACKEND)
        if placeholder is not None and getattr(placeholder, "AnyIOBackend", None) is cls:
            del sys.modules[_BACKEND]
        from httpcore._backends.anyio import AnyIOBackend as Own

        return Own()


def _pool_timeout() -> Exception:
    from httpcore import PoolTimeout  # imported here because httpcore imports this module

    return PoolTimeout()
