"""The values of settings that are typed: numbers, lengths of time and lines of text."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from narrowcast.screens.settings.catalog import Setting, SettingKind

__all__ = ["NO_DAYS", "TypedForm", "as_typed", "days", "period", "seconds", "typed_form"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds(text: str) -> int | None:
    """'90', '10 m', '2 hours', '7d' as seconds; None for 'no limit'. Raises ValueError for anything else."""
    words = text.strip().lower()
    if words in {"", "none", "never", "no limit", "unlimited", "for ever", "forever"}:
        return None
    digits = words[: len(words) - len(words.lstrip("0123456789"))]
    unit = words[len(digits) :].strip()
    if not digits or (unit and unit[0] not in _UNITS):
        raise ValueError("a number and a unit, such as 10 minutes, 2 h, 7 days; or: no limit")
    return int(digits) * (_UNITS[unit[0]] if unit else 1)


def period(text: str) -> int:
    """As `seconds`, but raises ValueError for 'no limit'."""
    length = seconds(text)
    if length is None:
        raise ValueError("a number and a unit, such as 2 minutes, 1 h")
    return length


NO_DAYS = "Write a number of days, 1 or more; or: forever."
"""Shown for a text that `days` does not accept."""


def days(text: str) -> int | str:
    """'30' or '30 days' as a number; 'unlimited', as in the API, for 'forever'. Raises ValueError for anything
    else.
    """
    words = text.strip().lower()
    if words in {"", "for ever", "forever", "unlimited", "never", "none", "-1"}:
        return "unlimited"
    number = int(words.removesuffix("days").removesuffix("day"))
    if number < 1:
        raise ValueError(NO_DAYS)
    return number


def _number(text: str) -> int:
    """A whole number, 0 or more. Raises ValueError for anything else."""
    number = int(text)
    if number < 0:
        raise ValueError("0 or more")
    return number


class TypedForm(Struct, frozen=True):
    """How the value of a setting is typed."""

    read: Callable[[str], object]
    """The text as the API's value. Raises ValueError for an invalid text."""
    hint: str = ""
    invalid: str = ""
    """Shown for an invalid text."""

    def problem(self, text: str) -> str:
        """What is wrong with a text; empty if it is valid."""
        try:
            self.read(text)
        except ValueError:
            return self.invalid
        return ""


_FORMS = {
    SettingKind.SECONDS: TypedForm(
        lambda text: "unlimited" if (length := seconds(text)) is None else length,
        "Such as 10 minutes, 2 h, 7 days; or: no limit",
        "Write a number and a unit, such as 10 minutes; or: no limit.",
    ),
    SettingKind.PERIOD: TypedForm(
        period, "Such as 2 minutes, 1 h", "Write a number and a unit, such as 2 minutes."
    ),
    SettingKind.DAYS: TypedForm(days, "A number of days; or: forever", NO_DAYS),
    SettingKind.NUMBER: TypedForm(_number, "A whole number", "Write a whole number, 0 or more."),
}


def typed_form(setting: Setting) -> TypedForm:
    """How the value of this setting is typed; as text if it is no number and no length of time."""
    return _FORMS.get(setting.kind) or TypedForm(lambda text: text if text.strip() else setting.emptied)


def as_typed(setting: Setting, value: object) -> str:
    """The current value as the user would type it."""
    if setting.kind in (SettingKind.SECONDS, SettingKind.PERIOD, SettingKind.DAYS):
        return setting.shown(value)
    return str(value) if setting.kind is SettingKind.NUMBER else str(value or "")
