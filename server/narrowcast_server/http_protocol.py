"""HTTP as uvicorn speaks it, with this server's form also for requests that are none: JSON, never plain text."""

from __future__ import annotations

import json
import sys
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from narrowcast_server.errors import ServiceError


class Http(H11Protocol):
    """One connection."""

    def _should_upgrade(self) -> bool:
        """A WebSocket is only begun where its handshake can be completed; all else is an ordinary request."""
        names = {name for name, _ in self.headers}
        return {b"sec-websocket-key", b"sec-websocket-version"} <= names and super()._should_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Answers what cannot be read (400, or 431 for a head that is too long) and hangs up."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            # An answer is under way on this connection: nothing can be put into the middle of it.
            self.transport.close()
            return
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        body = json.dumps(ServiceError(msg, status=status).body()).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        reason = HTTPStatus(status).phrase.encode()
        for event in (
            h11.Response(status_code=status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
