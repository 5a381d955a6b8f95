"""Uploads in tests: pictures, and a small server of resumable uploads that fails where a test wants it to."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx2

from support.scripted import unread


@dataclass
class TusServer(httpx2.AsyncBaseTransport):
    """Stores one upload in memory. `faults` are used one per PATCH, in order:

    an int closes the connection after this many bytes of the part, 'status:503' returns that status, 'deaf'
    stores the part and loses the response, 'forget' deletes the upload, 'ok' does nothing.
    """

    faults: list[int | str] = field(default_factory=list)
    location: str = "/api/v1/tus/1/abc"
    creates: list[httpx2.Request] = field(default_factory=list)
    patches: list[tuple[int, int]] = field(default_factory=list)
    heads: int = 0
    unauthorized: int = 0
    content: bytearray = field(default_factory=bytearray)
    length: int = -1
    final: bytes = b'{"url": "/user_uploads/1/ab/x.bin", "filename": "x.bin"}'
    create_status: int = 201

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return unread(await self._response(request))

    async def _response(self, request: httpx2.Request) -> httpx2.Response:
        if not request.headers.get("authorization", "").startswith("Basic "):
            self.unauthorized += 1
        assert request.headers["tus-resumable"] == "1.0.0"
        if request.method == "POST":
            return self._create(request)
        if request.method == "HEAD":
            self.heads += 1
            if self.length < 0:
                return httpx2.Response(404)
            offset, length = str(len(self.content)), str(self.length)
            return httpx2.Response(200, headers={"upload-offset": offset, "upload-length": length})
        return await self._patch(request)

    def _create(self, request: httpx2.Request) -> httpx2.Response:
        self.creates.append(request)
        if self.create_status != 201:
            return httpx2.Response(self.create_status, content=b"<html>")
        self.content, self.length = bytearray(), int(request.headers["upload-length"])
        return httpx2.Response(201, headers={"location": self.location})

    async def _patch(self, request: httpx2.Request) -> httpx2.Response:
        offset = int(request.headers["upload-offset"])
        fault = self.faults.pop(0) if self.faults else "ok"
        if isinstance(fault, str) and fault.startswith("status:"):
            return httpx2.Response(int(fault.removeprefix("status:")), content=b"<html>")
        if fault == "forget":
            self.length = -1
            raise httpx2.ReadError("cut")
        if offset != len(self.content):
            return httpx2.Response(409)
        taken = 0
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        async for chunk in _bytes(request.stream):
            room = len(chunk) if isinstance(fault, str) else max(0, fault - taken)
            self.content += chunk[:room]
            taken += len(chunk[:room])
            if not isinstance(fault, str) and taken >= fault:
                raise httpx2.WriteError("cut")
        self.patches.append((offset, taken))
        if fault == "deaf":
            raise httpx2.ReadError("cut")
        headers = {"upload-offset": str(len(self.content))}
        if len(self.content) == self.length:
            return httpx2.Response(200, headers=headers, content=self.final)
        return httpx2.Response(204, headers=headers)

    def metadata(self) -> dict[str, str]:
        """The metadata of the last created upload."""
        pairs = (pair.split(" ") for pair in self.creates[-1].headers["upload-metadata"].split(","))
        return {key: base64.b64decode(value).decode() for key, value in pairs}


async def _bytes(stream: httpx2.AsyncByteStream) -> AsyncIterator[bytes]:
    async for chunk in stream:
        yield chunk


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf"
    "500f0003860180b4f1d2f00000000049454e44ae426082"
)
"""A picture of one point."""


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    """Returns a PNG of these chunks, each with its type and data; the server only reads the header."""
    parts = (
        struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def header(width: int = 32, height: int = 32) -> tuple[bytes, bytes]:
    """Returns the first chunk of a PNG of this size."""
    return b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 6, 0, 0, 0)
