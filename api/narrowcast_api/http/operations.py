"""Shared parts of operations: checks before sending, models of responses, and groups of bound functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload
from urllib.parse import quote

from narrowcast_api.errors import InvalidInput, MalformedResponse
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import NOTICES, WireModel, describe

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection

__all__ = [
    "OMIT",
    "Bound",
    "Done",
    "Omit",
    "Operations",
    "drop_unsupported",
    "given",
    "ids",
    "read",
    "segment",
    "text_segment",
    "texts",
]

M = TypeVar("M", bound=WireModel)
P = ParamSpec("P")
R = TypeVar("R")


class Done(WireModel):
    """The response of an operation that returns nothing but its success."""


def read(model: type[M], body: Mapping[str, object], notices: Iterable[str] = ()) -> M:
    """Returns the response as its model, with the library's notices. Raises MalformedResponse if it does not fit."""
    content = {name: value for name, value in body.items() if name not in ("result", "msg")}
    said = list(notices)
    if said:
        content[NOTICES] = said
    try:
        return model.read(content)
    except ValueError as error:
        problem = describe(error)
    raise MalformedResponse(f"unexpected {model.__name__}: {problem}")


def segment(value: int, name: str) -> str:
    """Returns an id as a segment of a path. Raises InvalidInput unless it is a whole number of zero or more."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise InvalidInput(f"{name} must be a whole number")
    return str(int(value))


def text_segment(value: str, name: str) -> str:
    """Returns a name as one segment of a path. Raises InvalidInput if it cannot be a single segment."""
    if not value or value in {".", ".."}:
        raise InvalidInput(f"{name} must not be empty")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} holds a character that cannot be sent") from None


def texts(values: Iterable[str], name: str) -> list[str]:
    """Returns texts as a list. Raises InvalidInput for a single text, which would be split into its letters."""
    if isinstance(values, str):
        raise InvalidInput(f"{name} must be a list")
    return list(values)


def ids(values: Iterable[int], name: str) -> list[int]:
    """Returns ids as a list, checked and in the same order."""
    return [int(segment(value, name)) for value in values]


def given(**params: object) -> dict[str, object]:
    """Returns the parameters that are not OMIT. None is kept and sent as null."""
    return {name: value for name, value in params.items() if value is not OMIT}


def drop_unsupported(server: ServerInfo, gate: Gate, params: dict[str, object], *names: str) -> list[str]:
    """Removes the named parameters if the server is too old for them; returns a notice for each removed one."""
    if server.supports(gate):
        return []
    return [
        f"{name} was not sent: needs level {gate.level}, the server has {server.level}"
        for name in names
        if params.pop(name, OMIT) is not OMIT
    ]


class Operations:
    """Functions of one resource, bound to a connection: `client.messages.send(...)`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


class Bound(Generic[P, R]):
    """Makes a route function an attribute of a group; parameters and docstring stay those of the function."""

    def __init__(self, function: Callable[Concatenate[Connection, P], Coroutine[Any, Any, R]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        """The function's name and the parameters that a caller passes, for the `help` of a group."""
        signature = inspect.signature(self.function)
        _, *passed = signature.parameters.values()
        return f"{self.function.__name__}{signature.replace(parameters=passed)}"

    @overload
    def __get__(self, group: None, owner: type[Operations]) -> Bound[P, R]: ...

    @overload
    def __get__(self, group: Operations, owner: type[Operations]) -> Callable[P, Coroutine[Any, Any, R]]: ...

    def __get__(
        self, group: Operations | None, owner: type[Operations]
    ) -> Bound[P, R] | Callable[P, Coroutine[Any, Any, R]]:
        if group is None:
            return self
        # A method of the group's connection, so that `help` and `inspect.signature` show what a caller
        # passes.
        return MethodType(self.function, group._connection)
