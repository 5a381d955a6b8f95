"""A setting as the screen needs it: its name in the API, its title, and its possible values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from narrowcast.text.formats import counted


class SettingKind(StrEnum):
    """How a setting is shown and changed."""

    FLAG = "flag"
    CHOICE = "choice"
    NUMBER = "number"
    SECONDS = "seconds"
    """A period in seconds; null means no limit, as does 0 on servers below level 138."""
    PERIOD = "period"
    """A period in seconds that must be finite."""
    DAYS = "days"
    """A number of days; -1 means forever."""
    TEXT = "text"
    LONG_TEXT = "long text"
    CHANNEL = "channel"
    """A channel's id; -1 means none."""
    HOLDERS = "holders"
    """Who holds a permission."""
    COMMAND = "command"
    """A command that asks for the value; the setting's name is the command's id."""


Option = tuple[object, str]
"""A value as in the API, and its meaning."""


class Setting(Struct, frozen=True):
    """One setting of a user or of the organization."""

    name: str
    title: str
    kind: SettingKind = SettingKind.FLAG
    options: tuple[Option, ...] = ()
    emptied: str = ""
    """The value sent instead of an empty text."""

    def shown(self, value: object) -> str:
        """The text of a value, for every kind except channels and permissions."""
        if self.kind is SettingKind.COMMAND:
            return ""
        for option, label in self.options:
            if option == value and type(option) is type(value):
                return label
        if self.kind is SettingKind.SECONDS:
            return "No limit" if value in (None, 0) else duration(value)
        if self.kind is SettingKind.PERIOD:
            return duration(value)
        if self.kind is SettingKind.DAYS and value in (-1, None):
            return "Forever"
        if self.kind is SettingKind.DAYS and isinstance(value, int):
            return counted(value, "day")
        if isinstance(value, bool):
            return "On" if value else "Off"
        if value is None or value == "":
            return "None"
        return " ".join(str(value).split())


def duration(value: object) -> str:
    """Seconds in the largest unit that divides them exactly."""
    if not isinstance(value, int):
        return str(value)
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if value >= size and value % size == 0:
            return counted(value // size, unit)
    return counted(value, "second")


Catalog = Mapping[str, Sequence[Setting]]
"""Settings under their headings, in the order in which they are shown."""


def flag(name: str, title: str) -> Setting:
    return Setting(name, title)


def choice(name: str, title: str, *options: Option) -> Setting:
    return Setting(name, title, SettingKind.CHOICE, options)


def guess(name: str, value: object) -> Setting | None:
    """A setting unknown to this program, with its kind guessed from its value; None if it cannot be changed by
    itself.
    """
    title = name.replace("_", " ")
    if isinstance(value, bool):
        return Setting(name, title)
    if isinstance(value, int):
        return Setting(name, title, SettingKind.NUMBER)
    if isinstance(value, str):
        return Setting(name, title, SettingKind.TEXT)
    return None
