"""Small parts of the communication with a server: user agent, limited bodies, errors of the transport."""

from __future__ import annotations

import os
import platform
import socket
import ssl

import httpcore2
import httpx2

from narrowcast_api.errors import (
    AccountError,
    MalformedResponse,
    NarrowcastError,
    NotConnected,
    OutcomeUnknown,
)
from narrowcast_api.http.addresses import origin
from narrowcast_api.http.decoding import decoded
from narrowcast_api.http.proxies import Proxy
from narrowcast_api.version import VERSION


def user_agent() -> str:
    """The User-Agent header; servers use it to decide whether the client is too old (SRV-27)."""
    return f"Narrowcast/{VERSION} ({platform.system()})"


def own_origin(site: str) -> tuple[str, str, int | None]:
    """Returns the origin of an organization's address. Raises AccountError if it is not a valid address."""
    try:
        url = httpx2.URL(site)
        url.raw_host.decode("ascii").encode("idna")  # as the resolver does, where it would not be an OSError
        return origin(url)
    except (httpx2.InvalidURL, UnicodeError):
        pass
    raise AccountError(f"{site!r} is not an address")


async def read_bounded(response: httpx2.Response, limit: int) -> bytes:
    """Returns the decoded body. Raises ResponseTooLarge as soon as it exceeds `limit` bytes."""
    return b"".join([part async for part in decoded(response, limit)])


def transport_error(error: Exception, proxy: Proxy | None = None) -> NarrowcastError:
    """Returns NotConnected if the request cannot have been sent, OutcomeUnknown if it may have been.

    `proxy` is the one through which it went.
    """
    text = _reason(error)[:200]
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.ProxyError():
            return NotConnected(text if proxy is None else f"{text}, through the proxy of {proxy.variable}")
        case httpx2.PoolTimeout():
            return NotConnected(text)
        case httpx2.UnsupportedProtocol() | httpx2.LocalProtocolError():
            return NotConnected(text)
        case httpx2.InvalidURL():
            return MalformedResponse("a redirect to an invalid address")
        case httpx2.DecodingError():
            return MalformedResponse("the body is not encoded as its header says")
        case _:
            return OutcomeUnknown(text)


def _reason(error: Exception) -> str:
    """Why the request failed: in the system's words if the cause is one of its errors."""
    cause = _cause(error)
    if isinstance(cause, ssl.SSLError) or not isinstance(cause, OSError) or cause.errno is None:
        detail = str(cause) or str(error)
        return f"{type(error).__name__}: {detail}" if detail else type(error).__name__
    said = (isinstance(cause, socket.gaierror) and cause.strerror) or os.strerror(cause.errno)
    return f"{said[:1].lower()}{said[1:]}"


def _cause(error: BaseException) -> BaseException:
    """The system's error behind an error of connecting: httpx2 itself only says that all attempts failed."""
    while True:
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
            continue
        before = error.__cause__ or error.__context__
        if not isinstance(before, OSError | httpcore2.ConnectError | BaseExceptionGroup):
            return error
        error = before
