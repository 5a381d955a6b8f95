"""Requests to one server: parameters in, JSON objects out, one typed error per cause."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlsplit

import httpx2
from msgspec.structs import replace

from narrowcast_api import debug_log
from narrowcast_api.account import Account, normal_site
from narrowcast_api.clock import Clock, SystemClock
from narrowcast_api.errors import (
    MethodNotAllowed,
    NarrowcastError,
    NoResponse,
    NotFound,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ResponseTooLarge,
    ServerFault,
    TransportError,
)
from narrowcast_api.http.encoding import OMIT, encode_params
from narrowcast_api.http.exchange import Exchange, FileParts, PreparedRequest, RawResponse
from narrowcast_api.http.http_client import HttpClient
from narrowcast_api.http.ignored_parameters import Ignored, report
from narrowcast_api.http.rate_limit import RateGate, shared_gate
from narrowcast_api.http.responses import interpret, redacted
from narrowcast_api.http.transport import read_bounded, transport_error
from narrowcast_api.server_info import RequestLimits, ServerInfo
from narrowcast_api.wire.levels import operation_gate
from narrowcast_api.wire.parameters import is_quoted, shape
from narrowcast_api.wire.vocabulary import API_PREFIX

__all__ = ["OMIT", "Connection", "ServerInfo"]

T = TypeVar("T")

log = logging.getLogger("narrowcast_api.http.connection")

REQUEST_SECONDS = 30.0
PATIENCE_SECONDS = 10.0
SILENT_SECONDS = 20.0
"""Seconds without a response after which a connection that is cut had fallen silent before, and lost the request."""
SLOW_SECONDS = 5.0
"""Seconds without a response after which the connection is reported as doubtful, while the request continues."""
MAX_RESPONSE_BYTES = 64 * 2**20
_TRIES = 4

_WITHOUT_EVENTS = re.compile(r"^/(register|events|users/me/presence|messages/render)|/typing$")
"""Paths of requests for which the server sends no event to the user's own clients."""


