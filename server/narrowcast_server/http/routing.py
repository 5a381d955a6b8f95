"""How routes are declared, and the call that a handler receives.

    routes = Routes()

    NAME = required("name", string)

    @routes.post("/things/{thing_id}", NAME, since=184)
    def rename_thing(call: Call) -> ResponseBody:
        thing_id = call.path_id("thing_id")
        ...call.organization, call.user, call[NAME]...
        return {}

A plain handler runs inside one transaction; its events are sent after the commit. An `async` handler runs
outside of any and opens its own (`call.organization.transaction()`). A handler may return a Starlette response
instead of a body.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from starlette.requests import Request
from starlette.responses import Response

from narrowcast_api.wire.parameters import is_quoted
from narrowcast_server.http.params import REQUIRED, Param, check_few_values, from_json
from narrowcast_server.organization.checks import MAX_INTEGER
from narrowcast_server.organization.errors import ServiceError, no_such_user, unauthorized
from narrowcast_server.organization.models import User
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import found_by_address

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization
    from narrowcast_server.storage.extra_keys import ExtraKey

T = TypeVar("T")
ResponseBody = dict[str, object]
Handler = Callable[["Call"], ResponseBody | Response] | Callable[["Call"], Awaitable[ResponseBody | Response]]
HandlerT = TypeVar("HandlerT", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation: its path, its parameters, who may call it, and the feature level that added it."""

    method: str
    path: str
    handler: Handler
    params: tuple[Param[Any], ...]
    since: int = 0
    public: bool = False
    """Callable without credentials."""
    streaming: bool = False
    """The handler reads the body itself (uploads); only query parameters are parsed."""
    absolute: bool = False
    """The path is relative to the root of the organization, not to /api/v1."""
    webhooks: bool = False
    """Open to the keys of incoming webhooks, which are stored in other people's services."""
    callers: Callers = Callers.ALL
    """Which users may call it."""
    accepts_anything: bool = False
    """The handler reads undeclared parameters itself; none is reported as unsupported."""


class Routes:
    """The endpoints of one module."""

    def __init__(self) -> None:
        self.endpoints: list[Endpoint] = []

    def add(
        self,
        method: str,
        path: str,
        *params: Param[Any],
        since: int = 0,
        public: bool = False,
        streaming: bool = False,
        absolute: bool = False,
        webhooks: bool = False,
        callers: Callers = Callers.ALL,
        accepts_anything: bool = False,
    ) -> Callable[[HandlerT], HandlerT]:
        """Declares the decorated function as the handler of `method path` (path below /api/v1)."""

        def declare(handler: HandlerT) -> HandlerT:
            self.endpoints.append(
                Endpoint(
                    method,
                    path,
                    cast(Handler, handler),
                    params,
                    since,
                    public,
                    streaming,
                    absolute,
                    webhooks,
                    callers,
                    accepts_anything,
                )
            )
            return handler

        return declare

    def get(
        self,
        path: str,
        *params: Param[Any],
        since: int = 0,
        public: bool = False,
        webhooks: bool = False,
        callers: Callers = Callers.ALL,
    ) -> Callable[[HandlerT], HandlerT]:
        return self.add("GET", path, *params, since=since, public=public, webhooks=webhooks, callers=callers)

    def post(
        self,
        path: str,
        *params: Param[Any],
        since: int = 0,
        public: bool = False,
        webhooks: bool = False,
        callers: Callers = Callers.ALL,
    ) -> Callable[[HandlerT], HandlerT]:
        return self.add("POST", path, *params, since=since, public=public, webhooks=webhooks, callers=callers)

    def patch(
        self,
        path: str,
        *params: Param[Any],
        since: int = 0,
        public: bool = False,
        callers: Callers = Callers.ALL,
    ) -> Callable[[HandlerT], HandlerT]:
        return self.add("PATCH", path, *params, since=since, public=public, callers=callers)

    def delete(
        self,
        path: str,
        *params: Param[Any],
        since: int = 0,
        public: bool = False,
        callers: Callers = Callers.ALL,
    ) -> Callable[[HandlerT], HandlerT]:
        return self.add("DELETE", path, *params, since=since, public=public, callers=callers)


