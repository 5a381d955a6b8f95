"""A proxy between a client and the server that injects faults of networks and servers.

async with FaultProxy(server.url) as proxy:
    account = replace(server.account("ada"), site=proxy.url)
    await proxy.cut()                                      # every connection is reset
    await proxy.refuse(); await proxy.listen()             # connections are refused, then accepted again
    proxy.hang(); proxy.resume()                           # half-open: no data, no close
    proxy.delay = 0.3                                      # seconds of latency, each way
    proxy.fail(Fault.LOST_AFTERWARDS, "POST", "/api/v1/messages", times=1)
"""

from __future__ import annotations

import asyncio
import enum
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import httpx2

from support.sockets import Listener

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"}
_PAGE = b"<html><body><h1>Welcome to the hotel network</h1></body></html>"


class Fault(enum.Enum):
    """What happens to one request."""

    REFUSED_BY_GATEWAY = "502 before the server sees the request"
    FAILED_AFTERWARDS = "502 after the server has carried it out"
    LOST_BEFORE = "the connection is cut before the server sees the request"
    LOST_AFTERWARDS = "the connection is cut after the server has carried it out"
    CUT_IN_BODY = "the response is cut in the middle of its body"
    PORTAL = "200 with a page of a hotel network"
    NOT_HTTP = "bytes that are no HTTP"
    TOO_MANY = "429 with retry-after"
    HELD_BEFORE = "the server never sees the request, and no response comes"
    HELD_AFTERWARDS = "the server has carried it out, and no response comes"


_BEFORE = {Fault.REFUSED_BY_GATEWAY, Fault.LOST_BEFORE, Fault.PORTAL, Fault.NOT_HTTP, Fault.TOO_MANY}


@dataclass(slots=True)
class Rule:
    """A fault for requests whose method and path start with these; `left` times, always if None."""

    fault: Fault
    method: str = ""
    path: str = "/"
    left: int | None = None

    def applies(self, method: str, path: str) -> bool:
        return self.left != 0 and method.startswith(self.method) and path.startswith(self.path)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    head: bytes
    body: bytes


