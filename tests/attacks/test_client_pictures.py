"""Images that keep a decoder busy, fill memory or crash it: the app continues, and their process ends."""

from __future__ import annotations

import asyncio
import io
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from PIL import Image as Pillow

from narrowcast.terminal import picture_process
from narrowcast.terminal.images import MAX_BYTES, TooLarge
from narrowcast.terminal.picture_process import CPU_SECONDS, decoded
from support.processes import children
from support.sessions import until
from support.timing import RunningTime
from support.uploads import header, png

CELLS = (80, 24)


def made(kind: str = "PNG", size: tuple[int, int] = (300, 200)) -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", size, (200, 30, 30)).save(out, kind)
    return out.getvalue()


def scans(times: int, size: tuple[int, int] = (6000, 6000)) -> bytes:
    """A progressive JPEG whose last scan is repeated that often; each scan costs a pass over all pixels."""
    out = io.BytesIO()
    Pillow.new("RGB", size, (10, 20, 30)).save(out, "JPEG", progressive=True)
    data = out.getvalue()
    last = [match.start() for match in re.finditer(rb"\xff\xda", data)][-1]
    return data[:-2] + data[last:-2] * times + b"\xff\xd9"


def decoders() -> set[int]:
    return children("narrowcast.terminal.picture_worker")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
async def test_an_ordinary_image_is_decoded_as_without_the_process(kind: str) -> None:
    picture = await decoded(made(kind), (10, 5))
    assert picture.size == (80, 53)
    red, green, blue, alpha = picture.getpixel((40, 25))  # type: ignore[misc]  # four bands, as asked for
    assert (abs(red - 200) < 6, abs(green - 30) < 6, abs(blue - 30) < 6, alpha) == (True, True, True, 255)


async def test_decoding_a_jpeg_with_thousands_of_scans_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert CPU_SECONDS < picture_process.PATIENCE
    monkeypatch.setattr(picture_process, "CPU_SECONDS", 1)
    task = asyncio.ensure_future(decoded(scans(3000), CELLS))
    begun = time.monotonic()
    longest = 0.0
    with RunningTime() as clock:
        while not task.done():
            last = clock.mark()
            await clock.passes(0.01)
            longest = max(longest, clock.since(last))
    with pytest.raises(TooLarge, match="too long"):
        await task
    assert time.monotonic() - begun < picture_process.PATIENCE + 5
    assert longest < 1.0


async def test_cancelling_the_decoding_of_an_image_ends_its_process() -> None:
    before = decoders()
    task = asyncio.ensure_future(decoded(scans(3000), CELLS))
    await until(lambda: decoders() - before)
    begun = decoders() - before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not begun & decoders()


async def test_cancelling_the_decoding_of_an_image_again_and_again_still_waits_for_its_process() -> None:
    before = decoders()
    task = asyncio.ensure_future(decoded(scans(3000), CELLS))
    await until(lambda: decoders() - before)
    begun = decoders() - before
    for _ in range(5):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not begun & decoders()


@pytest.mark.parametrize("turns", range(12))
async def test_cancelling_the_decoding_of_an_image_at_any_step_waits_for_its_process(turns: int) -> None:
    before = decoders()
    task = asyncio.ensure_future(decoded(scans(300), CELLS))
    for _ in range(turns):
        await asyncio.sleep(0)
    for _ in range(5):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not decoders() - before


async def test_a_process_that_does_not_respond_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = decoders()
    monkeypatch.setattr(picture_process, "PATIENCE", 0.05)
    with pytest.raises(TooLarge, match="too long"):
        await decoded(scans(3000), CELLS)
    assert decoders() <= before


@cache
def unpacking() -> bytes:
    """Compressed data that expands to 500 MB."""
    return zlib.compress(bytes(500 * 2**20), 1)


HOSTILE: dict[str, bytes | Callable[[], bytes]] = {
    "nothing": b"",
    "noise": bytes(range(256)) * 40,
    "only a signature": b"\x89PNG\r\n\x1a\n",
    "too many pixels": png(header(30_000, 30_000)),
    "the most pixels": png(header(2**31 - 1, 2**31 - 1)),
    "no pixels": png(header(0, 0)),
    "a row too few": png(header(2000, 2000), (b"IDAT", zlib.compress(bytes(100))), (b"IEND", b"")),
    "a profile that unpacks to 500 MB": lambda: png(
        header(10, 10), (b"iCCP", b"x\x00\x00" + unpacking()), (b"IEND", b"")
    ),
    "a text that unpacks to 500 MB": lambda: png(
        header(10, 10), (b"zTXt", b"x\x00\x00" + unpacking()), (b"IEND", b"")
    ),
    "cut short": made("PNG", (2000, 2000))[:200],
    "another kind": b"%PDF-1.4 %\xe2\xe3\xcf\xd3" * 20,
    "postscript": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
    "tiff": b"II*\x00\x08\x00\x00\x00" + bytes(100),
    "icon": b"\x00\x00\x01\x00\x01\x00" + bytes(100),
    "fits": b"SIMPLE  =                    T" + bytes(3000),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_file_that_is_not_an_image_is_reported(data: bytes | Callable[[], bytes]) -> None:
    with pytest.raises(TooLarge) as refused:
        await decoded(data if isinstance(data, bytes) else data(), CELLS)
    assert str(refused.value)
    assert "Traceback" not in str(refused.value)


async def test_a_file_that_is_too_large_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio, "create_subprocess_exec", None)
    with pytest.raises(TooLarge, match="larger than"):
        await decoded(bytes(MAX_BYTES + 1), CELLS)


async def test_without_processes_the_image_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(TooLarge, match="process"):
        await decoded(made(), CELLS)


@pytest.mark.parametrize(
    ("attack", "ends"),
    [
        ("bytearray(2 * 2**30)", "MemoryError"),
        ("[0 for _ in iter(int, 1)]", "ends"),
        ("import os; os.write(os.open('FILE', os.O_CREAT | os.O_WRONLY), b'x' * 100)", "OSError"),
    ],
)
def test_the_resources_of_the_process_are_limited(tmp_path: Path, attack: str, ends: str) -> None:
    code = (
        "from narrowcast.terminal.picture_worker import limit_resources; limit_resources(1);"
        + attack.replace("FILE", str(tmp_path / "x"))
    )
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=False)
    assert outcome.returncode != 0
    if ends != "ends":
        assert ends in outcome.stderr.decode()
