"""Times and dates that users type.

Times to come: "tomorrow 9:00", "+2h", "fri 17:30", "2026-12-24 18:00". Days that are past: "yesterday", "11-20".
"""

from __future__ import annotations

import re
import time
from calendar import isleap
from datetime import date, datetime, timedelta, tzinfo

from narrowcast.text import formats

__all__ = ["EXAMPLES", "NoMoment", "day_of", "in_words", "moment"]

EXAMPLES = "+2h · 17:30 · tomorrow 9:00 · monday · 2026-12-24 18:00"

_MORNING = (9, 0)
"""The time of day for a day without one."""

_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = re.compile(r"(\d{1,6})\s*(minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)")
_BETWEEN_SPANS = re.compile(r"[\s,]*(?:and)?[\s,]*")
_CLOCK = re.compile(r"(?:at\s+)?(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST = 3
"""Minimum letters of a day of the week."""

_ISO = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?")
_IN_THIS_YEAR = re.compile(r"(\d{1,2})-(\d{1,2})")


class NoMoment(ValueError):
    """A text that is not a time in the future; the message gives examples."""


def moment(text: str, now: float, zone: tzinfo | None = None) -> int:
    """The time that ``text`` means at ``now``, in seconds since 1970; ``zone`` defaults to that of this machine.

    Raises NoMoment if the text is not a time, or if the time is in the past.
    """
    words = " ".join(text.lower().split())
    here = datetime.fromtimestamp(now, zone).astimezone(zone)
    try:
        moment = _span(words, here) or _iso(text.strip(), zone) or _day_and_clock(words, here, zone)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise NoMoment(f"{text.strip()!r} is not a time. Examples: {EXAMPLES}")
    at = int(moment.timestamp())
    if at <= now:
        raise NoMoment(
            f"{formats.moment(at, now, long=True, zone=zone)} is in the past. Enter a future time."
        )
    return at


def in_words(at: float) -> str:
    """A time in a form that `moment` can read, for a field that edits it."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def _span(words: str, here: datetime) -> datetime | None:
    """A time relative to now: "+2h", "in 20 minutes", "1d 12h"."""
    rest = words.removeprefix("+").removeprefix("in ").strip()
    seconds, end = 0, 0
    for part in _SPAN.finditer(rest):
        if _BETWEEN_SPANS.fullmatch(rest, end, part.start()) is None:
            return None
        seconds += int(part[1]) * _UNITS[part[2][0]]
        end = part.end()
    if not end or rest[end:].strip():
        return None
    return datetime.fromtimestamp(here.timestamp() + seconds, here.tzinfo)


def _iso(text: str, zone: tzinfo | None) -> datetime | None:
    """A date and time in ISO 8601; without a zone, in ``zone``."""
    if "T" not in text.upper() and "+" not in text and "Z" not in text.upper():
        return None
    try:
        moment = datetime.fromisoformat(text.upper().replace(" ", "T", 1))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else _local(moment, zone)


def _day_and_clock(words: str, here: datetime, zone: tzinfo | None) -> datetime | None:
    """A day, a time of day, or both."""
    first, _, rest = words.partition(" ")
    day = _day(first, here)
    if day is None:
        clock = _clock(words)
        if clock is None:
            return None
        today = _at(here, clock, zone)
        return today if today > here else _at(here + timedelta(days=1), clock, zone)
    if not rest:
        return _at(day, _MORNING, zone)
    clock = _clock(rest)
    return None if clock is None else _at(day, clock, zone)


def _day(word: str, here: datetime) -> datetime | None:
    if word in ("today", "tomorrow"):
        return here + timedelta(days=word == "tomorrow")
    if match := _DATE.fullmatch(word):
        return here.replace(year=int(match[1]), month=int(match[2]), day=int(match[3]))
    for number, name in enumerate(_DAYS):
        if len(word) >= _SHORTEST and name.startswith(word):
            return here + timedelta(days=(number - here.weekday() - 1) % 7 + 1)
    return None


def _clock(words: str) -> tuple[int, int] | None:
    if words == "noon":
        return 12, 0
    match = _CLOCK.fullmatch(words)
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    return (hour, minute) if hour < 24 and minute < 60 else None


def _at(day: datetime, clock: tuple[int, int], zone: tzinfo | None) -> datetime:
    wall = datetime(day.year, day.month, day.day, *clock)  # noqa: DTZ001 - the next line gives it its zone
    return _local(wall, zone)


def _local(naive: datetime, zone: tzinfo | None) -> datetime:
    """The local time in ``zone``; its UTC offset may differ from the current one, because of daylight saving time."""
    return naive.astimezone() if zone is None else naive.replace(tzinfo=zone)


def day_of(text: str, today: date) -> date:
    """The day that `text` names: 2026-11-20, 2026-11 (its first day), 11-20 (the latest one), today,
    yesterday, friday (the latest one before today).

    Raises ValueError for anything else.
    """
    words = text.strip().casefold()
    if words in ("today", "yesterday"):
        return today - timedelta(days=words == "yesterday")
    if len(words) >= _SHORTEST:
        for number, name in enumerate(_DAYS):
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