class FaultProxy:
    """Listens at `url` and forwards to `target`. Without faults it changes nothing but the addresses.

    Delays are in real time, so keep them short. `seen` has every request with the fault that it met, `held`
    those that never get a response.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.rules: list[Rule] = []
        self.delay = 0.0
        self.seen: list[str] = []
        self.held: list[str] = []
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._events = asyncio.Event()
        self._events.set()
        self._port = 0
        self._listener: Listener | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._client = httpx2.AsyncClient(trust_env=False, timeout=None)

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._flowing.set()
        await self.refuse()
        await self._client.aclose()

    @property
    def url(self) -> str:
        """The address for clients; unchanged by `refuse` and `listen`."""
        return f"http://127.0.0.1:{self._port}"

    # faults

    def fail(self, fault: Fault, method: str = "", path: str = "/", times: int | None = None) -> None:
        """Makes the next `times` requests fail, or all from now on."""
        self.rules.append(Rule(fault, method, path, times))

    def clear_faults(self) -> None:
        """Removes the faults that have not happened yet."""
        self.rules.clear()

    def hang(self) -> None:
        """Stops all traffic without closing connections, as when a cable is pulled or a laptop changes networks."""
        self._flowing.clear()

    def resume(self) -> None:
        """Forwards everything that was held back."""
        self._flowing.set()

    def silence_events(self) -> None:
        """Open event streams stay open but receive nothing more; everything else works."""
        self._events.clear()

    async def heal(self) -> None:
        """Makes the network work again. What was held back is lost."""
        self.clear_faults()
        if not self._events.is_set():
            await self.cut()
            self._events.set()
        self.delay = 0.0
        if not self._flowing.is_set():
            await self.cut()
            self.resume()
        await self.listen()

    async def cut(self) -> None:
        """Closes every connection, including those that wait for events."""
        tasks = list(self._connections)
        for task in tasks:
            self._connections[task].transport.abort()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def refuse(self) -> None:
        """Stops listening."""
        if self._listener is not None:
            listener, self._listener = self._listener, None
            await listener.close()
        await self.cut()

    async def listen(self) -> None:
        """Starts listening, on the same port each time."""
        if self._listener is None:
            self._listener = Listener(self._accept, port=self._port)
            self._port = self._listener.port

    # forwarding

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._listener is None:
            # Accepted just before `refuse`, which did not know of the connection.
            writer.transport.abort()
            return
        self._connections[task] = writer
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            del self._connections[task]
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Handles one request; returns whether the connection stays open."""
        request = await _read_request(reader)
        await self._on_the_way()
        fault = self._fault_for(request)
        self.seen.append(f"{request.method} {request.path}{'' if fault is None else ' ' + fault.name}")
        if fault is Fault.HELD_BEFORE:
            await self._hold(request)
        if fault in _BEFORE:
            return await _misbehave(writer, fault)
        if request.headers.get("upgrade", "").lower() == "websocket":
            await self._pipe(request, reader, writer)
            return False
        response = await self._ask(request, reader)
        if response is None:
            return False
        await self._on_the_way()
        if fault is Fault.HELD_AFTERWARDS:
            await self._hold(request)
        if fault is not None:
            return await _misbehave(writer, fault, response)
        writer.write(response)
        await writer.drain()
        return True

    async def _on_the_way(self) -> None:
        if self.delay:
            await asyncio.sleep(self.delay)
        await self._flowing.wait()

    def _fault_for(self, request: Request) -> Fault | None:
        for rule in self.rules:
            if rule.applies(request.method, request.path):
                if rule.left is not None:
                    rule.left -= 1
                return rule.fault
        return None

    async def _ask(self, request: Request, reader: asyncio.StreamReader) -> bytes | None:
        """Returns the server's response; None if the client disconnected meanwhile."""
        asking = asyncio.ensure_future(self._forward(request))
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else None
        finally:
            asking.cancel()
            leaving.cancel()
            await asyncio.gather(asking, leaving, return_exceptions=True)

    async def _forward(self, request: Request) -> bytes:
        headers = {key: value for key, value in request.headers.items() if key not in _HOP_BY_HOP}
        try:
            response = await self._client.request(
                request.method, self.target + request.path, headers=headers, content=request.body or None
            )
        except httpx2.HTTPError:
            return _response(502, b"no server")
        kept = {key: value for key, value in response.headers.items() if key.lower() not in _HOP_BY_HOP}
        return _response(response.status_code, response.content, kept)

    async def _hold(self, request: Request) -> None:
        """Waits until the connection is closed."""
        self.held.append(f"{request.method} {request.path}")
        await asyncio.Event().wait()

    async def _pipe(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Forwards a WebSocket: bytes in both directions until either side closes."""
        host, port = self.target.removeprefix("http://").rsplit(":", 1)
        up_reader, up_writer = await asyncio.open_connection(host, int(port))
        try:
            up_writer.write(request.head)
            ways = [
                asyncio.ensure_future(self._copy(reader, up_writer)),
                asyncio.ensure_future(self._copy(up_reader, writer, self._events)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            up_writer.close()

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flows: asyncio.Event | None = None
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._on_the_way()
                if flows is not None:
                    await flows.wait()
                writer.write(data)
                await writer.drain()


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    headers = {key.strip().lower(): value.strip() for key, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, head, body)


async def _misbehave(writer: asyncio.StreamWriter, fault: Fault, response: bytes = b"") -> bool:
    """Applies the fault to a response; returns whether the connection stays open."""
    match fault:
        case Fault.REFUSED_BY_GATEWAY | Fault.FAILED_AFTERWARDS:
            said = _response(502, b"<html>Bad Gateway</html>", {"content-type": "text/html"})
        case Fault.TOO_MANY:
            body = b'{"result":"error","code":"RATE_LIMIT_HIT","msg":"slow down","retry-after":3.0}'
            said = _response(429, body, {"content-type": "application/json", "retry-after": "3.0"})
        case Fault.PORTAL:
            said = _response(200, _PAGE, {"content-type": "text/html"})
        case Fault.NOT_HTTP:
            said = bytes(range(256)) * 4
        case Fault.CUT_IN_BODY:
            said = response[: len(response) - max(1, (len(response) - response.index(b"\r\n\r\n") - 4) // 2)]
        case _:
            said = b""
    writer.write(said)
    await writer.drain()
    return fault in {Fault.REFUSED_BY_GATEWAY, Fault.FAILED_AFTERWARDS, Fault.TOO_MANY, Fault.PORTAL}


def _response(status: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} -", f"content-length: {len(body)}"]
    lines += [f"{key}: {value}" for key, value in (headers or {}).items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
