"""The web application: dispatches a request to its handler and returns the response as JSON.

Every response under /api/v1 is a JSON object with `result` and `msg` (CONV-06), errors included; a caller never
sees a traceback.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Final, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import API_PREFIX
from narrowcast_server.actions.audit_log import is_administrative, record
from narrowcast_server.background import background
from narrowcast_server.http import auth
from narrowcast_server.http.browsers import check_page
from narrowcast_server.http.call_limits import CallLimiter
from narrowcast_server.http.forms import MAX_FIELDS, decoded
from narrowcast_server.http.routing import Call, Endpoint, ResponseBody
from narrowcast_server.organization.dialect import refusal
from narrowcast_server.organization.errors import (
    ServiceError,
    not_for_webhooks,
    unauthorized,
    unknown_endpoint,
)
from narrowcast_server.organization.json_text import encoded
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.routes import ALL_ROUTES
from narrowcast_server.routes.event_stream import STREAM_PATH, event_stream
from narrowcast_server.routes.pages import not_found_page
from narrowcast_server.rules.key_scopes import opens
from narrowcast_server.storage.extra_keys import ExtraKey

_log = logging.getLogger("narrowcast.server")
_requests = logging.getLogger("narrowcast.server.requests")
"""Each request for the debug log: no secrets and no texts of people."""
_LARGE_FORM: Final = 64 * 1024
"""Bytes: larger ones are parsed in a thread."""


def build(organization: Organization) -> Starlette:
    """The ASGI application of one organization. Its lifespan runs the background work."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with background(organization):
            yield

    app = Starlette(
        routes=[
            *_routes(routes_of()),
            WebSocketRoute(STREAM_PATH, event_stream(organization)),
            WebSocketRoute("/{path:path}", _no_stream),
        ],
        lifespan=lifespan,
        exception_handlers={
            404: lambda request, _error: (
                not_found_page(organization, request) or _error_response(unknown_endpoint())
            ),
            HTTPException: _http_error,
            Exception: _crashed,
        },
    )
    app.router.redirect_slashes = False
    app.state.organization, app.state.limiter = organization, CallLimiter(organization)
    return app


