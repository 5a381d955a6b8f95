"""The fields of a form and the values read from them. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.text.formats import counted
from narrowcast.text.names import SEE_MATCHES, listed, signed
from narrowcast.text.natural_time import NoMoment, moment
from narrowcast_api.http.encoding import OMIT, Omit

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = [
    "ChannelName",
    "DateTimeField",
    "Field",
    "LineField",
    "Names",
    "OneOf",
    "People",
    "Text",
    "UnusableValue",
    "Values",
    "YesNo",
]

Suggest = Callable[[str], Sequence[str]]
"""Completions, best first, for the whole text typed so far."""


class UnusableValue(Exception):
    """A value that cannot be used. ``name``: its field; ``text``: the problem, and what to enter instead."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name
        self.text = text


class Field(Struct, frozen=True):
    """A field of a form.

    ``hint``: a sentence shown while the field has the focus. ``needs``: why the value cannot be changed, as in
    `Refusal.short`; the field is then disabled. ``section``: the heading of the section that begins with the field.
    """

    name: str
    label: str
    hint: str = ""
    needs: str = ""
    section: str = ""


class LineField(Field, frozen=True):
    """A text of one line. ``limit``: maximum length; ``suggest``: completions for Tab, shown as ``describe``
    returns them. ``new``: what a value that is not one of them is called, such as "new topic", if it is allowed.
    """

    value: str = ""
    placeholder: str = ""
    required: bool = False
    limit: int | None = None
    secret: bool = False
    suggest: Suggest | None = None
    describe: Callable[[str], str] | None = None
    new: str = ""


class Text(Field, frozen=True):
    """A text of several lines, ``rows`` of which are visible."""

    value: str = ""
    placeholder: str = ""
    required: bool = False
    limit: int | None = None
    rows: int = 4


class YesNo(Field, frozen=True):
    """A setting that is on or off."""

    value: bool = False


class OneOf(Field, frozen=True):
    """One of several ``options``, each a value and its text. Many options open as a list with a filter."""

    options: Sequence[tuple[object, str]] = ()
    value: object = None


class People(Field, frozen=True):
    """Users by name, separated by commas; the value is their ids."""

    value: Sequence[int] = ()
    required: bool = False


class Names(Field, frozen=True):
    """Things of one kind by name, separated by commas; the value is their ids. ``known``: their names by id;
    ``what``: the word for one of them.
    """

    what: str = "thing"
    known: Mapping[int, str] = {}
    value: Sequence[int] = ()
    required: bool = False

    def named(self) -> list[str]:
        """The initial text of the field."""
        return [self.known.get(one, f"{self.what} {one}") for one in self.value]

    def id_of(self, name: str) -> int | None:
        """The id for a name, ignoring case; the first one if names are equal."""
        folded = name.casefold()
        return next((one for one, known in self.known.items() if known.casefold() == folded), None)


class ChannelName(Field, frozen=True):
    """A channel by name; the value is its id, or None if the field is empty."""

    value: int | None = None
    required: bool = False


class DateTimeField(Field, frozen=True):
    """A future time in words (`narrowcast.text.natural_time`), read as seconds since 1970.

    None if the field is empty or unchanged.
    """

    value: str = ""
    required: bool = False


class Values:
    """The values of a submitted form, by field name.

    ``changed`` reports whether a value was changed; the ``new_...`` readers return OMIT for unchanged values, which
    can be passed to the library's calls as they are. Disabled fields keep their values.
    """

    def __init__(self, read: Mapping[str, object], before: Mapping[str, object]) -> None:
        self._read = read
        self._before = before

    def __getitem__(self, name: str) -> object:
        return self._read[name]

    def changed(self, name: str) -> bool:
        """Whether the value differs from the initial one."""
        return self._read[name] != self._before[name]

    def text(self, name: str) -> str:
        """The text of a LineField or Text; stripped, except for a secret, which may contain blanks at its ends."""
        return str(self._read[name])

    def new_text(self, name: str) -> str | Omit:
        """As `text`; OMIT if unchanged."""
        return self.text(name) if self.changed(name) else OMIT

    def flag(self, name: str) -> bool:
        return bool(self._read[name])

    def new_flag(self, name: str) -> bool | Omit:
        """As `flag`; OMIT if unchanged."""
        return self.flag(name) if self.changed(name) else OMIT

    def ids(self, name: str) -> tuple[int, ...]:
        """The ids of People or Names, in order."""
        read = self._read[name]
        return read if isinstance(read, tuple) else ()

    def channel(self, name: str) -> int | None:
        """The id of a ChannelName."""
        return self._whole(name)

    def moment(self, name: str) -> int | None:
        """Seconds since 1970 of a DateTimeField."""
        return self._whole(name)

    def _whole(self, name: str) -> int | None:
        read = self._read[name]
        return read if isinstance(read, int) else None


def initial(field: Field) -> object:
    """The initial value of a field, as in Values."""
    match field:
        case People() | Names():
            return tuple(field.value)
        case DateTimeField():
            return None
        case LineField() | Text() | YesNo() | OneOf() | ChannelName():
            return field.value
    return None


def read_text(field: Field, typed: str, state: State, now: float) -> object:
    """The value of the text typed into a field, as in Values. Raises UnusableValue if it is invalid."""
    text = typed.strip()
    if not text and getattr(field, "required", False):
        raise UnusableValue(field.name, "This field is required.")
    match field:
        case LineField(secret=True):
            return typed
        case LineField() | Text():
            if field.limit is not None and len(text) > field.limit:
                over = len(text) - field.limit
                raise UnusableValue(
                    field.name, f"{counted(over, 'character')} over the limit of {field.limit}."
                )
            return text
        case People():
            return _ids(field.name, text, state.user_id, "user named {!r}")
        case Names():
            return _ids(field.name, text, field.id_of, f"{field.what} named {{!r}} can be chosen here")
        case ChannelName():
            return _channel(field, text, state)
        case DateTimeField():
            return _moment(field, text, now)
    return text


def _ids(field: str, text: str, id_of: Callable[[str], int | None], nothing: str) -> tuple[int, ...]:
    found: list[int] = []
    for name, one in listed(text, signed(id_of)):
        if one is None:
            raise UnusableValue(field, f"No {nothing.format(name)}. {SEE_MATCHES}")
        if one not in found:
            found.append(one)
    return tuple(found)


def _channel(field: Field, text: str, state: State) -> int | None:
    if not text:
        return None
    channel_id = signed(state.channels.id_of)(text)
    if channel_id is None:
        raise UnusableValue(field.name, f"No channel named {text!r}. {SEE_MATCHES}")
    return channel_id


def _moment(field: Field, text: str, now: float) -> int | None:
    if not text:
        return None
    try:
        return moment(text, now)
    except NoMoment as problem:
        raise UnusableValue(field.name, str(problem)) from None
