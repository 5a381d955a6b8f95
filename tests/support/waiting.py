"""Waiting, outside an event loop, for another program."""

from __future__ import annotations

import time
from collections.abc import Callable

BETWEEN = 0.05
"""Seconds between two checks."""


class Late(AssertionError):
    """Something did not happen in time."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not in time: {what}")


def wait_until(holds: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    """Checks repeatedly until a condition holds. Raises Late, with `what`, after too long."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Late(what)
        time.sleep(BETWEEN)
