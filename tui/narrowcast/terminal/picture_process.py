"""Decoding untrusted images in a process with limited resources (see `picture_worker`)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import TYPE_CHECKING

from narrowcast.terminal.images import CELL, TOO_MUCH, TooLarge, check_size
from narrowcast.terminal.programs import kill, start

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["CPU_SECONDS", "PATIENCE", "decoded"]

PATIENCE = 15.0
"""Maximum seconds for an image, including the start of the process."""
CPU_SECONDS = 5
"""Maximum processor time; the largest ordinary image takes one second."""
_MAX_ERROR = 1000
_WORKER = "narrowcast.terminal.picture_worker"


async def decoded(data: bytes, cells: tuple[int, int], cell: tuple[int, int] = CELL) -> Image:
    """The first frame of an image, reduced to what `cells` columns and rows of `cell` pixels can show.

    Raises `TooLarge` if the image is too large, takes too long or too much memory, or is not valid. Kills the
    process when cancelled.
    """
    check_size(data)
    try:
        process = await start(
            sys.executable,
            "-m",
            _WORKER,
            *(str(number) for number in (*cells, *cell, CPU_SECONDS)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=os.sep,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
        )
    except OSError as error:
        raise TooLarge(f"No process to decode pictures can be started: {error.strerror}.") from error
    try:
        async with asyncio.timeout(PATIENCE):
            picture, problem = await _conversation(process, data, cells, cell)
            await process.wait()
    except TimeoutError:
        picture, problem = None, TOO_MUCH
    finally:
        await kill(process)
    if picture is None:
        raise TooLarge(problem or TOO_MUCH)
    return picture


async def _conversation(
    process: asyncio.subprocess.Process, data: bytes, cells: tuple[int, int], cell: tuple[int, int]
) -> tuple[Image | None, str]:
    """The image, or None and the error."""
    from narrowcast.terminal.picture_worker import SIZE

    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(data)
        await process.stdin.drain()
        process.stdin.close()
    try:
        width, height = SIZE.unpack(await process.stdout.readexactly(SIZE.size))
        if not (0 < width <= cells[0] * cell[0] and 0 < height <= cells[1] * cell[1]):
            return None, TOO_MUCH
        pixels = await process.stdout.readexactly(width * height * 4)
    except asyncio.IncompleteReadError:
        return None, (await process.stderr.read(_MAX_ERROR)).decode("utf-8", "replace")
    from PIL import Image as Pillow

    return Pillow.frombytes("RGBA", (width, height), pixels), ""