@lru_cache(1)
def _routes(endpoints: Sequence[Endpoint]) -> Sequence[Route]:
    """The routes of every organization, built once: this takes a third of a server's start time."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in endpoints:
        path = endpoint.path if endpoint.absolute else API_PREFIX + endpoint.path
        methods = by_path.setdefault(path, {})
        assert endpoint.method not in methods, f"{endpoint.method} {path} is declared twice"
        methods[endpoint.method] = endpoint
    # Literal path segments take precedence over parameters, whatever the order of declaration.
    ordered = sorted(by_path.items(), key=lambda item: [part.startswith("{") for part in item[0].split("/")])
    return [Route(path, _dispatched(methods), methods=_METHODS) for path, methods in ordered]


def _dispatched(methods: Mapping[str, Endpoint]) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        state = request.app.state
        return await _Dispatcher(state.organization, state.limiter, methods).serve(request)

    return serve


async def _no_stream(socket: WebSocket) -> None:
    await socket.send_denial_response(_error_response(unknown_endpoint()))


_METHODS: Final = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]


class _Dispatcher:
    """The endpoints of one path."""

    def __init__(
        self, organization: Organization, limiter: CallLimiter, methods: Mapping[str, Endpoint]
    ) -> None:
        self._organization = organization
        self._limiter = limiter
        self._methods = methods

    async def serve(self, request: Request) -> Response:
        started = time.monotonic()
        try:
            response = await self._serve(request)
        except ServiceError as error:
            response = json_response(refusal(self._organization.config, error), error.status, error.headers)
        except ClientDisconnect:
            response = Response(status_code=499)
        except sqlite3.DatabaseError as error:
            problem = self._storage_problem(error)
            if problem is None:
                self._crash()
                raise
            response = _error_response(problem)
        except Exception:
            self._crash()
            raise
        self._organization.measures.responses[response.status_code] += 1
        if _requests.isEnabledFor(logging.DEBUG):
            ms = (time.monotonic() - started) * 1000
            path = next(iter(self._methods.values())).path  # without what the caller filled in
            _requests.debug("served %s %s %d %.1f ms", request.method, path, response.status_code, ms)
        return response

    def _storage_problem(self, error: sqlite3.DatabaseError) -> ServiceError | None:
        """The response to an error of the database that only the operator can end; None for any other error."""
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            _log.error("the disk is full: nothing can be stored")
            return ServiceError("The server's disk is full. Tell its operator.", "DISK_FULL", 507)
        if self._organization.store.notice(error):
            return ServiceError(
                "The server's database is damaged. Tell its operator.", "DATABASE_DAMAGED", 507
            )
        return None

    def _crash(self) -> None:
        self._organization.measures.crashes += 1
        self._organization.measures.responses[500] += 1

    async def _serve(self, request: Request) -> Response:
        check_page(self._organization, request.headers)
        method = "GET" if request.method == "HEAD" else request.method
        endpoint = self._methods.get(method)
        if endpoint is None:
            allowed = sorted(self._methods)
            raise ServiceError(
                "Method Not Allowed",
                status=405,
                headers={"Allow": ", ".join(allowed)},
                allowed_methods=allowed,
            )
        if self._organization.level < endpoint.since:
            raise unknown_endpoint()
        user, extra = self._caller(request, endpoint)
        with self._limiter.counted(user, request, endpoint) as headers:
            try:
                response = await self._respond_to(request, endpoint, user, extra)
            except ServiceError as error:
                error.headers = {**headers, **error.headers}
                raise
        response.headers.update(headers)
        return response

    def _caller(self, request: Request, endpoint: Endpoint) -> tuple[User | None, ExtraKey | None]:
        if endpoint.public:
            return None, None
        user, extra = auth.caller_and_key(self._organization, request.headers.get("authorization"))
        if extra is not None and not opens(extra.scope, endpoint.method, endpoint.path):
            raise unauthorized("This API key does not allow this")
        return user, extra

    async def _respond_to(
        self, request: Request, endpoint: Endpoint, user: User | None, extra: ExtraKey | None
    ) -> Response:
        _check_caller(endpoint, user)

        def authenticate() -> User | None:
            now, _ = self._caller(request, endpoint)
            _check_caller(endpoint, now)
            return now

        call = Call(
            organization=self._organization,
            request=request,
            endpoint=endpoint,
            path=request.path_params,
            fields=decoded(request.scope["query_string"]),
            caller=user,
            extra_key=extra,
            client=client_name(request.headers.get("user-agent", "")),
            level=self._organization.level,
            authenticate=authenticate,
        )
        body = await self._form(call)
        changes = self._organization.store.changes
        try:
            async with self._limiter.turn(user, endpoint):
                if len(body) > _LARGE_FORM:
                    await asyncio.to_thread(_parse, call, body)
                else:
                    _parse(call, body)
                return self._respond(call, await self._handle(call))
        finally:
            # Some errors follow a change that stays, such as invitations of which only some could be sent.
            if endpoint.method != "GET":
                await self._organization.until_durable(changes)

    async def _form(self, call: Call) -> bytes:
        """The body of a form, empty if it has none or comes in parts, whose fields the call then has."""
        request, endpoint = call.request, call.endpoint
        if request.method in ("GET", "HEAD") or endpoint.streaming:
            return b""
        if request.headers.get("content-type", "").startswith("multipart/"):
            call.fields |= await self._multipart(request, endpoint)
            return b""
        return await self._body(request, endpoint)

    async def _body(self, request: Request, endpoint: Endpoint) -> bytes:
        limit = self._most_bytes(endpoint)
        body = bytearray()
        async with self._in_time():
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise ServiceError("The request is too large", status=413)
        return bytes(body)

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._organization.config.limits.body_seconds):
                yield
        except TimeoutError as error:
            raise ServiceError("The request took too long to arrive", status=408) from error

    def _most_bytes(self, endpoint: Endpoint) -> int:
        limits = self._organization.config.limits
        return limits.max_public_body_bytes if endpoint.public else limits.max_body_bytes

    async def _multipart(self, request: Request, endpoint: Endpoint) -> dict[str, str]:
        length = request.headers.get("content-length")
        if length is None:
            raise ServiceError("The request has no Content-Length", status=411)
        if int(length) > self._most_bytes(endpoint):
            raise ServiceError("The request is too large", status=413)
        async with self._in_time(), request.form(max_files=0, max_fields=MAX_FIELDS) as form:
            return {name: value for name, value in form.items() if isinstance(value, str)}

    async def _handle(self, call: Call) -> ResponseBody | Response:
        handler = call.endpoint.handler
        if inspect.iscoroutinefunction(handler):
            call.confirm()
            changes = self._organization.store.changes
            try:
                result = await cast("Callable[[Call], Awaitable[ResponseBody | Response]]", handler)(call)
            except ServiceError as error:
                if error.has_effect:
                    self._record(call)
                raise
            if self._organization.store.changes != changes:
                self._record(call)
            return result
        plain = cast("Callable[[Call], ResponseBody | Response]", handler)
        if call.endpoint.method == "GET":
            call.confirm()
            return plain(call)

        def work() -> ResponseBody | Response:
            with self._organization.transaction():
                call.confirm()
                changes = self._organization.store.changes
                result = plain(call)
                if self._organization.store.changes != changes:
                    _record_action(call)
                return result

        return await self._organization.renderings.with_renderings(work)

    def _record(self, call: Call) -> None:
        """As `_record_action`, in a transaction of its own."""
        if call.caller is not None and is_administrative(call.endpoint.method, call.endpoint.path):
            with self._organization.transaction():
                _record_action(call)

    def _respond(self, call: Call, result: ResponseBody | Response) -> Response:
        if isinstance(result, Response):
            return result
        body: ResponseBody = {"result": "success", "msg": "", **result}
        if call.level >= Gate.IGNORED_PARAMETERS.level and (ignored := call.unsupported()):
            body["ignored_parameters_unsupported"] = ignored
        return json_response(body)


def _check_caller(endpoint: Endpoint, user: User | None) -> None:
    """Raises the error of a caller who may not use the endpoint."""
    if user is None:
        return
    if user.is_webhook and not endpoint.webhooks:
        raise not_for_webhooks()
    endpoint.callers.check(user)


def _record_action(call: Call) -> None:
    """Records the call in the audit log if it is administrative."""
    if call.caller is not None and is_administrative(call.endpoint.method, call.endpoint.path):
        record(
            call.organization,
            call.organization.users[call.caller.id],
            f"{call.endpoint.method} {call.request.url.path.removeprefix(API_PREFIX)}",
            call.declared(),
        )


def json_response(
    body: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(encoded(body), status, headers=headers, media_type="application/json")


def _parse(call: Call, body: bytes) -> None:
    call.fields |= decoded(body)
    call.parse()


def client_name(user_agent: str) -> str:
    """The name of the calling program: the User-Agent up to the version."""
    return user_agent.split("/", 1)[0].split(" ", 1)[0][:64] or "unknown"


def _error_response(error: ServiceError) -> Response:
    return json_response(error.body(), error.status, error.headers)


def _http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error_response(ServiceError(str(error.detail), status=error.status_code))


def _crashed(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return _error_response(ServiceError("Internal server error", "INTERNAL_SERVER_ERROR", 500))


def routes_of() -> tuple[Endpoint, ...]:
    """Every declared endpoint."""
    return tuple(endpoint for routes in ALL_ROUTES for endpoint in routes.endpoints)
