"""Dates typed by users."""

from __future__ import annotations

import re
from calendar import isleap
from datetime import date, timedelta

__all__ = ["day_of"]

_ISO = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?")
_IN_THIS_YEAR = re.compile(r"(\d{1,2})-(\d{1,2})")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST = 3
"""Minimum letters of a weekday."""


def day_of(text: str, today: date) -> date:
    """The day that `text` names: 2026-11-20, 2026-11 (its first day), 11-20 (the latest one), today,
    yesterday, friday (the latest one before today).

    Raises ValueError for anything else.
    """
    words = text.strip().casefold()
    if words in ("today", "yesterday"):
        return today - timedelta(days=words == "yesterday")
    if len(words) >= _SHORTEST:
        for number, name in enumerate(_WEEKDAYS):
            if name.startswith(words):
                return today - timedelta(days=(today.weekday() - number) % 7 or 7)
    if match := _ISO.fullmatch(words):
        return date(int(match[1]), int(match[2]), int(match[3] or 1))
    if match := _IN_THIS_YEAR.fullmatch(words):
        return _latest(int(match[1]), int(match[2]), today)
    raise ValueError(f"{text!r} is not a date")


def _latest(month: int, day: int, today: date) -> date:
    """The latest day of that month and day that is not after `today`. Raises ValueError if there is none."""
    leap_day = (month, day) == (2, 29)
    year = today.year - ((month, day) > (today.month, today.day))
    while leap_day and not isleap(year):
        year -= 1
    return date(year, month, day)
