"""What every model of the wire shares: kept extras, bounded numbers, and lists that survive one bad item.

Attributes carry the wire's names, except the legacy ``subject`` family, which reads as ``topic``. Enumerated
values stay plain ``str`` and ``int``, because a newer server may send values that this library does not know;
they compare equal to the members of ``vocabulary``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from msgspec import Struct
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WrapValidator,
)
from pydantic import ValidationInfo as Info

from narrowcast_api.model.reading import LARGEST, BadRow, Row

Int = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
"""An integer that fits where integers of servers fit; larger ones are an error, not a surprise later."""

Id = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
"""The id of an object of the server."""

Seconds = Annotated[float, Field(allow_inf_nan=False)]
"""Seconds, or a time in seconds since 1970 UTC; never NaN or infinite."""


NOTICES = "narrowcast_notices"
"""The key under which the library's own notices travel in an answer."""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, (list, tuple)) else ()


class WireModel(BaseModel):
    """A value of the wire: immutable, unknown fields kept as attributes and in ``model_extra``."""

    # Built at first use: building all models at import would hold up the app that has just painted.
    model_config = ConfigDict(
        extra="allow", frozen=True, populate_by_name=True, protected_namespaces=(), defer_build=True
    )

    def was_sent(self, name: str) -> bool:
        """Whether the server sent this field at all: tells absent from null."""
        return name in self.model_fields_set or name in (self.model_extra or {})

    @property
    def ignored_parameters_unsupported(self) -> tuple[str, ...]:
        """On an answer: the parameters that the server says it ignored (CONV-09); below level 167 it never
        says.
        """
        return _texts((self.model_extra or {}).get("ignored_parameters_unsupported"))

    @property
    def notices(self) -> tuple[str, ...]:
        """On an answer: what the library left out of the request because this server is too old, in words."""
        return _texts((self.model_extra or {}).get(NOTICES))


@dataclass(frozen=True, slots=True)
class Problem:
    """One item of a table that could not be read and was left out."""

    field: str
    where: int | str
    error: str


_problems: ContextVar[list[Problem] | None] = ContextVar("problems", default=None)


@contextmanager
def collecting_problems() -> Iterator[list[Problem]]:
    """Within the block, items skipped by the tables of any model are added to the list that it gives."""
    found: list[Problem] = []
    token = _problems.set(found)
    try:
        yield found
    finally:
        _problems.reset(token)


def report_problem(field: str, where: int | str, error: Exception) -> None:
    """Note a skipped item, for whoever collects."""
    found = _problems.get()
    if found is not None:
        found.append(Problem(field, where, describe(error)))


def describe(error: Exception) -> str:
    """A short text for a parsing error, without the value that caused it."""
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"][:6])
        return f"{place}: {first['msg']}"[:300]
    return f"{type(error).__name__}: {error}"[:300]


_Handler = Callable[[Any], Any]


def _good_items(value: Any, handler: _Handler, info: Info) -> Any:
    try:
        return handler(value)
    except ValidationError as whole:
        field = info.field_name or ""
        if isinstance(value, list) and _accepts(handler, []):
            good: list[Any] = []
            for index, item in enumerate(value):
                try:
                    good.extend(handler([item]))
                except ValidationError as error:
                    report_problem(field, index, error)
            return good
        if isinstance(value, dict) and _accepts(handler, {}):
            table: dict[Any, Any] = {}
            for key, item in value.items():
                try:
                    table.update(handler({key: item}))
                except ValidationError as error:
                    report_problem(field, str(key)[:40], error)
            return table
        report_problem(field, "whole", whole)
        return handler([]) if _accepts(handler, []) else handler({})


def _accepts(handler: _Handler, value: Any) -> bool:
    try:
        handler(value)
    except ValidationError:
        return False
    return True


T = TypeVar("T")


def read_by(read: Callable[[Row], T]) -> PlainValidator:
    """Marks a field that holds a record of `narrowcast_api.model`, read by the reader of all its sources:
    `Annotated[SavedSnippet, read_by(read_saved_snippet)]`.
    """

    def validate(value: object) -> object:
        if isinstance(value, Mapping):
            return read(value)
        if isinstance(value, tuple | Struct):  # a record already, of an event made here; JSON knows neither
            return value
        raise BadRow("object")

    return PlainValidator(validate)


Good = Annotated[T, WrapValidator(_good_items)]
"""A list or mapping whose unreadable items are left out (and reported) instead of failing the whole."""


def _none_to_empty_list(value: Any) -> Any:
    return [] if value is None else value


GoodList = Annotated[list[T], BeforeValidator(_none_to_empty_list), WrapValidator(_good_items)]


def either(*names: str) -> AliasChoices:
    """A field that reads alike under several names, the first one preferred."""
    return AliasChoices(*names)


def dialects(name: str) -> AliasChoices:
    """A field named after the server: ``service_<name>`` or ``zulip_<name>``."""
    return AliasChoices(f"service_{name}", f"zulip_{name}")


Model = TypeVar("Model", bound=WireModel)


def lenient(model: type[Model], values: Mapping[str, Any], problems: list[Problem]) -> Model:
    """A model of which every field has a default, without the unreadable values; those go to `problems`."""
    # Names of the wire are ASCII; anything else cannot be a field, and lone surrogates could not even be kept.
    left = {name: value for name, value in values.items() if name.isascii()}
    while True:
        try:
            return model.model_validate(left)
        except ValidationError as error:
            wrong = {str(item["loc"][0]) for item in error.errors(include_url=False, include_input=False)}
        # Again, because an unreadable name may have hidden its alias, which may be unreadable too.
        problems.extend(Problem(name, "whole", "unreadable") for name in sorted(wrong))
        left = {name: value for name, value in left.items() if name not in wrong}
