"""Reads local files for uploads."""

from __future__ import annotations

import asyncio
import mimetypes
import os
import stat
import unicodedata
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path

from narrowcast_api.characters import encodable
from narrowcast_api.errors import InvalidInput
from narrowcast_api.threads import in_thread

CHUNK_BYTES = 256 * 1024

Progress = Callable[[int, int], None]
"""Called with the bytes sent so far and the total."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to upload; `size` in bytes when it was inspected."""

    path: Path
    size: int
    name: str
    content_type: str


async def inspect_file(path: Path) -> LocalFile:
    """Returns the file to upload. Raises InvalidInput if it is not a regular file or cannot be read."""
    problem = ""
    try:
        status = await asyncio.to_thread(path.stat)
        if not stat.S_ISREG(status.st_mode):
            problem = "is not a file"
        elif not await asyncio.to_thread(os.access, path, os.R_OK):
            problem = "may not be read"
    except (OSError, ValueError) as error:
        problem = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if problem:
        raise InvalidInput(f"{path.name} {problem}")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    # Servers accept a name with line breaks, but cannot serve the file afterwards.
    name = "".join(" " if unicodedata.category(c) == "Cc" else c for c in encodable(path.name))
    return LocalFile(path, status.st_size, name, kind)


async def read_part(
    file: LocalFile, start: int, end: int, progress: Progress | None = None
) -> AsyncGenerator[bytes, None]:
    """Yields the bytes from `start` to `end`, read in a thread. Raises InvalidInput if the file became shorter."""
    handle = await in_thread(lambda: file.path.open("rb"), lambda opened: opened.close())
    try:
        await asyncio.to_thread(handle.seek, start)
        position = start
        while position < end:
            chunk = await asyncio.to_thread(handle.read, min(CHUNK_BYTES, end - position))
            if not chunk:
                raise InvalidInput(f"{file.name} became shorter while it was sent")
            yield chunk
            position += len(chunk)
            if progress is not None:
                progress(position, file.size)
    finally:
        # In a thread as well, which waits for a read under way there; a second cancellation does not take it back.
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, handle.close))
