"""Fails where code of the event loop waits for a disk, a network or another thread, however short the wait is."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import pytest

_WAITING: tuple[tuple[Any, str], ...] = (
    (Future, "result"),
    (Future, "exception"),
    (threading.Thread, "join"),
    (time, "sleep"),
    (os, "fsync"),
    (os, "open"),
    (socket, "getaddrinfo"),
)


@contextmanager
def no_blocking_calls() -> Iterator[None]:
    """The calling thread must not wait inside the block; other threads may."""
    thread = threading.get_ident()

    def refused(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **kwargs: Any) -> Any:
            assert threading.get_ident() != thread, f"{name} was called in the event loop's thread"
            return call(*args, **kwargs)

        return guarded

    with pytest.MonkeyPatch.context() as patch:
        for where, name in _WAITING:
            patch.setattr(where, name, refused(name, getattr(where, name)))
        yield
