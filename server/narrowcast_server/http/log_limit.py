"""A limit on the log, so that strangers cannot fill it: repeated lines are dropped and counted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_MAX_SAME: Final = 10
_SECONDS: Final = 60.0
_MAX_LINES: Final = 200


@dataclass(slots=True)
class _Seen:
    begun: float
    count: int = 0


class LogLimit(logging.Filter):
    """Passes each line ten times a minute. Lines are the same if the same statement logged them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[tuple[str, str, int], _Seen] = {}

    @property
    def size(self) -> int:
        """How many different lines are being counted."""
        return len(self._seen)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; the first one of a new minute says how many were dropped."""
        now = self._clock()
        key = (record.name, record.pathname, record.lineno)
        seen = self._seen.get(key)
        if seen is None or now - seen.begun > _SECONDS:
            if len(self._seen) >= _MAX_LINES:
                self._seen.clear()
            self._seen[key] = _Seen(now)
            left_out = 0 if seen is None else seen.count - _MAX_SAME
            if left_out > 0:
                record.msg = f"{record.getMessage()} ({left_out} more like this were left out)"
                record.args = ()
            seen = self._seen[key]
        seen.count += 1
        return seen.count <= _MAX_SAME