class Connection:
    """HTTP for one account, or for an organization's address without logging in.

    `transport` replaces the network in tests. `patience` is how many seconds a request may wait during rate
    limiting; beyond that RateLimited is raised. `server` is what is already known about the server, for
    example from an earlier session; without it, `identified()` requests it.

    Hooks, each may be replaced: `on_ignored(method, path, names)` is called when the server reports
    parameters that it ignored (CONV-09); `on_rate_limited(seconds)` when the server limits the rate;
    `on_no_response()` when a request other than for events could not reach the server or got no response within
    `SLOW_SECONDS`; `on_action_done()` when a request changed something that the server reports by an event;
    `exchange` sends the requests of `request`, by default over HTTP (`HttpClient`).
    """

    def __init__(
        self,
        account: Account | str,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
        ca_bundle: Path | None = None,
        server: ServerInfo | None = None,
        patience: float = PATIENCE_SECONDS,
        gate: RateGate | None = None,
    ) -> None:
        self.account = account if isinstance(account, Account) else None
        self.site = account.site if isinstance(account, Account) else normal_site(account)
        self.clock: Clock = clock or SystemClock()
        self.server = server or ServerInfo()
        self.limits = RequestLimits()
        self.own_user_id: int | None = None
        self.on_ignored: Callable[[str, str, tuple[str, ...]], None] | None = None
        self.on_rate_limited: Callable[[float], None] | None = None
        self.on_no_response: Callable[[], None] | None = None
        self.on_action_done: Callable[[], None] | None = None
        self.ca_bundle = ca_bundle or (self.account.ca_bundle if self.account else None)
        self._http = HttpClient(self.site, self.account, transport=transport, ca_bundle=self.ca_bundle)
        self.exchange: Exchange = self._http.exchange
        self._patience = patience
        self._gate = gate or shared_gate(self.site, self.account.email if self.account else "", self.clock)
        self._identifying = asyncio.Lock()

    def __repr__(self) -> str:
        who = self.account.email if self.account else "nobody"
        return f"<Connection {who} at {self.site}, level {self.server.level}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes all sockets. Requests in flight fail with a TransportError."""
        await self._http.aclose()

    # --- identifying the server

    async def identify(self) -> ServerInfo:
        """Requests server_settings, without credentials, and stores level, version and dialect (SRV-01, VER-06)."""
        return self.record_server(await self.request("GET", "/server_settings", authenticated=False))

    async def identified(self) -> ServerInfo:
        """Returns what is known about the server, after requesting it if necessary; at most one such request
        runs at a time.

        If it fails, the caller's own request was not sent: raises NotConnected, or NotSent with the cause.
        """
        if not self.server.known:
            async with self._identifying:
                if not self.server.known:
                    await self.preflight(self.identify())
        return self.server

    async def preflight(self, request: Awaitable[T]) -> T:
        """Returns the response to a request that precedes the actual one. Raises NotSent instead of
        OutcomeUnknown and ServerFault, as the actual request was not sent.
        """
        failure: NotSent
        try:
            return await request
        except (OutcomeUnknown, ServerFault) as error:
            failure = NotSent(error)
        raise failure

    def assume(self, server: ServerInfo) -> None:
        """Uses what an earlier session knew about the server, if nothing is known yet: no request waits for
        `identified`.
        """
        if not self.server.known:
            self.server = server

    def forget_server(self) -> None:
        """Discards what is known about the server: the next request that depends on it requests it again."""
        self.server = ServerInfo()

    def record_server(self, response: Mapping[str, object]) -> ServerInfo:
        """Stores level, version and dialect from a response of server_settings or register; from the latter
        also the limits and the current user's id.
        """
        learnt = ServerInfo.from_response(response)
        if "is_incompatible" not in response:
            learnt = replace(learnt, is_incompatible=self.server.is_incompatible)
        self.server = learnt
        if "queue_id" in response or "max_message_length" in response:
            self.limits = RequestLimits.from_response(response)
        own = response.get("user_id")
        if isinstance(own, int) and not isinstance(own, bool):
            self.own_user_id = own
        return learnt

    def record_upload_limit(self, mebibytes: int) -> None:
        """Stores the size of the largest file that the server accepts, which can change; 0 if uploads are disabled."""
        self.limits = replace(self.limits, max_file_upload_size_mib=mebibytes)

    # --- requests

    def url(self, path: str) -> str:
        """The address of an operation: site, /api/v1 and path, without repeating a part (CONV-01)."""
        return self._http.url(path)

    def is_own(self, url: httpx2.URL | str) -> bool:
        """Whether an address is on the account's own origin: scheme, host and port."""
        return self._http.is_own(url)

    async def request(
        self,
        method: str,
        path: str,
        params: Mapping[str, object] | None = None,
        *,
        files: FileParts | None = None,
        timeout: float | None = REQUEST_SECONDS,
        authenticated: bool = True,
        max_bytes: int = MAX_RESPONSE_BYTES,
        partial: bool = False,
        bucket: str = "",
        lazy_field: str = "",
    ) -> dict[str, object]:
        """Carries out one operation: returns the JSON object of its success, or raises a typed error.

        `params` are sent as form fields, for GET in the query; values are encoded as in `encoding`, OMIT is
        left out. `timeout` limits the whole request in seconds (None: no limit). During rate limiting the
        request waits up to the connection's patience; a request that got a 429 was not carried out, so it
        is repeated within that time. `lazy_field` names a list of a large response whose rows are parsed when
        they are accessed.
        """
        patience = self._patience
        for tries_left in reversed(range(_TRIES)):
            patience -= await self._gate.enter(patience, bucket)
            await self._http.prepare()
            request = PreparedRequest(
                method, path, self._encoded(method, path, params), files, authenticated, timeout, max_bytes
            )
            outcome = await self._attempt(request, partial, lazy_field, bucket)
            if isinstance(outcome, dict):
                self._report_ignored(method, path, outcome)
                if self.on_action_done is not None and method != "GET" and not _WITHOUT_EVENTS.search(path):
                    self.on_action_done()
                return outcome
            if isinstance(outcome, RateLimited):
                self._limited(outcome, bucket)
                if tries_left and outcome.retry_after < patience:
                    debug_log.note("retry", "request", outcome, seconds=outcome.retry_after)
                    continue
            log.info("%s %s: %s", method, path, type(outcome).__name__)
            if isinstance(outcome, (NotFound, MethodNotAllowed)) and self.server.known:
                self._explain(path)
            raise outcome.with_traceback(None)
        raise AssertionError("unreachable: the last try returns or raises")

    def _explain(self, path: str) -> None:
        """Raises Unsupported for an unknown operation if the server is too old for it."""
        gate = operation_gate(shape(path))
        if gate is not None:
            self.server.require(gate)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: AsyncIterator[bytes] | bytes | None = None,
        timeout: float = REQUEST_SECONDS,
        follow: bool = True,
    ) -> AsyncIterator[httpx2.Response]:
        """A raw exchange, for uploads and downloads: yields the response with its body unread.

        `timeout` is for each step (connect, each read, each write), not for the whole exchange. Redirects of
        a GET are followed on the account's own origin only; others raise RedirectRefused. Without `follow`, a
        redirect is the response.
        """
        await self._gate.enter(self._patience)
        await self._http.prepare()
        failure: NarrowcastError | None = None
        started = self.clock.monotonic()
        try:
            response = await self._http.open(
                method, url, headers=headers, content=content, timeout=timeout, follow=follow
            )
            self._note(method, self._below_site(url), started, status=response.status_code)
            try:
                yield response
            finally:
                await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            failure = transport_error(error, self._http.proxy)
        if failure is not None:
            self._note(method, self._below_site(url), started, error=failure)
            if isinstance(failure, TransportError):
                self._report_no_response()
            raise failure

    def cookie(self, ending: str) -> str:
        """The value of the server's cookie whose name ends so; empty if it has set none."""
        return self._http.cookie(ending)

    async def read(self, response: httpx2.Response, max_bytes: int = MAX_RESPONSE_BYTES) -> bytes:
        """Returns the decoded body of a raw exchange. Raises ResponseTooLarge beyond `max_bytes`."""
        return await read_bounded(response, max_bytes)

    async def finish(
        self, response: httpx2.Response, *, max_bytes: int = MAX_RESPONSE_BYTES
    ) -> dict[str, object]:
        """Returns the JSON object of a successful raw exchange, or raises its typed error, like `request`."""
        raw = b""  # stays empty for an error with a long page as body: then its status is enough
        try:
            raw = await read_bounded(response, max_bytes)
        except ResponseTooLarge:
            if response.status_code < 400:
                raise
        outcome = self._outcome(response.status_code, response.headers, raw)
        del raw
        if isinstance(outcome, dict):
            self._report_ignored(response.request.method, response.url.path, outcome)
            return outcome
        if isinstance(outcome, RateLimited):
            self._limited(outcome, "")
        raise outcome.with_traceback(None)

    # --- inside

    def _encoded(self, method: str, path: str, params: Mapping[str, object] | None) -> dict[str, str]:
        if not params:
            return {}
        level = self.server.level if self.server.known else None
        return encode_params(params, lambda name: is_quoted(method, path, name, level))

    async def _attempt(
        self, request: PreparedRequest, partial: bool, lazy_field: str, bucket: str
    ) -> dict[str, object] | NarrowcastError:
        """The outcome of one attempt. Errors are returned, not raised, so that the frames of a traceback
        contain no raw response.
        """
        started = self.clock.monotonic()
        slow = None
        if not bucket:  # the callers of requests for events detect this themselves
            slow = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._report_no_response)
        try:
            status, headers, raw = await self._send(request)
        except NarrowcastError as error:
            if not bucket and isinstance(error, TransportError):
                self._report_no_response()
            self._note(request.method, request.path, started, error=error)
            return error
        finally:
            if slow is not None:
                slow.cancel()
        self._note(request.method, request.path, started, status=status, bytes=len(raw))
        return self._outcome(status, headers, raw, partial, lazy_field)

    def _outcome(
        self, status: int, headers: Mapping[str, str], raw: bytes, partial: bool = False, lazy_field: str = ""
    ) -> dict[str, object] | NarrowcastError:
        try:
            return interpret(status, headers, raw, partial=partial, lazy_field=lazy_field)
        except NarrowcastError as error:
            return redacted(error, *self._http.secrets())

    async def _send(self, request: PreparedRequest) -> RawResponse:
        failure: NarrowcastError
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(request.timeout):
                return await self.exchange(request)
        except TimeoutError:
            failure = NoResponse(f"no response within {request.timeout:g} s")
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            failure = transport_error(error, self._http.proxy)
            silence = asyncio.get_running_loop().time() - started
            if isinstance(failure, OutcomeUnknown) and silence >= SILENT_SECONDS:
                failure = NoResponse(f"no response for {silence:.0f} s, then {failure}")
        if isinstance(failure, OutcomeUnknown):
            failure.read_only = request.method == "GET"
        # Raised outside the except: the transport's error contains the request, and with it the credentials.
        raise failure

    def _note(self, method: str, path: str, started: float, **result: object) -> None:
        if debug_log.is_on():
            ms = (self.clock.monotonic() - started) * 1000
            place = debug_log.without_texts(path)
            debug_log.note("request", method, place, level=self.server.level, ms=ms, **result)

    def _below_site(self, url: str) -> str:
        return urlsplit(url).path.removeprefix(urlsplit(self.site).path).removeprefix(API_PREFIX)

    def _limited(self, limited: RateLimited, bucket: str) -> None:
        self._gate.close(limited.retry_after, bucket)
        if self.on_rate_limited is not None:
            self.on_rate_limited(limited.retry_after)

    def _report_no_response(self) -> None:
        if self.on_no_response is not None:
            self.on_no_response()

    def _report_ignored(self, method: str, path: str, body: Mapping[str, object]) -> None:
        listed = body.get("ignored_parameters_unsupported")
        if not isinstance(listed, list) or not listed:
            return
        names = tuple(name for name in listed if isinstance(name, str))
        log.warning("%s %s: the server ignored %s", method, path, ", ".join(names))
        report(Ignored(method, path, names))
        if self.on_ignored is not None:
            self.on_ignored(method, path, names)
