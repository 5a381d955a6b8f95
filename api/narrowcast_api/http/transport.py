"""Small parts of the talk with a server: who we are, bodies with an end, what a failure means."""

from __future__ import annotations

import platform

import httpx

from narrowcast_api.errors import (
    AccountError,
    MalformedAnswer,
    NarrowcastError,
    NotConnected,
    OutcomeUnknown,
)
from narrowcast_api.http.addresses import origin
from narrowcast_api.http.decoding import decoded
from narrowcast_api.version import VERSION


def user_agent() -> str:
    """How the client names itself; a server decides by it whether we are too old (SRV-27)."""
    return f"Narrowcast/{VERSION} ({platform.system()})"


def own_origin(site: str) -> tuple[str, str, int | None]:
    """The origin of an organization's address; AccountError when it is none."""
    try:
        return origin(httpx.URL(site))
    except httpx.InvalidURL:
        pass
    raise AccountError(f"{site!r} is not an address")


async def read_bounded(response: httpx.Response, limit: int) -> bytes:
    """The decoded body, or AnswerTooLarge as soon as it passes `limit` bytes."""
    return b"".join([part async for part in decoded(response, limit)])


def transport_error(error: Exception) -> NarrowcastError:
    """NotConnected when no request can have left, OutcomeUnknown when it may have."""
    text = f"{type(error).__name__}: {error}"[:200] if str(error) else type(error).__name__
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.ProxyError():
            return NotConnected(text)
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
            return NotConnected(text)
        case httpx.InvalidURL():
            return MalformedAnswer("a redirect to what is not an address")
        case httpx.DecodingError():
            return MalformedAnswer("the body is not encoded as its header says")
        case _:
            return OutcomeUnknown(text)
