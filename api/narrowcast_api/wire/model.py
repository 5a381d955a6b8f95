"""The base of all wire models: how they are read from JSON, and how unknown fields are kept.

Attributes have the names of the wire, except the legacy ``subject`` family, which is read as ``topic``.
Enumerated values stay plain ``str`` and ``int``, because a newer server may send values that this library
does not know; they compare equal to the members of ``vocabulary``.

The annotations of a model are compiled to functions when the model is first used. msgspec converts plain
values: a number may be sent as a text, a flag may be 0 or 1, null is not the same as an absent value. The
markers below select other ways of reading.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache, partial
from math import isfinite
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

import msgspec

from narrowcast_api.model.reading import MAX_INT64, BadRow, RawRecord, texts

log = logging.getLogger(__name__)

NOTICES = "narrowcast_notices"
"""The key under which the library adds its own notices to a response."""

T = TypeVar("T")
Model = TypeVar("Model", bound="WireModel")
Read = Callable[[Any], Any]


class Aliases(NamedTuple):
    """The wire names of a field, the preferred one first."""

    names: tuple[str, ...]


def either(*names: str) -> Aliases:
    """A field that may have several names, the preferred one first."""
    return Aliases(names)


def dialects(name: str) -> Aliases:
    """A field whose name depends on the dialect: ``service_<name>`` or ``zulip_<name>``."""
    return Aliases((f"service_{name}", f"zulip_{name}"))


class ReadBy(NamedTuple):
    """Marks a field that a function reads, which raises `ValueError` for invalid values."""

    read: Read


def read_by(read: Callable[[RawRecord], T]) -> ReadBy:
    """Marks a field that contains a record of `narrowcast_api.model`, read by that record's reader:
    `Annotated[Reminder, read_by(read_reminder)]`.
    """

    def record(value: object) -> T:
        if not isinstance(value, Mapping):
            raise BadRow("not an object")
        return read(value)

    return ReadBy(record)


def _finite(value: object) -> float:
    number = msgspec.convert(value, float, strict=False)
    if not isfinite(number):
        raise BadRow("not a finite number")
    return number


class _Good:
    """Marks a list or mapping from which unreadable items are left out."""


Int = Annotated[int, msgspec.Meta(ge=-MAX_INT64, le=MAX_INT64)]
"""An integer within the range of the servers' integers; larger ones are an error."""

Id = Annotated[int, msgspec.Meta(ge=-MAX_INT64, le=MAX_INT64)]
"""The id of an object on the server."""

Seconds = Annotated[float, ReadBy(_finite)]
"""Seconds, or a time in seconds since 1970 UTC; never NaN or infinite."""

Good = Annotated[T, _Good()]
"""A list or mapping from which unreadable items are left out and logged, instead of rejecting all of it."""

GoodList = Annotated[list[T], _Good()]
"""A list from which unreadable items are left out and logged; null is read as an empty list."""


class WireField(NamedTuple):
    """One field of a model: its names on the wire, and the function that reads its value."""

    name: str
    names: tuple[str, ...]
    read: Read
    required: bool


class _KeywordsOnly(msgspec.StructMeta):
    """Makes all fields keyword-only, so that a subclass may add required fields."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> _KeywordsOnly:
        return super().__new__(mcls, name, bases, namespace, kw_only=True, **options)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class WireModel(msgspec.Struct, frozen=True, metaclass=_KeywordsOnly):
    """An immutable value of the wire format, created by `read`.

    `unknown_fields` are the fields that the model does not define, `sent_fields` the names of all received fields.
    """

    unknown_fields: Mapping[str, Any] = {}
    sent_fields: frozenset[str] = frozenset()

    hidden_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields that are never shown in logs."""

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        """The received object, with the forms of older servers converted to those of this model."""
        return row

    @classmethod
    def read(cls: type[Model], value: object) -> Model:
        """Returns the model of a JSON object. Raises `ValueError`, without the value in its text, if it does
        not fit.
        """
        if not isinstance(value, Mapping):
            raise BadRow("not an object")
        row = cls.prepared(value)
        values = {}
        for attribute, names, read, required in fields_of(cls):
            for name in names:
                if name in row:
                    try:
                        values[attribute] = read(row[name])
                    except ValueError as error:
                        raise BadRow(f"{name}: {describe(error)}") from None
                    break
            else:
                if required:
                    raise BadRow(f"{attribute}: missing")
        return cls._made(values, row)

    @classmethod
    def read_leniently(cls: type[Model], row: RawRecord) -> Model:
        """Like `read`, for a model whose fields all have defaults: invalid fields are left out and logged."""
        values = {}
        for field in fields_of(cls):
            for name in field.names:
                if name in row and field.name not in values:
                    try:
                        values[field.name] = field.read(row[name])
                    except ValueError as error:
                        log.warning("%s is left out: %s", name, describe(error))
        return cls._made(values, row)

    @classmethod
    def _made(cls: type[Model], values: Mapping[str, Any], row: RawRecord) -> Model:
        unknown = {name: row[name] for name in row.keys() - known_names(cls)}
        return cls(**values, unknown_fields=unknown, sent_fields=frozenset(row))

    def was_sent(self, name: str) -> bool:
        """Whether the server sent this field: distinguishes absent from null."""
        names = next((field.names for field in fields_of(type(self)) if field.name == name), (name,))
        return not self.sent_fields.isdisjoint(names)

    @property
    def ignored_parameters_unsupported(self) -> tuple[str, ...]:
        """For responses: the parameters that the server reports as ignored (CONV-09); always empty below level 167."""
        return tuple(texts(self.unknown_fields.get("ignored_parameters_unsupported")))

    @property
    def notices(self) -> tuple[str, ...]:
        """For responses: what this server is too old for, or has not done of the request, as text."""
        return tuple(texts(self.unknown_fields.get(NOTICES)))

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        hidden = {"unknown_fields", "sent_fields", *self.hidden_fields}
        return [(name, getattr(self, name)) for name in self.__struct_fields__ if name not in hidden]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"


