"""uvicorn's protocols, with limits: HTTP with JSON errors also for malformed requests, and with time limits for sending
and reading; WebSockets.

Each chunk of a body and each WebSocket frame takes a fixed amount of work, however few bytes it has, and all that
arrive together are handled in one step of the event loop; so peers may not send many small ones.
"""

from __future__ import annotations

import asyncio
import json
import sys
from http import HTTPStatus
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from narrowcast_server.http.connections import Connections
from narrowcast_server.organization.errors import ServiceError

_PROGRESS_BYTES: Final = 16 * 1024
_FREE_CHUNKS: Final = 100
"""This many chunks of a body may have any size."""
_SMALLEST_CHUNK: Final = 256
"""Bytes that the chunks of a longer body must have on average."""
_SOCKET_BYTES: Final = 16 * 1024
"""How much a WebSocket client may send per second; acknowledgements need a tenth of that."""


class BodyChunks(h11.Connection):
    """The server's side of an HTTP connection; raises h11.RemoteProtocolError for a body of too many small chunks."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER)
        self._chunks = 0
        self._bytes = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._bytes += len(event.data)
            if self._chunks > _FREE_CHUNKS and self._bytes < self._chunks * _SMALLEST_CHUNK:
                raise h11.RemoteProtocolError("the body has too many small chunks")
        return event


class Socket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket; closes the connection if the client sends much more than acknowledgements."""

    _since = 0.0
    """When the current second began, by the event loop's clock."""
    _received = 0
    """Bytes received in that second."""

    def data_received(self, data: bytes) -> None:
        # The request of the handshake has limits of its own.
        if self.handshake_initiated and self._exceeds(len(data)):
            self.transport.abort()
            return
        super().data_received(data)

    def _exceeds(self, received: int) -> bool:
        now = self.loop.time()
        if now - self._since >= 1.0:
            self._since, self._received = now, 0
        self._received += received
        return self._received > _SOCKET_BYTES


class _Requests(BodyChunks):
    """Takes a request to upgrade whose WebSocket handshake cannot be completed for an ordinary one."""

    def next_event(self) -> Any:
        event = super().next_event()
        if not isinstance(event, h11.Request):
            return event
        names = {name for name, _ in event.headers}
        if b"upgrade" not in names or {b"sec-websocket-key", b"sec-websocket-version"} <= names:
            return event
        return h11.Request(
            method=event.method,
            target=event.target,
            headers=[(name, value) for name, value in event.headers if name != b"upgrade"],
            http_version=event.http_version,
        )


class Http(H11Protocol):
    """One connection.

    head --request--> body --its end--> responding --response--> idle --first byte--> head
    head --upgrade--> socket

    A new connection is in `head`.
    """

    def __init__(
        self,
        connections: Connections,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
    ) -> None:
        super().__init__(config, server_state, app_state)
        self.conn = _Requests()
        self._all = connections
        self._limits = connections.limits
        self._in_head = True
        self._since = self.loop.time()
        """When `head` or `idle` began, or the reception of the current request."""
        self._received = 0
        """Bytes received of the current request."""
        self._is_socket = False
        self._last_unread = 0
        """Unread bytes when the peer last made progress in reading; `_unread_since` is that time."""
        self._unread_since = 0.0

    # --- the interface that `Connections` uses --------------------------------------------------------------

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def idle_since(self) -> float | None:
        """Since when the connection waits for a request."""
        return self._since if self._waits_for_request else None

    @property
    def is_gone(self) -> bool:
        """Whether the connection is closed or closing; upgraded ones get no `connection_lost`."""
        return self.transport.is_closing()

    @property
    def unread(self) -> int:
        """Bytes buffered for the peer."""
        return self.transport.get_write_buffer_size()

    def is_too_slow(self, now: float) -> bool:
        """Whether sending the head or the body, or reading a response, takes too long."""
        if self._reads_too_slowly(now):
            return True
        taken = now - self._since
        if self._waits_for_request:
            return self._in_head and taken > self._limits.head_seconds
        if self._is_socket or self.cycle.response_complete or not self.cycle.more_body:
            return False
        slowest = self._received / self._limits.slowest_bytes_a_second
        return taken > max(self._limits.body_grace_seconds, slowest)

    def cut(self) -> None:
        self.transport.abort()

    @property
    def _waits_for_request(self) -> bool:
        return not self._is_socket and (self.cycle is None or self.cycle.response_complete)

    def _reads_too_slowly(self, now: float) -> bool:
        unread = self.unread
        if unread == 0 or self._last_unread == 0 or unread <= self._last_unread - _PROGRESS_BYTES:
            self._last_unread, self._unread_since = unread, now
            return False
        self._last_unread = max(unread, self._last_unread)
        return now - self._unread_since > self._limits.write_seconds

    # --- callbacks of asyncio and uvicorn -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admits the connection if there is room; else responds with 503."""
        super().connection_made(transport)
        if not self._all.admit(self):
            self._refuse(ServiceError("The server has too many connections: try again later", status=503))

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._waits_for_request and not self._in_head:
            self._in_head, self._since = True, self.loop.time()
        self._received += len(data)
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._begun(len(data))

    def on_response_complete(self) -> None:
        """Waits for the next request, which may have been received already."""
        before = self.cycle
        self._since = self.loop.time()
        if self.unread:
            self._all.bound_unread()
        super().on_response_complete()
        if self.cycle is not before:
            self._begun(0)
        else:
            self._in_head = bool(self.conn.trailing_data[0])

    def _begun(self, received: int) -> None:
        self._in_head, self._since, self._received = False, self.loop.time(), received

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hands the connection to the WebSocket protocol; it still counts as open."""
        self._is_socket = True
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Responds to a malformed request (400, or 431 if the head is too long) and closes the connection."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        self._refuse(ServiceError(msg, status=status))

    def _refuse(self, error: ServiceError) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            # A response is being sent on this connection: an error cannot be inserted into it.
            self.transport.close()
            return
        body = json.dumps(error.body()).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        reason = HTTPStatus(error.status).phrase.encode()
        for event in (
            h11.Response(status_code=error.status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
