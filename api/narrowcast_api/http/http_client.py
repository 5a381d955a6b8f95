"""Sends requests to one organization's server over HTTP: sockets, credentials, redirects."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.errors import RedirectLoop, RedirectRefused
from narrowcast_api.http.addresses import origin
from narrowcast_api.http.decoding import ACCEPTED
from narrowcast_api.http.exchange import PreparedRequest, RawResponse
from narrowcast_api.http.proxies import Proxy, proxy_for
from narrowcast_api.http.tls import shared_context
from narrowcast_api.http.transport import own_origin, read_bounded, user_agent
from narrowcast_api.wire.vocabulary import API_PREFIX

CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 4.0
_REDIRECTS = 5
_STEPS_AFTER_CONNECTING = (".start_tls.failed", ".setup_socks5_connection.failed")


@lru_cache(maxsize=64)
def _address(text: str) -> httpx2.URL:
    """Cached, because parsing an address is much of the work of a request, and most requests use a few addresses."""
    return httpx2.URL(text)


def _each_step(timeout: float | None) -> httpx2.Timeout:
    """The timeout for each step of a request, in seconds; None limits only connecting.

    Waiting for a free connection ends before the whole request does, which then is known not to be sent.
    """
    connect = CONNECT_SECONDS if timeout is None else min(timeout, CONNECT_SECONDS)
    pool = CONNECT_SECONDS if timeout is None else min(timeout / 2, CONNECT_SECONDS)
    return httpx2.Timeout(timeout, connect=connect, pool=pool)


class HttpClient:
    """HTTP for one account, or for an organization's address `site` without logging in.

    `transport` replaces the network in tests. The Authorization header is sent to the account's own origin
    only, wherever the server redirects to (AUTH-01).
    """

    def __init__(
        self,
        site: str,
        account: Account | None,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        ca_bundle: Path | None = None,
    ) -> None:
        self._site = site
        self._account = account
        self._transport = transport
        self._ca_bundle = ca_bundle
        self._origin = own_origin(site)
        self._http: httpx2.AsyncClient | None = None
        self.proxy: Proxy | None = None
        """The proxy through which requests go, known from the first request on."""

    async def aclose(self) -> None:
        """Closes all sockets. Requests in flight fail with an httpx2.HTTPError."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def url(self, path: str) -> str:
        """The address of an operation: site, /api/v1 and path, without repeating a part (CONV-01)."""
        return f"{self._site}{API_PREFIX}/{path.removeprefix(API_PREFIX).lstrip('/')}"

    def is_own(self, url: httpx2.URL | str) -> bool:
        """Whether an address is on the account's own origin: scheme, host and port."""
        try:
            return origin(httpx2.URL(url)) == self._origin
        except httpx2.InvalidURL:
            return False

    def cookie(self, ending: str) -> str:
        """The value of the server's cookie whose name ends so; empty if it has set none."""
        jar = () if self._http is None else self._http.cookies.jar
        return next((cookie.value or "" for cookie in jar if cookie.name.endswith(ending)), "")

    def secrets(self) -> tuple[str, ...]:
        """Texts that must not be shown or logged: the key, and its encoded form in requests."""
        return () if self._account is None else (self._account.key.reveal(), self._account.credentials())

    async def prepare(self) -> None:
        """Creates the TLS context in a thread: it takes longer than one frame."""
        if self._http is None and self._transport is None and self._origin[0] == "https":
            await asyncio.to_thread(shared_context, self._ca_bundle)

    async def exchange(self, prepared: PreparedRequest) -> RawResponse:
        """Sends a request and reads the whole response. Raises httpx2.HTTPError if the network fails."""
        # Secrets are revealed only in here, so that no frame of a traceback of a network error contains them.
        request = self._build(prepared)
        request.extensions["timeout"] = _each_step(prepared.timeout).as_dict()
        response = await self._send(request, authenticated=prepared.authenticated)
        try:
            raw = await read_bounded(response, prepared.max_bytes)
            return RawResponse(response.status_code, response.headers, raw)
        finally:
            await response.aclose()

    async def open(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None,
        content: AsyncIterator[bytes] | bytes | None,
        timeout: float,
        follow: bool = True,
    ) -> httpx2.Response:
        """The response to a raw request, with its body unread; the caller closes it. `timeout` is for each
        step, in seconds. `follow`: whether redirects are followed.
        """
        request = self._client().build_request(
            method,
            url,
            headers=dict(headers or {}),
            content=content,
            timeout=_each_step(timeout),
        )
        return await self._send(request, authenticated=True, follow=follow)

    def _client(self) -> httpx2.AsyncClient:
        if self._http is None:
            if self._transport is None:
                self.proxy = proxy_for(self._site, os.environ)
            secure = self._origin[0] == "https" and self._transport is None
            # Creating a context loads OpenSSL.
            context: Any = shared_context(self._ca_bundle) if secure else None
            self._http = httpx2.AsyncClient(
                transport=self._transport,
                verify=context,
                proxy=self._httpx_proxy(),
                trust_env=False,
                follow_redirects=False,
                headers={
                    "User-Agent": user_agent(),
                    "Accept": "application/json",
                    "Accept-Encoding": ACCEPTED,
                },
                # Small servers close idle connections after 5 s; a write sent at that moment has an unknown
                # outcome.
                limits=httpx2.Limits(
                    max_connections=16, max_keepalive_connections=8, keepalive_expiry=_IDLE_SECONDS
                ),
            )
        return self._http

    def _httpx_proxy(self) -> httpx2.Proxy | None:
        if self.proxy is None:
            return None
        context = shared_context(self._ca_bundle) if self.proxy.scheme == "https" else None
        return httpx2.Proxy(self.proxy.url, ssl_context=context)

    def _build(self, prepared: PreparedRequest) -> httpx2.Request:
        client = self._client()
        method, path, fields, files = prepared[:4]
        own: dict[str, Any] = {"headers": client.headers, "cookies": client.cookies or None}
        # The request is built here, because the client would parse the address again for each part it might
        # add.
        if method == "GET" and fields:
            return httpx2.Request(method, f"{self.url(path)}?{urlencode(fields)}", **own)
        url = _address(self.url(path))
        return httpx2.Request(method, url, data=fields or None, files=dict(files) if files else None, **own)

    async def _send(
        self, request: httpx2.Request, *, authenticated: bool, follow: bool = True
    ) -> httpx2.Response:
        client = self._client()
        for _ in range(_REDIRECTS):
            request.headers.pop("Authorization", None)
            if authenticated and self._account is not None and self.is_own(request.url):
                request.headers["Authorization"] = f"Basic {self._account.credentials()}"
            request.extensions["trace"] = ConnectionGuard()
            try:
                response = await client.send(request, stream=True, auth=None, follow_redirects=False)
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
                raise
            except Exception as error:
                if self.proxy is None or not self.proxy.is_socks:
                    raise
                # The library for SOCKS raises whatever it likes if what responds is no such proxy.
                raise httpx2.ProxyError(f"no SOCKS proxy responds at {self.proxy.host}") from error
            if not follow or not response.has_redirect_location:
                return response
            await response.aclose()
            target = request.url.join(response.headers["location"])
            request = self._redirected(client, request, target)
        raise RedirectLoop(str(request.url.copy_with(query=None, fragment=None)))

    def _redirected(
        self, client: httpx2.AsyncClient, request: httpx2.Request, target: httpx2.URL
    ) -> httpx2.Request:
        if not self.is_own(target) or request.method not in {"GET", "HEAD"}:
            # A write is not repeated at the new address: the first server may have carried it out.
            raise RedirectRefused(
                str(target.copy_with(query=None, fragment=None, username=None, password=None))
            )
        return client.build_request(
            request.method, target, headers={"Accept": "*/*"}, extensions=dict(request.extensions)
        )


class ConnectionGuard:
    """The `trace` extension of one request: closes its connection if TLS or SOCKS fails or is cancelled, which
    httpcore2 leaves open. Each step of the request is reported to the extension:
    https://www.python-httpx.org/advanced/extensions/#trace
    """

    def __init__(self) -> None:
        self._stream: Any = None

    async def __call__(self, step: str, values: Mapping[str, Any]) -> None:
        if step.endswith(".connect_tcp.complete"):
            self._stream = values["return_value"]
        elif step.endswith(_STEPS_AFTER_CONNECTING) and self._stream is not None:
            await self._stream.aclose()
