"""The time zones that a user can choose from."""

from __future__ import annotations

import asyncio
from functools import cache
from threading import Lock
from zoneinfo import available_timezones

_READING = Lock()
"""Held while the database is read, so that whoever asks meanwhile does not read it too."""


def time_zones() -> tuple[str, ...]:
    """Names such as Europe/Madrid, in alphabetical order; empty if this machine has no time zone database.

    The first call reads the database, which takes a tenth of a second: see `preload`.
    """
    with _READING:
        return _time_zones()


@cache
def _time_zones() -> tuple[str, ...]:
    return tuple(sorted(available_timezones()))


def preload() -> None:
    """Reads the time zone database in a thread, before a screen needs it."""
    asyncio.get_running_loop().run_in_executor(None, time_zones)
