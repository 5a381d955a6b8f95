"""Creates resources in threads, such as open files, so that a cancelled caller leaves none behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def in_thread(make: Callable[[], T], discard: Callable[[T], object]) -> T:
    """Returns the result of `make`, run in a thread. If this call is cancelled, a thread that has begun still
    finishes; its result is then passed to `discard`, in that thread or in the caller's.
    """
    made: Future[T] = Future()
    try:
        await asyncio.to_thread(lambda: made.set_result(make()))
    except asyncio.CancelledError:
        made.add_done_callback(lambda finished: discard(finished.result()))
        raise
    return made.result()
