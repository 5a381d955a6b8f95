"""How the files of an account are written: in a separate thread, or synchronously."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor

MakeExecutor = Callable[[str], Executor]
"""Creates the executor that runs the writes of one file, one after the other; the argument is its name."""


def own_thread(name: str) -> Executor:
    """An executor with one thread, so that callers do not wait for the disk."""
    return ThreadPoolExecutor(1, name)


def inline(_name: str) -> Executor:
    """An executor that runs writes at once in the caller's thread."""
    return Inline()


class Inline(Executor):
    """Runs each call at once in the caller's thread."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]  # as in the base class
        future = Future()  # type: ignore[var-annotated]  # its result is that of fn
        future.set_result(fn(*args, **kwargs))
        return future