@dataclass(slots=True)
class Call:
    """One request, as its handler receives it."""

    organization: Organization
    request: Request
    endpoint: Endpoint
    path: Mapping[str, str]
    fields: dict[str, str]
    """The raw form or query fields."""
    caller: User | None
    extra_key: ExtraKey | None
    """The additional key with which the caller is authenticated; None for the account's own key."""
    client: str
    """The name of the calling program, from its User-Agent."""
    level: int
    authenticate: Callable[[], User | None]
    """The caller according to the credentials, as of now; raises UNAUTHORIZED if they are no longer valid, and
    the errors of an endpoint that the caller may not use.
    """
    _values: dict[int, object] = field(default_factory=dict)

    @property
    def user(self) -> User:
        assert self.caller is not None, "a public endpoint has no caller"
        return self.caller

    def confirm(self) -> None:
        """Authenticates the caller again, and takes what has changed of their account. Required after each
        wait, such as for the body, before anything is changed: the credentials may have been revoked.
        """
        self.caller = self.authenticate()

    def require_main_key(self) -> None:
        """Raises UNAUTHORIZED if the caller is authenticated with an additional key."""
        if self.extra_key is not None:
            raise unauthorized("This API key does not allow this")

    def parse(self) -> None:
        """Parses every declared parameter; raises ServiceError for the first that is missing or malformed."""
        check_few_values(self.fields.values())
        for param in self.endpoint.params:
            if not param.known_at(self.level):
                # A parameter that does not exist at this level is treated as absent.
                self._values[id(param)] = param.default_at(self.level) if _has_default(param) else None
                continue
            name = self._name(param)
            self._values[id(param)] = (
                param.default_at(self.level) if name is None else self._value(param, name)
            )

    def _value(self, param: Param[Any], name: str) -> object:
        """A parameter's value, read as JSON or as bare text, as `is_quoted` says for this operation."""
        param = param.at(self.level)
        if is_quoted(self.endpoint.method, self.endpoint.path, param.name, self.level):
            return from_json(param, self.fields[name])
        return param.parse(name, self.fields[name])

    def _name(self, param: Param[Any]) -> str | None:
        """The name under which the request carries a parameter; None if it does not."""
        return next((name for name in param.names() if name in self.fields), None)

    def __getitem__(self, param: Param[T]) -> T:
        return cast(T, self._values[id(param)])

    def given(self, param: Param[T]) -> bool:
        """Whether the request carries the parameter and it exists at this level; true for null too."""
        return param.known_at(self.level) and self._name(cast("Param[Any]", param)) is not None

    def path_id(self, name: str) -> int:
        """An id from the path; raises BAD_REQUEST if it is not a number."""
        text = self.path[name]
        if not text.isascii() or not text.isdigit() or len(text) > 16 or int(text) > MAX_INTEGER:
            raise ServiceError(f"Invalid {name}")
        return int(text)

    def path_user(self, name: str) -> User:
        """The user in the path, by id or API email address; raises BAD_REQUEST if there is none."""
        text = self.path[name]
        user: User | None = None
        if "@" in text:
            user = found_by_address(self.organization, self.user, text)
        elif text.isascii() and text.isdigit():
            user = self.organization.users.get(self.path_id(name))
        if user is None:
            raise no_such_user()
        return user

    def declared(self) -> dict[str, str]:
        """The raw fields that are parameters of this endpoint."""
        names = (self._name(param) for param in self.endpoint.params)
        return {name: self.fields[name] for name in names if name is not None}

    def unsupported(self) -> list[str]:
        """Names of the fields that are not parameters of this endpoint at this level."""
        if self.endpoint.accepts_anything:
            return []
        known = {
            name for param in self.endpoint.params if param.known_at(self.level) for name in param.names()
        }
        return sorted(name for name in self.fields if name not in known)


def _has_default(param: Param[Any]) -> bool:
    return param.default is not REQUIRED
