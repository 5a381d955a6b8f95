"""Where the files of an account are written: in a thread of their own, or at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor

MakeExecutor = Callable[[str], Executor]
"""Makes what runs the writes of one file, one after the other; the argument names it."""


def own_thread(name: str) -> Executor:
    """A thread, so that nobody waits for the disk."""
    return ThreadPoolExecutor(1, name)


def inline(_name: str) -> Executor:
    """The caller's own thread, at once."""
    return Inline()


class Inline(Executor):
    """Runs what it is given at once, in the caller's thread."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]  # as in the base class
        future = Future()  # type: ignore[var-annotated]  # its result is that of fn
        future.set_result(fn(*args, **kwargs))
        return future
