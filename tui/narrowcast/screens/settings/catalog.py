"""What a setting is for the screen: its name on the wire, its title, and what values it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from narrowcast.text.formats import counted


class Kind(StrEnum):
    """How a setting is shown and changed."""

    FLAG = "flag"
    CHOICE = "choice"
    NUMBER = "number"
    SECONDS = "seconds"
    """A period in seconds; null is for ever."""
    PERIOD = "period"
    """A period in seconds that has an end."""
    DAYS = "days"
    """A number of days; -1 is for ever."""
    TEXT = "text"
    LONG_TEXT = "long text"
    CHANNEL = "channel"
    """A channel's id; -1 is none."""
    HOLDERS = "holders"
    """Who holds a permission."""
    COMMAND = "command"
    """What a command asks for; its name is the command's id."""


Option = tuple[object, str]
"""A value as it travels, and what it means."""


class Setting(Struct, frozen=True):
    """One setting of a person or of the organization."""

    name: str
    title: str
    kind: Kind = Kind.FLAG
    options: tuple[Option, ...] = ()
    emptied: str = ""
    """What travels in place of no text."""

    def shown(self, value: object) -> str:
        """A value that stands by itself: of every kind but channels and permissions."""
        if self.kind is Kind.COMMAND:
            return ""
        for option, label in self.options:
            if option == value and type(option) is type(value):
                return label
        if self.kind is Kind.SECONDS:
            return "No limit" if value is None else duration(value)
        if self.kind is Kind.PERIOD:
            return duration(value)
        if self.kind is Kind.DAYS and value in (-1, None):
            return "Forever"
        if self.kind is Kind.DAYS and isinstance(value, int):
            return counted(value, "day")
        if isinstance(value, bool):
            return "On" if value else "Off"
        if value is None or value == "":
            return "None"
        return " ".join(str(value).split())


def duration(value: object) -> str:
    """Seconds in the largest unit that says them exactly."""
    if not isinstance(value, int):
        return str(value)
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if value >= size and value % size == 0:
            return counted(value // size, unit)
    return counted(value, "second")


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds(text: str) -> int | None:
    """'90', '10 m', '2 hours', '7d' as seconds; None for 'no limit'. ValueError for anything else."""
    words = text.strip().lower()
    if words in {"", "none", "never", "no limit", "unlimited", "for ever", "forever"}:
        return None
    digits = words[: len(words) - len(words.lstrip("0123456789"))]
    unit = words[len(digits) :].strip()
    if not digits or (unit and unit[0] not in _UNITS):
        raise ValueError("a number and a unit, such as 10 minutes, 2 h, 7 days; or: no limit")
    return int(digits) * (_UNITS[unit[0]] if unit else 1)


def period(text: str) -> int:
    """As `seconds`, of a period that must have an end."""
    length = seconds(text)
    if length is None:
        raise ValueError("a number and a unit, such as 2 minutes, 1 h")
    return length


NO_DAYS = "Write a number of days, 1 or more; or: forever."
"""What is said of a text that `days` does not take."""


def days(text: str) -> int | str:
    """'30' or '30 days' as a number; 'unlimited', as it travels, for 'forever'. ValueError for anything else."""
    words = text.strip().lower()
    if words in {"", "for ever", "forever", "unlimited", "never", "none", "-1"}:
        return "unlimited"
    number = int(words.removesuffix("days").removesuffix("day"))
    if number < 1:
        raise ValueError(NO_DAYS)
    return number


Catalog = Mapping[str, Sequence[Setting]]
"""Settings under their headings, in the order in which they are shown."""


def flag(name: str, title: str) -> Setting:
    return Setting(name, title)


def choice(name: str, title: str, *options: Option) -> Setting:
    return Setting(name, title, Kind.CHOICE, options)


def guess(name: str, value: object) -> Setting | None:
    """A setting that this program has not heard of, as far as its value tells; None for what is not changed
    one by one.
    """
    title = name.replace("_", " ")
    if isinstance(value, bool):
        return Setting(name, title)
    if isinstance(value, int):
        return Setting(name, title, Kind.NUMBER)
    if isinstance(value, str):
        return Setting(name, title, Kind.TEXT)
    return None
