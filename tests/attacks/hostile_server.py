"""An HTTP server that responds as an attacker would: any status, header and body for any path."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Response:
    """One response: ``body`` is either the raw bytes, or a value to encode as JSON."""

    body: object = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Respond = Callable[[str, str], Response | None]
"""Takes method and path below /api/v1 and returns a response, or None for the default one."""


def success(**fields: object) -> Response:
    """A successful response with these fields."""
    return Response({"result": "success", "msg": "", **fields})


SETTINGS = success(
    zulip_version="11.0", zulip_feature_level=400, realm_name="x", authentication_methods={"password": True}
)


class HostileServer:
    """`site` is the server's URL; `seen` lists method and path of each request."""

    def __init__(self, respond: Respond) -> None:
        seen: list[tuple[str, str]] = []
        self.seen = seen

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _respond(self) -> None:
                path = self.path.partition("?")[0].removeprefix("/api/v1")
                self.rfile.read(int(self.headers.get("content-length") or 0))
                seen.append((self.command, path))
                response = respond(self.command, path)
                if response is None:
                    response = SETTINGS if path == "/server_settings" else success()
                raw = response.raw
                self.wfile.write(f"HTTP/1.1 {response.status} x\r\nContent-Length: {len(raw)}\r\n".encode())
                for name, value in response.headers.items():
                    self.wfile.write(f"{name}: {value}\r\n".encode())
                self.wfile.write(b"\r\n" + raw)

            do_GET = do_POST = do_PATCH = do_DELETE = do_HEAD = _respond  # noqa: N815 - as the library calls them

            def log_message(self, *_: object) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.site = f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        """Starts serving, in a thread."""
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def hostile_server(respond: Respond) -> Iterator[HostileServer]:
    """A server on a free port of this machine."""
    server = HostileServer(respond)
    server.start()
    try:
        yield server
    finally:
        server.stop()
