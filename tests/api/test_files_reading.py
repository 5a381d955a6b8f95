"""Local files are read in threads, and closed whatever happens to their reader."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import BinaryIO

import pytest

from narrowcast_api.files.reading import inspect_file, read_part


async def test_a_file_whose_reader_is_cancelled_while_it_is_opened_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, cancelled = threading.Event(), threading.Event()
    opened: list[BinaryIO] = []
    path = tmp_path / "plan.bin"
    path.write_bytes(b"x" * 1000)
    file = await inspect_file(path)
    open_file = Path.open

    def slow(path: Path, mode: str) -> BinaryIO:
        assert mode == "rb"
        opening.set()
        cancelled.wait()
        opened.append(open_file(path, "rb"))
        return opened[0]

    monkeypatch.setattr(Path, "open", slow)

    async def read() -> None:
        async with aclosing(read_part(file, 0, 1000)) as content:
            async for _ in content:
                pass

    task = asyncio.create_task(read())
    await asyncio.to_thread(opening.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    cancelled.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert [file.closed for file in opened] == [True]


async def test_a_file_whose_reader_is_cancelled_twice_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, free = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(max_workers=1))
    opened: list[BinaryIO] = []
    path = tmp_path / "plan.bin"
    path.write_bytes(b"x" * 1000)
    file = await inspect_file(path)
    open_file = Path.open

    def noted(path: Path, mode: str) -> BinaryIO:
        assert mode == "rb"
        opened.append(open_file(path, "rb"))
        return opened[0]

    monkeypatch.setattr(Path, "open", noted)
    reading = asyncio.Event()

    async def read() -> None:
        async with aclosing(read_part(file, 0, 1000)) as content:
            async for _ in content:
                reading.set()
                await asyncio.Event().wait()

    task = asyncio.create_task(read())
    await reading.wait()
    loop.run_in_executor(None, free.wait)
    task.cancel()
    await asyncio.sleep(0)  # the file waits to be closed now, for the only thread
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    free.set()
    await loop.shutdown_default_executor()
    assert [file.closed for file in opened] == [True]
