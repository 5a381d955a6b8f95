"""What a form asks for, and what was typed into it. Nothing here draws."""

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
    "Field",
    "LineField",
    "Moment",
    "Names",
    "OneOf",
    "People",
    "Refused",
    "Text",
    "Values",
    "YesNo",
]

Suggest = Callable[[str], Sequence[str]]
"""What a text could become, best first, given all of it."""


class Refused(Exception):
    """A value that cannot be used. ``name``: its field; ``text``: what is wrong and what to write."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name
        self.text = text


class Field(Struct, frozen=True):
    """One thing to fill in.

    ``hint``: a sentence shown while one is in the field. ``needs``: why it cannot be changed here and now, such
    as `Gate.unsupported` or who may; the field is disabled then.
    """

    name: str
    label: str
    hint: str = ""
    needs: str = ""


class LineField(Field, frozen=True):
    """A text of one line. ``limit``: most characters; ``suggest``: completions for Tab, which ``describe`` shows."""

    value: str = ""
    placeholder: str = ""
    required: bool = False
    limit: int | None = None
    secret: bool = False
    suggest: Suggest | None = None
    describe: Callable[[str], str] | None = None


class Text(Field, frozen=True):
    """A text of several lines, ``rows`` of which are seen."""

    value: str = ""
    placeholder: str = ""
    required: bool = False
    limit: int | None = None
    rows: int = 4


class YesNo(Field, frozen=True):
    """A setting that is on or off."""

    value: bool = False


class OneOf(Field, frozen=True):
    """One of some ``options``, each a value and its words. Many of them open as a list that one can search."""

    options: Sequence[tuple[object, str]] = ()
    value: object = None


class People(Field, frozen=True):
    """People by name, as ids, separated by commas."""

    value: Sequence[int] = ()
    required: bool = False


class Names(Field, frozen=True):
    """Things of one kind by name, as ids, separated by commas. ``known``: their names by id; ``what``: one of them in
    words.
    """

    what: str = "thing"
    known: Mapping[int, str] = {}
    value: Sequence[int] = ()
    required: bool = False

    def named(self) -> list[str]:
        """What stands in the field at first."""
        return [self.known.get(one, f"{self.what} {one}") for one in self.value]

    def id_of(self, name: str) -> int | None:
        """The id behind a name, whatever its case; of equal names the first."""
        folded = name.casefold()
        return next((one for one, known in self.known.items() if known.casefold() == folded), None)


class ChannelName(Field, frozen=True):
    """A channel by name, as its id; None for an empty field."""

    value: int | None = None
    required: bool = False


class Moment(Field, frozen=True):
    """A time to come, in words (`narrowcast.text.natural_time`), read as seconds since 1970.

    None for an empty field, and for one that nobody changed.
    """

    value: str = ""
    required: bool = False


class Values:
    """What the fields say when a form is sent, by the fields' names.

    ``changed`` tells whether somebody touched a value; the ``new_...`` readers give OMIT for what was left as it
    was, so that they go straight into the library's calls. Disabled fields keep what they had.
    """

    def __init__(self, read: Mapping[str, object], before: Mapping[str, object]) -> None:
        self._read = read
        self._before = before

    def __getitem__(self, name: str) -> object:
        return self._read[name]

    def changed(self, name: str) -> bool:
        """Whether the field says something else than at first."""
        return self._read[name] != self._before[name]

    def text(self, name: str) -> str:
        """A Line or a Text; without blanks around it, but for a secret, which may have them."""
        return str(self._read[name])

    def new_text(self, name: str) -> str | Omit:
        """The same; OMIT if nobody changed it."""
        return self.text(name) if self.changed(name) else OMIT

    def flag(self, name: str) -> bool:
        return bool(self._read[name])

    def new_flag(self, name: str) -> bool | Omit:
        """The same; OMIT if nobody changed it."""
        return self.flag(name) if self.changed(name) else OMIT

    def ids(self, name: str) -> tuple[int, ...]:
        """What People or Names stand for, in their order."""
        read = self._read[name]
        return read if isinstance(read, tuple) else ()

    def channel(self, name: str) -> int | None:
        """The id of a ChannelName."""
        return self._whole(name)

    def moment(self, name: str) -> int | None:
        """Seconds since 1970 of a Moment."""
        return self._whole(name)

    def _whole(self, name: str) -> int | None:
        read = self._read[name]
        return read if isinstance(read, int) else None


def initial(field: Field) -> object:
    """What a field says before anybody touches it, as Values gives it."""
    match field:
        case People() | Names():
            return tuple(field.value)
        case Moment():
            return None
        case LineField() | Text() | YesNo() | OneOf() | ChannelName():
            return field.value
    return None


def read_text(field: Field, typed: str, state: State, now: float) -> object:
    """What was typed into a field, as Values gives it. Raises Refused."""
    text = typed.strip()
    if not text and getattr(field, "required", False):
        raise Refused(field.name, "This field is required.")
    match field:
        case LineField(secret=True):
            return typed
        case LineField() | Text():
            if field.limit is not None and len(text) > field.limit:
                over = len(text) - field.limit
                raise Refused(field.name, f"{counted(over, 'character')} over the limit of {field.limit}.")
            return text
        case People():
            return _ids(field.name, text, state.user_id, "user named {!r}")
        case Names():
            return _ids(field.name, text, field.id_of, f"{field.what} named {{!r}} can be chosen here")
        case ChannelName():
            return _channel(field, text, state)
        case Moment():
            return _moment(field, text, now)
    return text


def _ids(field: str, text: str, id_of: Callable[[str], int | None], nothing: str) -> tuple[int, ...]:
    found: list[int] = []
    for name, one in listed(text, signed(id_of)):
        if one is None:
            raise Refused(field, f"No {nothing.format(name)}. {SEE_MATCHES}")
        if one not in found:
            found.append(one)
    return tuple(found)


def _channel(field: Field, text: str, state: State) -> int | None:
    if not text:
        return None
    channel_id = signed(state.channels.id_of)(text)
    if channel_id is None:
        raise Refused(field.name, f"No channel named {text!r}. {SEE_MATCHES}")
    return channel_id


def _moment(field: Field, text: str, now: float) -> int | None:
    if not text:
        return None
    try:
        return moment(text, now)
    except NoMoment as problem:
        raise Refused(field.name, str(problem)) from None
