"""The time zones that a user can choose from."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones


@cache
def time_zones() -> tuple[str, ...]:
    """Names such as Europe/Madrid, in alphabetical order; empty if this machine has no time zone database."""
    return tuple(sorted(available_timezones()))
