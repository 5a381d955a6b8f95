"""Limits on small parts of what peers send: each chunk of a body and each WebSocket frame takes a fixed amount
of work, however few bytes it has, and all that arrive together are handled in one step of the event loop.
"""

from __future__ import annotations

from typing import Any, Final

import h11
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

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
