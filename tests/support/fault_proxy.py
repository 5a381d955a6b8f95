"""A proxy between a client and the server that does what networks do: cut, hang, refuse, delay, lie.

async with FaultProxy(server.url) as proxy:
    account = replace(server.account("ada"), site=proxy.url)
    proxy.cut()                                     # every connection is reset
    await proxy.refuse(); await proxy.accept()      # nobody listens, then somebody does
    proxy.hang(); proxy.go_on()                     # half-open: nothing comes and nothing ends
    proxy.delay = 0.3                               # seconds on the way to the server, and back
    proxy.on("POST", "/api/v1/messages", LOSE_ANSWER)      # for the next such request
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from enum import Enum, auto
from typing import Self
from urllib.parse import urlsplit

_CHUNK = 65536
_BAD_GATEWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 12\r\nConnection: close\r\n\r\n<html></html"
_GARBAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n\x00\xffnot json"


class Fault(Enum):
    """What happens to one request."""

    FAIL_BEFORE = auto()
    """The server never sees it, the client gets 502."""
    FAIL_AFTER = auto()
    """The server carries it out, the client gets 502."""
    LOSE_ANSWER = auto()
    """The server carries it out, the connection ends before the answer."""
    CUT_MID_BODY = auto()
    """The answer ends in the middle."""
    GARBAGE = auto()
    """The client gets something that is no JSON."""


class FaultProxy:
    """See the module. Times are real, so keep them short."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._target = str(parts.hostname), int(parts.port or 80)
        self._server: asyncio.Server | None = None
        self._port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._faults: list[tuple[bytes, Fault]] = []
        self.delay = 0.0
        self.connections = 0

    async def __aenter__(self) -> Self:
        await self.accept()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.refuse()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"http://127.0.0.1:{self._port}"

    async def accept(self) -> None:
        """Listens, on the same port each time."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Stops listening and resets what is open."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()

    def cut(self) -> None:
        """Resets every connection."""
        for writer in list(self._writers):
            writer.transport.abort()

    def hang(self) -> None:
        """Nothing goes through, nothing ends."""
        self._flowing.clear()

    def go_on(self) -> None:
        """Things go through again."""
        self._flowing.set()

    def on(self, method: str, path: str, fault: Fault) -> None:
        """The next request with this beginning suffers `fault`."""
        self._faults.append((f"{method} {path}".encode(), fault))

    def forgive(self) -> None:
        """Forgets the faults that have not happened yet."""
        self._faults.clear()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        far: asyncio.StreamWriter | None = None
        try:
            far_reader, far = await asyncio.open_connection(self._host, self._target)
            self._writers.add(far)
            lost: list[Fault] = []
            back = asyncio.create_task(self._back(far_reader, writer, lost))
            try:
                await self._forth(reader, writer, far, lost)
            finally:
                back.cancel()
                await asyncio.gather(back, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            for one in (writer, far):
                if one is not None:
                    self._writers.discard(one)
                    one.close()
                    with suppress(OSError):
                        await one.wait_closed()

    async def _forth(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far: asyncio.StreamWriter,
        lost: list[Fault],
    ) -> None:
        while data := await reader.read(_CHUNK):
            await self._on_the_way()
            fault = self._fault_of(data)
            if fault in (Fault.FAIL_BEFORE, Fault.GARBAGE):
                writer.write(_BAD_GATEWAY if fault is Fault.FAIL_BEFORE else _GARBAGE)
                await writer.drain()
                return
            if fault is not None:
                lost.append(fault)
            far.write(data)
            await far.drain()

    async def _back(
        self, far_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: list[Fault]
    ) -> None:
        with suppress(OSError):
            while data := await far_reader.read(_CHUNK):
                await self._on_the_way()
                if lost:
                    await self._lose(writer, data, lost.pop())
                    return
                writer.write(data)
                await writer.drain()
        writer.close()

    async def _lose(self, writer: asyncio.StreamWriter, data: bytes, fault: Fault) -> None:
        if fault is Fault.FAIL_AFTER:
            writer.write(_BAD_GATEWAY)
        elif fault is Fault.CUT_MID_BODY:
            writer.write(data[: len(data) - 5])
        if fault is not Fault.LOSE_ANSWER:
            await writer.drain()
            writer.close()
        else:
            writer.transport.abort()

    def _fault_of(self, data: bytes) -> Fault | None:
        for index, (start, fault) in enumerate(self._faults):
            if data.startswith(start):
                del self._faults[index]
                return fault
        return None

    async def _on_the_way(self) -> None:
        if self.delay:
            await asyncio.sleep(self.delay)
        await self._flowing.wait()
