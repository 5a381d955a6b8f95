"""Uniform formats of dates, times and sizes, and of a message in one line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from narrowcast_api.storage.codec import plain_text
from narrowcast_assets.emoji import character_of

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = [
    "clock",
    "counted",
    "day",
    "excerpt",
    "has_long_clock",
    "iso_day",
    "iso_time",
    "local",
    "moment",
    "size",
    "time_within",
    "with_local_times",
]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NEAR = {timedelta(days=-1): "yesterday", timedelta(0): "today", timedelta(days=1): "tomorrow"}


def has_long_clock(state: State) -> bool:
    """Whether the account uses a 24-hour clock."""
    return state.settings.flag("twenty_four_hour_time", True)


FIRST, LAST = -62_135_424_000, 253_402_128_000
"""Times that have a date in every time zone, in seconds since 1970: 2 Jan 1 to 30 Dec 9999."""


def local(at: float, zone: tzinfo | None = None) -> datetime:
    """Seconds since 1970 as a time in ``zone`` (None: that of this machine); the epoch if it is out of range."""
    try:
        return datetime.fromtimestamp(at, zone).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, zone).astimezone(zone)


def iso_time(text: str) -> float | None:
    """Seconds since 1970 of a time as servers write it; None if it is not valid."""
    try:
        when = datetime.fromisoformat(text)
        at = (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return at if FIRST <= at <= LAST else None


def iso_day(text: str) -> str:
    """The day of a time as servers write it; empty if it is not valid."""
    at = iso_time(text)
    return "" if at is None else day(local(at))


def clock(then: datetime, *, long: bool) -> str:
    """Hours and minutes: "17:05", or "5:05 pm" if the account uses a 12-hour clock."""
    if long:
        return f"{then.hour:02}:{then.minute:02}"
    return f"{then.hour % 12 or 12}:{then.minute:02} {'am' if then.hour < 12 else 'pm'}"


def day(then: datetime) -> str:
    return f"{then.day} {_MONTHS[then.month - 1]} {then.year}"


def moment(at: float, now: float, *, long: bool, zone: tzinfo | None = None) -> str:
    """A date and time, as short as is unambiguous: "today 17:05", "Thu 24 Dec 18:00", "Thu 24 Dec 2026 18:00".

    ``at`` and ``now`` are seconds since 1970.
    """
    then, today = local(at, zone), local(now, zone).date()
    time = clock(then, long=long)
    if (near := _NEAR.get(then.date() - today)) is not None:
        return f"{near} {time}"
    date = f"{_DAYS[then.weekday()]} {then.day} {_MONTHS[then.month - 1]}"
    return f"{date} {time}" if abs((then.date() - today).days) < 300 else f"{date} {then.year} {time}"


def day_or_time(at: float, now: float, *, long: bool, zone: tzinfo | None = None) -> str:
    """When something was, in at most ten cells: "12:23 pm" today, "yesterday", "Tue 24 Nov", "24.11.2025".

    ``at`` and ``now`` are seconds since 1970.
    """
    then, today = local(at, zone), local(now, zone).date()
    days = (today - then.date()).days
    if days == 0:
        return clock(then, long=long)
    if days == 1:
        return "yesterday"
    if abs(days) < 300:
        return f"{_DAYS[then.weekday()]} {then.day} {_MONTHS[then.month - 1]}"
    return f"{then.day}.{then.month}.{then.year}"


def size(count: float) -> str:
    """Bytes: "512 B", "3.4 MB"; a KB is 1024 bytes, as in servers' limits."""
    amount = float(count)
    for unit in ("B", "KB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"


def at_least(number: int, *, more: bool) -> str:
    """A number of unread messages: "7", "12,000"; "50,000+" if there are ``more`` of which the server did not tell."""
    return f"{number:,}+" if more else f"{number:,}" if number > 9999 else str(number)


def counted(number: int, one: str, more: str = "") -> str:
    """A number with a noun: "1 character", "2 characters". ``more``: the plural unless it is ``one`` with an s."""
    return f"{number} {one if number == 1 else more or f'{one}s'}"


EXCERPT_FROM = 4000
"""Maximum characters of HTML that are read: a line shows only the beginning."""

_EMOJI = re.compile(r'<span [^>]*class="emoji emoji-([0-9a-f-]+)"[^>]*>([^<]*)</span>')
_TIME = re.compile(r'<time [^<>]{0,100}datetime="([^"<>]{0,100})"[^<>]{0,100}>([^<]{0,100})</time>')
"""The lengths are limited so that no text takes long."""
_SHORTEST_DATE = 6
"""Shorter words of a time, such as "1", also stand for other things in a text."""


def time_within(text: str, now: float, *, long: bool) -> str:
    """A time in a message, given as servers write it, as by `moment`; empty if it is not valid."""
    at = iso_time(text)
    return "" if at is None else moment(at, now, long=long)


def with_local_times(part: str, html: str, now: float, *, long: bool) -> str:
    """A part of the text of rendered ``html``, with the whole times in it as by `moment`."""
    shown = {
        words: local
        for at, words in _TIME.findall(html)
        if len(words) >= _SHORTEST_DATE and (local := time_within(at, now, long=long))
    }
    if not shown:
        return part
    # at once, as what was written for one may contain the words of another
    either = "|".join(re.escape(words) for words in sorted(shown, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{either})(?!\w)", lambda match: shown[match[0]], part)


def excerpt(html: str, now: float, *, long: bool = True) -> str:
    """The text of rendered ``html``, truncated; it is not filtered: show it through safe_text. Times are written as by
    `moment`.
    """

    def when(match: re.Match[str]) -> str:
        return time_within(match[1], now, long=long) or match[2]

    html = _EMOJI.sub(lambda match: character_of(match[1]) or match[2], html[:EXCERPT_FROM])
    return plain_text(_TIME.sub(when, html))
