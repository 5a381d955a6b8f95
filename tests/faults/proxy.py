"""A proxy that breaks what passes through it, as networks and servers do."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"}
_PAGE = b"<html><body><h1>Welcome to the hotel network</h1></body></html>"


class Fault(enum.Enum):
    """What happens to one request."""

    REFUSED_BY_GATEWAY = "502 before the server sees the request"
    FAILED_AFTERWARDS = "502 after the server has carried it out"
    LOST_BEFORE = "the connection is cut before the server sees the request"
    LOST_AFTERWARDS = "the connection is cut after the server has carried it out"
    CUT_IN_BODY = "the answer is cut in the middle of its body"
    PORTAL = "200 with a page of a hotel network"
    NOT_HTTP = "bytes that are no HTTP"
    TOO_MANY = "429 with retry-after"
    HELD_BEFORE = "the server never sees the request, and no answer comes"
    HELD_AFTERWARDS = "the server has carried it out, and no answer comes"


_BEFORE = {Fault.REFUSED_BY_GATEWAY, Fault.LOST_BEFORE, Fault.PORTAL, Fault.NOT_HTTP, Fault.TOO_MANY}


@dataclass(slots=True)
class Rule:
    """A fault for requests whose method and path begin like these; `left` times, None for ever."""

    fault: Fault
    method: str = ""
    path: str = "/"
    left: int | None = None

    def applies(self, method: str, path: str) -> bool:
        return self.left != 0 and method.startswith(self.method) and path.startswith(self.path)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    head: bytes
    body: bytes


class FaultProxy:
    """Listens at `url` and passes on to `target`. Without faults it changes nothing but the addresses."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.rules: list[Rule] = []
        self.latency = 0.0
        self.seen: list[str] = []
        self.held: list[str] = []
        self._thawed = asyncio.Event()
        self._thawed.set()
        self._events = asyncio.Event()
        self._events.set()
        self._port = 0
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._client = httpx.AsyncClient(trust_env=False, timeout=None)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    # faults

    def fail(self, fault: Fault, method: str = "", path: str = "/", times: int | None = None) -> None:
        """Break requests from now on."""
        self.rules.append(Rule(fault, method, path, times))

    def freeze(self) -> None:
        """Nothing passes and nobody says so: a cable was pulled, a laptop changed networks."""
        self._thawed.clear()

    def silence_events(self) -> None:
        """Event streams that are open stay open and say nothing more; everything else works."""
        self._events.clear()

    async def heal(self) -> None:
        """The network works again. What was frozen is gone."""
        self.rules.clear()
        if not self._events.is_set():
            await self.cut()
            self._events.set()
        self.latency = 0.0
        if not self._thawed.is_set():
            await self.cut()
            self._thawed.set()
        await self.listen()

    async def cut(self) -> None:
        """End every connection, also those that wait for events."""
        tasks = list(self._connections)
        for task in tasks:
            self._connections[task].transport.abort()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def refuse(self) -> None:
        """Nobody listens any more."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self.cut()

    async def listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._thawed.set()
        await self.refuse()
        await self._client.aclose()

    # passing on

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            del self._connections[task]
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; whether the connection goes on."""
        request = await _read_request(reader)
        await self._thawed.wait()
        await asyncio.sleep(self.latency)
        fault = self._fault_for(request)
        self.seen.append(f"{request.method} {request.path}{'' if fault is None else ' ' + fault.name}")
        if fault is Fault.HELD_BEFORE:
            await self._hold(request)
        if fault in _BEFORE:
            return await _misbehave(writer, fault)
        if request.headers.get("upgrade", "").lower() == "websocket":
            await self._pipe(request, reader, writer)
            return False
        answer = await self._ask(request, reader)
        if answer is None:
            return False
        await self._thawed.wait()
        if fault is Fault.HELD_AFTERWARDS:
            await self._hold(request)
        if fault is not None:
            return await _misbehave(writer, fault, answer)
        writer.write(answer)
        await writer.drain()
        return True

    def _fault_for(self, request: Request) -> Fault | None:
        for rule in self.rules:
            if rule.applies(request.method, request.path):
                if rule.left is not None:
                    rule.left -= 1
                return rule.fault
        return None

    async def _ask(self, request: Request, reader: asyncio.StreamReader) -> bytes | None:
        """The server's answer; None if the client went away meanwhile."""
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
        except httpx.HTTPError:
            return _answer(502, b"no server")
        kept = {key: value for key, value in response.headers.items() if key.lower() not in _HOP_BY_HOP}
        return _answer(response.status_code, response.content, kept)

    async def _hold(self, request: Request) -> None:
        """Until the connection is cut."""
        self.held.append(f"{request.method} {request.path}")
        await asyncio.Event().wait()

    async def _pipe(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """A WebSocket: bytes both ways until either side ends."""
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
                await self._thawed.wait()
                if flows is not None:
                    await flows.wait()
                await asyncio.sleep(self.latency)
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


async def _misbehave(writer: asyncio.StreamWriter, fault: Fault, answer: bytes = b"") -> bool:
    """Do to an answer what the fault says; whether the connection goes on."""
    match fault:
        case Fault.REFUSED_BY_GATEWAY | Fault.FAILED_AFTERWARDS:
            said = _answer(502, b"<html>Bad Gateway</html>", {"content-type": "text/html"})
        case Fault.TOO_MANY:
            body = b'{"result":"error","code":"RATE_LIMIT_HIT","msg":"slow down","retry-after":3.0}'
            said = _answer(429, body, {"content-type": "application/json", "retry-after": "3.0"})
        case Fault.PORTAL:
            said = _answer(200, _PAGE, {"content-type": "text/html"})
        case Fault.NOT_HTTP:
            said = bytes(range(256)) * 4
        case Fault.CUT_IN_BODY:
            said = answer[: len(answer) - max(1, (len(answer) - answer.index(b"\r\n\r\n") - 4) // 2)]
        case _:
            said = b""
    writer.write(said)
    await writer.drain()
    return fault in {Fault.REFUSED_BY_GATEWAY, Fault.FAILED_AFTERWARDS, Fault.TOO_MANY, Fault.PORTAL}


def _answer(status: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} -", f"content-length: {len(body)}"]
    lines += [f"{key}: {value}" for key, value in (headers or {}).items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@asynccontextmanager
async def fault_proxy(target: str) -> AsyncIterator[FaultProxy]:
    """A proxy in front of `target`, without faults at first."""
    proxy = FaultProxy(target)
    await proxy.listen()
    try:
        yield proxy
    finally:
        await proxy.close()
