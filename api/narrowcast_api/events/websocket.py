"""The event queue as a WebSocket stream, if a server offers one (EVT-08).

Registration returns `event_stream_path`. Frames of the server are JSON objects, with `events` in order, or an
error with `code`; the client responds with the id of the last event it has applied.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote, urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from narrowcast_api.errors import InvalidInput, MalformedResponse, OutcomeUnknown, api_error
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.proxies import proxy_for
from narrowcast_api.http.safe_json import parse_object
from narrowcast_api.http.tls import shared_context
from narrowcast_api.http.transport import user_agent

_FRAME_BYTES = 64 * 2**20
_OPEN_SECONDS = 10.0


class _ConnectHere(connect):
    """A connection that follows no redirects, because its credentials are for this address."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class WebSocketQueue:
    """A `narrowcast_api.events.event_source.EventSocket` on a WebSocket."""

    def __init__(self, websocket: ClientConnection) -> None:
        self._websocket = websocket

    async def receive(self) -> list[object]:
        """Returns the events of the next frame.

        Raises `BadEventQueueId` and other rejections, `OutcomeUnknown` when the stream ended,
        `MalformedResponse`.
        """
        reason = ""
        try:
            frame = await self._websocket.recv()
        except ConnectionClosed as closed:
            reason = f"the event stream ended: {closed.rcvd.code if closed.rcvd else 'cut'}"
        if reason:
            raise OutcomeUnknown(reason)
        response = parse_object(frame)
        if response.get("result") == "error":
            code, message = response.get("code"), response.get("msg")
            raise api_error(
                400,
                code if isinstance(code, str) else "",
                message if isinstance(message, str) else "",
                response,
            )
        events = response.get("events")
        if not isinstance(events, list):
            raise MalformedResponse("a frame of events without events")
        return events

    async def acknowledge(self, last_event_id: int) -> None:
        """Reports up to which id events have been applied. Ignores a stream that has ended, which `receive` reports."""
        try:
            await self._websocket.send(json.dumps({"last_event_id": last_event_id}))
        except ConnectionClosed:
            return

    async def close(self) -> None:
        """Closes the stream; the queue remains."""
        await self._websocket.close()


async def open_socket(connection: Connection, path: str, queue_id: str, last_event_id: int) -> WebSocketQueue:
    """Opens the stream of a queue at `path` of the account's own site.

    Raises `InvalidInput` for a path that leads elsewhere, `UnusableProxy`, otherwise the errors of `websockets`.
    """
    site = urlsplit(connection.site)
    account = connection.account
    if account is None or not path.startswith("/") or path.startswith("//") or "\\" in path:
        raise InvalidInput("the event stream is not at the account's own address")
    scheme = "wss" if site.scheme == "https" else "ws"
    address = f"{scheme}://{site.netloc}{site.path.rstrip('/')}{quote(path, safe='/%')}"
    query = f"queue_id={quote(queue_id, safe='')}&last_event_id={last_event_id}"
    proxy = proxy_for(connection.site, os.environ)
    for_proxy: dict[str, Any] = {}
    if proxy is not None and proxy.scheme == "https":
        for_proxy["proxy_ssl"] = shared_context(connection.ca_bundle)
    websocket = await _ConnectHere(
        f"{address}?{query}",
        additional_headers={"Authorization": f"Basic {account.credentials()}"},
        user_agent_header=user_agent(),
        ssl=shared_context(connection.ca_bundle) if scheme == "wss" else None,
        proxy=None if proxy is None else proxy.url,
        open_timeout=_OPEN_SECONDS,
        close_timeout=2,
        max_size=_FRAME_BYTES,
        **for_proxy,
    )
    return WebSocketQueue(websocket)
