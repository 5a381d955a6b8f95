"""What every model of the wire shares: how it is made from JSON, and what it keeps of what it does not know.

Attributes carry the wire's names, except the legacy ``subject`` family, which reads as ``topic``. Enumerated
values stay plain ``str`` and ``int``, because a newer server may send values that this library does not know;
they compare equal to the members of ``vocabulary``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, dataclass_transform

import msgspec

from narrowcast_api.model.reading import BadRow, RawRecord, texts

from .fields import describe, fields_of, known_names, log

NOTICES = "narrowcast_notices"
"""The key under which the library's own notices travel in an answer."""


class _KeywordsOnly(msgspec.StructMeta):
    """Models are made by keywords, so that one may ask for more than what it extends."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> _KeywordsOnly:
        return super().__new__(mcls, name, bases, namespace, kw_only=True, **options)


Model = TypeVar("Model", bound="WireModel")


@dataclass_transform(kw_only_default=True, frozen_default=True)
class WireModel(msgspec.Struct, frozen=True, metaclass=_KeywordsOnly):
    """A value of the wire: immutable, made by `read`.

    `unknown_fields` are those that the model does not name, `sent_fields` the names of all that came.
    """

    unknown_fields: Mapping[str, Any] = {}
    sent_fields: frozenset[str] = frozenset()

    hidden_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields that no log shows."""

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        """What came, with the forms of older servers brought into the shape of this model."""
        return row

    @classmethod
    def read(cls: type[Model], value: object) -> Model:
        """The model of a JSON object. Raises `ValueError`, which does not say the value, for what does not fit."""
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
        """The same for a model whose fields all have defaults: those that do not fit are left out and logged."""
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
        """Whether the server sent this field at all: tells absent from null."""
        names = next((field.names for field in fields_of(type(self)) if field.name == name), (name,))
        return not self.sent_fields.isdisjoint(names)

    @property
    def ignored_parameters_unsupported(self) -> tuple[str, ...]:
        """On an answer: the parameters that the server says it ignored (CONV-09); below level 167 it never
        says.
        """
        return tuple(texts(self.unknown_fields.get("ignored_parameters_unsupported")))

    @property
    def notices(self) -> tuple[str, ...]:
        """On an answer: what the library left out of the request because this server is too old, in words."""
        return tuple(texts(self.unknown_fields.get(NOTICES)))

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        hidden = {"unknown_fields", "sent_fields", *self.hidden_fields}
        return [(name, getattr(self, name)) for name in self.__struct_fields__ if name not in hidden]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"
