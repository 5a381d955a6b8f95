"""The queue of files: progress, cancel, resume."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from narrowcast_api.destinations import ChannelDestination
from narrowcast_api.errors import InvalidInput, NarrowcastError, OutcomeUnknown
from narrowcast_api.protocols.uploads import Upload, UploadQueue, UploadState
from narrowcast_api.state.changes import Change, UploadsChanged
from support.clock import VirtualClock

LUNCH = ChannelDestination(7, "lunch")
DONE, FAILED, CANCELLED = UploadState.DONE, UploadState.FAILED, UploadState.CANCELLED
SENDING, WAITING = UploadState.SENDING, UploadState.WAITING


class Bench:
    """A queue whose files are sent in pieces that the test lets through."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.changes: list[Change] = []
        self.started: list[tuple[str, str | None]] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.error: Exception | None = None
        self.queue = UploadQueue(upload=self.upload, changed=self.changes.append)

    def file(self, name: str, size: int = 100) -> Path:
        path = self.folder / name
        path.write_bytes(b"x" * size)
        return path

    async def upload(
        self,
        path: Path,
        *,
        progress: Callable[[int, int], None],
        resume_from: str | None,
        resumable: Callable[[str], None],
    ) -> str:
        self.started.append((path.name, resume_from))
        size = path.stat().st_size
        resumable(f"/tus/{path.name}")
        progress(size // 2, size)
        await self.gates.setdefault(path.name, asyncio.Event()).wait()
        if self.error is not None:
            raise self.error
        progress(size, size)
        return f"[{path.name}](/user_uploads/{path.name})"

    async def let(self, name: str) -> None:
        self.gates.setdefault(name, asyncio.Event()).set()
        await settle()


async def settle() -> None:
    await VirtualClock().settle()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    await made.queue.close()


async def test_a_file_ends_as_a_link_for_the_conversation_it_was_chosen_in(bench: Bench) -> None:
    upload = bench.queue.start(bench.file("soup.png"), LUNCH)
    await settle()
    assert (upload.state, upload.sent, upload.size, upload.fraction) == (SENDING, 50, 100, 0.5)
    await bench.let("soup.png")
    assert (upload.state, upload.link) == (DONE, "[soup.png](/user_uploads/soup.png)")
    assert (upload.fraction, upload.destination) == (1.0, LUNCH)
    assert bench.changes.count(UploadsChanged((upload.id,))) >= 4


async def test_two_files_are_sent_at_once_and_the_others_wait(bench: Bench) -> None:
    uploads = [bench.queue.start(bench.file(f"{number}.txt")) for number in range(4)]
    await settle()
    assert [upload.state for upload in uploads] == [SENDING, SENDING, WAITING, WAITING]
    await bench.let("1.txt")
    assert [upload.state for upload in uploads] == [SENDING, DONE, SENDING, WAITING]


async def test_cancelling_stops_the_request_and_resuming_goes_on_where_it_was(bench: Bench) -> None:
    upload = bench.queue.start(bench.file("soup.png"))
    await settle()
    upload.cancel()
    await bench.let("soup.png")
    assert (upload.state, upload.link) == (CANCELLED, None)
    upload.resume()
    await settle()
    assert bench.started == [("soup.png", None), ("soup.png", "/tus/soup.png")]
    assert upload.state is DONE


async def test_cancelling_makes_room_for_the_next(bench: Bench) -> None:
    uploads = [bench.queue.start(bench.file(f"{number}.txt")) for number in range(3)]
    await settle()
    uploads[0].cancel()
    uploads[2].cancel()
    await settle()
    assert [upload.state for upload in uploads] == [CANCELLED, SENDING, CANCELLED]
    uploads[2].resume()
    assert uploads[2].state is SENDING


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OutcomeUnknown("cut"), "connection broke"),
        (InvalidInput("soup.png is too large"), "too large"),
        (PermissionError(13, "Permission denied"), "cannot be read"),
        (RuntimeError("a bug"), "Something went wrong"),
    ],
)
async def test_a_failure_says_why_and_can_be_resumed(bench: Bench, error: Exception, says: str) -> None:
    bench.error = error
    upload = bench.queue.start(bench.file("soup.png"))
    await bench.let("soup.png")
    assert upload.state is FAILED
    assert says in (upload.error or "")
    assert (
        isinstance(error, NarrowcastError)
        or "soup.png" in (upload.error or "")
        or "log" in (upload.error or "")
    )
    bench.error = None
    upload.resume()
    await settle()
    assert (upload.state, upload.error) == (DONE, None)


async def test_a_file_that_is_not_there_fails_without_a_request(bench: Bench) -> None:
    upload = bench.queue.start(bench.folder / "missing.png")
    await settle()
    assert (upload.state, bench.started) == (FAILED, [])
    assert "missing.png cannot be read" in (upload.error or "")


async def test_what_is_done_stays_done_and_can_be_dismissed(bench: Bench) -> None:
    upload = bench.queue.start(bench.file("soup.png"))
    await bench.let("soup.png")
    upload.cancel()
    upload.resume()
    assert upload.state is DONE
    assert bench.queue.get(upload.id) is upload
    bench.queue.dismiss(upload)
    assert bench.queue.all() == []


async def test_closing_stops_everything(bench: Bench) -> None:
    uploads: list[Upload] = [bench.queue.start(bench.file(f"{number}.txt")) for number in range(3)]
    await settle()
    await bench.queue.close()
    assert all(upload.state is not DONE for upload in uploads)
    assert len(bench.started) == 2