@cache
def fields_of(model: type[msgspec.Struct]) -> tuple[WireField, ...]:
    """The fields of a model and how to read them."""
    return tuple(
        WireField(field.name, _names(field.name, field.type), _reader(field.type, field.name), field.required)
        for field in msgspec.structs.fields(model)
        if field.name not in ("unknown_fields", "sent_fields")
    )


@cache
def known_names(model: type[msgspec.Struct]) -> frozenset[str]:
    """All wire names of the model's fields."""
    return frozenset(name for field in fields_of(model) for name in field.names)


def describe(error: Exception) -> str:
    """A short description of a reading error, without the value that caused it."""
    is_ours = isinstance(error, BadRow | msgspec.ValidationError)
    return f"{error}"[:300] if is_ours else type(error).__name__


def _names(name: str, hint: Any) -> tuple[str, ...]:
    marks = getattr(hint, "__metadata__", ())
    return next(((*mark.names, name) for mark in marks if isinstance(mark, Aliases)), (name,))


def _reader(hint: Any, name: str) -> Read:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner, *marks = parts
        for mark in marks:
            if isinstance(mark, ReadBy):
                return mark.read
            if isinstance(mark, _Good):
                return _good(inner, name)
        return _plain(hint) if any(isinstance(mark, msgspec.Meta) for mark in marks) else _reader(inner, name)
    if origin is Literal:
        return partial(_one_of, parts)
    if hasattr(hint, "read"):  # a model
        return hint.read  # type: ignore[no-any-return]
    if type(None) in parts and len(parts) == 2:
        return partial(_optional, _reader(next(part for part in parts if part is not type(None)), name))
    if origin is list:
        return partial(_list, _reader(parts[0], name))
    if origin is dict:
        return partial(_dict, _reader(parts[0], name), _reader(parts[1], name))
    return _plain(hint)


def _plain(hint: Any) -> Read:
    return _as_it_is if hint is Any else partial(msgspec.convert, type=hint, strict=False)


def _as_it_is(value: object) -> object:
    return value


def _one_of(words: tuple[str, ...], value: object) -> object:
    if value not in words:
        raise BadRow("not one of the known words")
    return value


def _optional(read: Read, value: object) -> object:
    return None if value is None else read(value)


def _list(read: Read, value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise BadRow("not a list")
    return [read(item) for item in value]


def _dict(read_key: Read, read: Read, value: object) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise BadRow("not an object")
    return {read_key(key): read(item) for key, item in value.items()}


def _good(hint: Any, name: str) -> Read:
    parts = get_args(hint)
    if get_origin(hint) is dict:
        return partial(_good_dict, name, _reader(parts[0], name), _reader(parts[1], name))
    return partial(_good_list, name, _reader(parts[0], name))


def _good_list(name: str, read: Read, value: object) -> list[Any]:
    good: list[Any] = []
    if value is None:
        return good
    if not isinstance(value, list | tuple):
        log.warning("%s is left out: not a list", name)
        return good
    for index, item in enumerate(value):
        try:
            good.append(read(item))
        except ValueError as error:
            log.warning("%s %s is left out: %s", name, index, describe(error))
    return good


def _good_dict(name: str, read_key: Read, read: Read, value: object) -> dict[Any, Any]:
    good: dict[Any, Any] = {}
    if not isinstance(value, Mapping):
        log.warning("%s is left out: not an object", name)
        return good
    for key, item in value.items():
        try:
            good[read_key(key)] = read(item)
        except ValueError as error:
            log.warning("%s %.40s is left out: %s", name, key, describe(error))
    return good


class CreatedId(WireModel):
    """Response of operations that return the ``id`` of a new object."""

    id: Id
