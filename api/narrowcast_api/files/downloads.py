"""Downloads files from the server: streamed, under a safe name, never overwriting an existing file."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import httpx2

from narrowcast_api.errors import (
    FileElsewhere,
    InvalidInput,
    NotFound,
    OutcomeUnknown,
    PermissionDenied,
    RedirectRefused,
    ResponseTooLarge,
)
from narrowcast_api.files.names import response_file_name, safe_name
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.decoding import decoded, encodings
from narrowcast_api.threads import in_thread

_STEP_SECONDS = 60.0
_NOT_READABLE = "This file may not be read, or no longer exists."
_SAME_NAME_TRIES = 1000
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

DownloadProgress = Callable[[int, int | None], None]
"""Called with the bytes received so far, and the total if the server sends it."""


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A downloaded file: `size` in bytes, `content_type` as sent by the server."""

    path: Path
    size: int
    content_type: str


async def download_file(
    connection: Connection,
    *,
    url: str,
    folder: Path,
    name: str | None = None,
    progress: DownloadProgress | None = None,
    max_bytes: int | None = None,
) -> Downloaded:
    """Downloads a file of the organization to `folder`, under `name` or the name that the server sends.

    `url` is relative to the organization or on its own origin; other addresses raise RedirectRefused, and
    redirects to them FileElsewhere. The name is made safe; if it is taken, a number is added. The file is
    created with mode 0600 and deleted if the download fails or is cancelled. Raises InvalidInput if `folder`
    cannot be written, ResponseTooLarge beyond `max_bytes`.
    """
    address = own_url(connection, url)
    async with _opened(connection, address, {"Accept": "*/*", "Accept-Encoding": "identity"}) as response:
        await _check(connection, address, response)
        file_name = (
            safe_name(name) if name else response_file_name(response.headers.get("content-disposition"), url)
        )
        path, descriptor = await in_thread(lambda: create_new(folder, file_name), _discard)
        try:
            size = await _copy(response, descriptor, progress, max_bytes)
        except BaseException:  # also if it is cancelled: half a file is worth nothing
            with contextlib.suppress(OSError):
                path.unlink()
            raise
    return Downloaded(path, size, response.headers.get("content-type", ""))


async def fetch_bytes(
    connection: Connection, *, url: str, max_bytes: int, progress: DownloadProgress | None = None
) -> bytes:
    """Returns the bytes of a small file of the organization, such as a picture. Raises ResponseTooLarge beyond
    `max_bytes`.
    """
    address = own_url(connection, url)
    async with _opened(connection, address, {"Accept": "*/*"}) as response:
        await _check(connection, address, response)
        total, parts, received = _total(response), [], 0
        async for part in decoded(response, max_bytes):
            parts.append(part)
            received += len(part)
            if progress is not None:
                progress(received, total)
        return b"".join(parts)


def _total(response: httpx2.Response) -> int | None:
    """The bytes that are to arrive, if the server says so: of an encoded response it says another number."""
    text = response.headers.get("content-length", "")
    is_number = text.isascii() and text.isdigit() and len(text) < 19
    return int(text) if is_number and not encodings(response.headers) else None


@contextlib.asynccontextmanager
async def _opened(
    connection: Connection, address: httpx2.URL, headers: dict[str, str]
) -> AsyncIterator[httpx2.Response]:
    """The response to a GET, its body unread. Raises FileElsewhere if the file is not on the server's own origin."""
    location = ""
    try:
        async with connection.stream("GET", str(address), headers=headers, timeout=_STEP_SECONDS) as response:
            yield response
    except RedirectRefused as refused:
        location = refused.location
    except OutcomeUnknown as lost:
        lost.read_only = True
        raise
    if location:
        raise FileElsewhere(location)


def own_url(connection: Connection, url: str) -> httpx2.URL:
    """Returns the full address of a `url` from the server; a relative one is joined with the organization's
    (UPL-17). Raises RedirectRefused if it is not on the server's own origin.
    """
    try:
        target = httpx2.URL(f"{connection.site}/").join(url)
    except (httpx2.InvalidURL, ValueError):
        raise InvalidInput("this is not an address") from None
    if not connection.is_own(target):
        raise RedirectRefused(str(target.copy_with(query=None, fragment=None, username=None, password=None)))
    return target.copy_with(fragment=None, username=None, password=None)


def create_new(folder: Path, name: str) -> tuple[Path, int]:
    """Creates a file with mode 0600 and opens it for writing, never an existing file or through a link.
    Returns (path, descriptor).
    """
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, dot + ending) if dot and stem else (name, "")
    problem = ""
    for number in range(_SAME_NAME_TRIES):
        path = folder / (f"{stem} ({number}){ending}" if number else name)
        try:
            return path, os.open(path, _FLAGS, 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            problem = f"{folder} cannot be written: {error.strerror}"
            break
    raise InvalidInput(problem or f"{folder} has too many files called {name}")


def _discard(created: tuple[Path, int]) -> None:
    path, descriptor = created
    os.close(descriptor)
    with contextlib.suppress(OSError):
        path.unlink()


async def _check(connection: Connection, asked: httpx2.URL, response: httpx2.Response) -> None:
    if response.status_code != 200:
        try:
            await connection.finish(response, max_bytes=2**16)
        except (PermissionDenied, NotFound) as error:
            raise type(error)(error.code, error.msg or _NOT_READABLE, error.status) from None
    prefix = httpx2.URL(connection.site).path.rstrip("/")
    first = asked.path.removeprefix(prefix).strip("/").split("/", 1)[0]
    moved = connection.is_own(response.url) and not response.url.path.startswith(f"{prefix}/{first}")
    if response.status_code != 200 or moved:
        # A login page was sent instead of the file.
        raise PermissionDenied("", _NOT_READABLE, response.status_code)


async def _copy(
    response: httpx2.Response, descriptor: int, progress: DownloadProgress | None, max_bytes: int | None
) -> int:
    total = _total(response)
    if max_bytes is not None and total is not None and total > max_bytes:
        os.close(descriptor)
        raise ResponseTooLarge(max_bytes)
    size, problem = 0, ""
    with os.fdopen(descriptor, "wb", buffering=0) as out:
        async for chunk in decoded(response, max_bytes):
            size += len(chunk)
            try:
                await asyncio.to_thread(_write, out, chunk)
            except OSError as error:
                problem = f"the file cannot be written: {error.strerror}"
                break
            if progress is not None:
                progress(size, total)
    if problem:
        raise InvalidInput(problem)
    if total is not None and size != total:
        raise OutcomeUnknown(f"{size} of {total} bytes arrived")
    return size


def _write(out: FileIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:  # a disk that becomes full takes a part first
        rest = rest[out.write(rest) :]
