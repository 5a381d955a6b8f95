"""Decodes the bodies of responses in small pieces, so that a small response cannot expand to a huge one.

The HTTP library decompresses each arriving piece completely, and applies several encodings in turn: 5 KB
could expand to 6 GB before a limit is checked. Here only one encoding is accepted, and only a requested one,
and no piece is larger than `CHUNK_BYTES`.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator

import httpx2

from narrowcast_api.errors import MalformedResponse, ResponseTooLarge

ACCEPTED = "gzip, deflate"
"""The Accept-Encoding header of requests."""
CHUNK_BYTES = 256 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_RAW_DEFLATE = -15


async def decoded(response: httpx2.Response, limit: int | None) -> AsyncIterator[bytes]:
    """Yields the decoded body in pieces; `limit` applies to the received and to the decoded size, in bytes.

    Raises ResponseTooLarge beyond `limit`, and MalformedResponse for a body that is encoded twice, in a way that
    was not requested, or not as its header says.
    """
    inflater = _inflater(response.headers)
    arrived = size = 0
    # The inflater needs the beginning of the data in one piece; other bodies are taken as they arrive, because to make
    # pieces of a size httpx2 copies each byte twice.
    async for raw in response.aiter_raw(None if inflater is None else CHUNK_BYTES):
        arrived += len(raw)
        if limit is not None and arrived > limit:
            raise ResponseTooLarge(limit)
        for piece in _split(raw) if inflater is None else inflater.feed(raw):
            size += len(piece)
            if limit is not None and size > limit:
                raise ResponseTooLarge(limit)
            yield piece
    if inflater is not None and arrived and not inflater.complete:
        raise MalformedResponse("the encoded body is incomplete")


def _split(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + CHUNK_BYTES] for start in range(0, len(raw), CHUNK_BYTES))


def encodings(headers: httpx2.Headers) -> list[str]:
    """The encodings of a body, in the order in which they were applied."""
    listed = headers.get_list("content-encoding", split_commas=True)
    return [name for part in listed if (name := part.strip().lower()) not in ("", "identity")]


def _inflater(headers: httpx2.Headers) -> _Inflater | None:
    names = encodings(headers)
    if not names:
        return None
    if len(names) > 1:
        raise MalformedResponse("the body is encoded more than once")
    if names[0] not in _WINDOWS:
        raise MalformedResponse("the body has an encoding that was not requested")
    return _Inflater(_WINDOWS[names[0]])


class _Inflater:
    """Decompresses with zlib, in pieces of at most `CHUNK_BYTES`."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._zlib = zlib.decompressobj(window)
        self._begun = False

    @property
    def complete(self) -> bool:
        """Whether the end of the encoded body was reached."""
        return self._zlib.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yields the decompressed pieces of `data`. Raises MalformedResponse."""
        while data:
            if self._zlib.eof:
                if self._window != _WINDOWS["gzip"] or not data.startswith(_GZIP_MAGIC):
                    return  # bytes after the end are ignored
                self._zlib = zlib.decompressobj(self._window)
            piece = self._inflated(data)
            data = self._zlib.unused_data if self._zlib.eof else self._zlib.unconsumed_tail
            if piece:
                yield piece

    def _inflated(self, data: bytes) -> bytes:
        first, self._begun = not self._begun, True
        try:
            return self._zlib.decompress(data, CHUNK_BYTES)
        except zlib.error:
            if not first or self._window != _WINDOWS["deflate"]:
                raise MalformedResponse("the body is not encoded as its header says") from None
        # Some servers send raw deflate data, without the zlib header.
        self._window = _RAW_DEFLATE
        self._zlib = zlib.decompressobj(_RAW_DEFLATE)
        return self._inflated(data)
