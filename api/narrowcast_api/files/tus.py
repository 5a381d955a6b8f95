"""Resumable uploads with the tus protocol, version 1.0.0, at /api/v1/tus (UPL-14, UPL-15, AUTH-02).

    create (POST) -> send a part (PATCH) -> ... -> the last part's response names the file
                         |        ^
             interrupted v        |
                 ask offset (HEAD) -- gone --> create

Each part is a separate request, so that an interruption loses at most one part.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

import httpx2

from narrowcast_api import debug_log
from narrowcast_api.errors import (
    TEMPORARY,
    ApiError,
    MalformedResponse,
    NarrowcastError,
    OutcomeUnknown,
    RateLimited,
    RedirectRefused,
    ServerFault,
    TransportError,
)
from narrowcast_api.files.reading import LocalFile, Progress, read_part
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.safe_json import parse_object

PART_BYTES = 8 * 2**20
_STEP_SECONDS = 180.0
_TRIES = 6
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_VERSION = {"Tus-Resumable": "1.0.0"}
_GONE = frozenset({403, 404, 410})
_MAX_RESPONSE_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class _Place:
    """The address of an upload on the server, and the number of bytes that the server has."""

    url: str
    offset: int


async def send_resumable(
    connection: Connection,
    file: LocalFile,
    *,
    progress: Progress | None = None,
    resume_from: str | None = None,
    resumable: Callable[[str], None] | None = None,
    part_bytes: int = PART_BYTES,
) -> dict[str, object]:
    """Sends the file in parts, resuming after interruptions; returns the object in the last part's response.

    `resumable(address)` is called with the upload's address as soon as it is known; a later call with
    `resume_from` that address continues with what the server already has. After several attempts without
    progress the last error is raised. Raises NotFound if the server has no such endpoint.
    """
    place = await _find(connection, resume_from, file) if resume_from is not None else None
    tries = 0
    while True:
        failure: NarrowcastError
        try:
            if place is None:
                place = _Place(await _create(connection, file), 0)
                if resumable is not None:
                    resumable(place.url)
            sent = place.offset
            place, final = await _send_part(connection, file, place, part_bytes, progress)
            if final is not None:
                return final
            tries = 0 if place.offset > sent else tries + 1
            if tries < _TRIES:
                continue
            failure = MalformedResponse("a resumable upload makes no progress")
        except TEMPORARY as error:
            failure = error
        tries += 1
        if tries > _TRIES:
            raise failure
        pause = failure.retry_after if isinstance(failure, RateLimited) else _PAUSES[tries - 1]
        debug_log.note("retry", "upload", failure, seconds=pause)
        await connection.clock.sleep(pause * random.uniform(0.5, 1.0))
        if place is not None:
            before = place
            place = await _ask(connection, place, file.size)
            tries = 0 if place is not None and place.offset > before.offset else tries


async def _create(connection: Connection, file: LocalFile) -> str:
    metadata = {"filename": file.name, "filetype": file.content_type}
    headers = {
        **_VERSION,
        "Upload-Length": str(file.size),
        "Upload-Metadata": ",".join(f"{key} {_b64(value)}" for key, value in metadata.items()),
    }
    url = connection.url("/tus")
    async with connection.stream(
        "POST", url, headers=headers, content=b"", timeout=_STEP_SECONDS
    ) as response:
        if response.status_code != 201:
            await _refuse(connection, response)
        return _own_address(connection, response.url, response.headers.get("location", ""))


async def _send_part(
    connection: Connection, file: LocalFile, place: _Place, part_bytes: int, progress: Progress | None
) -> tuple[_Place, dict[str, object] | None]:
    """Sends the next part; returns the upload's new offset, and the final response if it was the last part."""
    end = min(file.size, place.offset + part_bytes)
    headers = {
        **_VERSION,
        "Upload-Offset": str(place.offset),
        "Content-Type": "application/offset+octet-stream",
        "Content-Length": str(end - place.offset),
    }
    # Closed here, because an interrupted request does not close its body, which keeps the file open.
    async with (
        aclosing(read_part(file, place.offset, end, progress)) as content,
        connection.stream(
            "PATCH", place.url, headers=headers, content=content, timeout=_STEP_SECONDS
        ) as response,
    ):
        if response.status_code in (409, 423):
            # The server has a different offset, or a lock that the interrupted request left.
            raise ServerFault(response.status_code, "the upload has another offset than expected")
        if response.status_code not in (200, 204):
            await _refuse(connection, response)
        offset = _offset(response)
        if offset is None:
            raise MalformedResponse("a part's response lacks its offset", status=response.status_code)
        if offset < file.size:
            return _Place(place.url, offset), None
        raw = await connection.read(response, _MAX_RESPONSE_BYTES)
    return _Place(place.url, offset), _final(raw)


def _final(raw: bytes) -> dict[str, object]:
    body = parse_object(raw) if raw.strip() else {}
    if not isinstance(body.get("url", body.get("uri")), str):
        raise OutcomeUnknown("the file has arrived, but the server did not say where it is")
    return body


async def _ask(connection: Connection, place: _Place, size: int) -> _Place | None:
    """Returns the offset that the server has; None if the upload no longer exists or is of a file of another
    size; `place` if the server cannot be reached.
    """
    try:
        async with connection.stream("HEAD", place.url, headers=_VERSION) as response:
            offset = _offset(response)
            length = response.headers.get("upload-length", "")
            if response.status_code in _GONE or (
                length.isascii() and length.isdigit() and length != str(size)
            ):
                return None
            if response.status_code in (200, 204) and offset is not None:
                return _Place(place.url, offset)
    except TransportError:
        pass
    return place


async def _find(connection: Connection, address: str, file: LocalFile) -> _Place | None:
    try:
        url = _own_address(connection, httpx2.URL(connection.site), address)
    except (RedirectRefused, MalformedResponse, httpx2.InvalidURL):
        return None
    place = await _ask(connection, _Place(url, -1), file.size)
    return place if place is not None and 0 <= place.offset <= file.size else None


def _own_address(connection: Connection, base: httpx2.URL, location: str) -> str:
    """Returns the upload's address, which must be on the account's own host: credentials are sent nowhere else."""
    if not location:
        raise MalformedResponse("a resumable upload without an address")
    target = base.join(location)
    if connection.is_own(target):
        return str(target)
    own = httpx2.URL(connection.site)
    if target.host == own.host:
        # Behind a proxy that terminates TLS, some servers send addresses with the wrong scheme or port.
        return str(target.copy_with(scheme=own.scheme, netloc=own.netloc))
    raise RedirectRefused(str(target.copy_with(query=None, fragment=None, username=None, password=None)))


async def _refuse(connection: Connection, response: httpx2.Response) -> None:
    await connection.finish(response, max_bytes=_MAX_RESPONSE_BYTES)
    raise ApiError("", "the resumable upload was refused", response.status_code)


def _offset(response: httpx2.Response) -> int | None:
    text = response.headers.get("upload-offset", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _b64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
