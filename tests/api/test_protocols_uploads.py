"""The upload queue: progress, cancel, resume, restarts."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from narrowcast_api.client import Client
from narrowcast_api.errors import InvalidInput, NarrowcastError, OutcomeUnknown
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.uploads import Upload, UploadQueue, UploadState
from narrowcast_api.state.changes import Change, UploadsChanged
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import FileStamp
from support.clock import VirtualClock
from support.contexts import PartContext
from support.journals import killed

LUNCH = ChannelDestination(7, "lunch")
DONE, FAILED, CANCELLED = UploadState.DONE, UploadState.FAILED, UploadState.CANCELLED
SENDING, WAITING = UploadState.SENDING, UploadState.WAITING


class Bench:
    """A queue whose files are sent in parts that the test releases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[tuple[str, str | None]] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.error: Exception | None = None
        self.context: PartContext
        self._online = True
        self.names = itertools.count(1)
        self.journal: Journal
        self.queue: UploadQueue
        self.open()

    def open(self, *, read_only: str | None = None) -> None:
        """Starts, or restarts with the uploads in the journal."""
        self.journal = Journal.open(self.folder / "journal.db", read_only=read_only, executor=inline)
        self.context = PartContext(self.journal, VirtualClock(), State(11), self.names)
        self.context.online = self._online
        self.queue = UploadQueue(self.context, send=self.upload, stamp=self.stamp)

    @property
    def online(self) -> bool:
        return self.context.online

    @online.setter
    def online(self, online: bool) -> None:
        self._online = self.context.online = online

    @property
    def changes(self) -> list[Change]:
        return self.context.published

    async def stamp(self, path: Path) -> FileStamp:
        """Runs the function at once, where the real one uses a thread."""
        found = path.stat()
        return FileStamp(found.st_size, found.st_mtime_ns)

    async def crash(self) -> None:
        """Ends as when killed: memory is lost, the journal stays as it was."""
        killed(self.journal)
        await self.queue.close()

    async def again(self) -> list[Upload]:
        """Kills and restarts."""
        await self.crash()
        self.open()
        return self.queue.all()

    def file(self, name: str, size: int = 100) -> Path:
        path = self.folder / name
        path.write_bytes(b"x" * size)
        return path

    async def upload(
        self,
        client: Client,
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
    made.journal.close()


async def test_a_file_ends_as_a_link_for_the_conversation_it_was_chosen_in(bench: Bench) -> None:
    upload = bench.queue.start(bench.file("soup.png"), LUNCH)
    await settle()
    assert (upload.state, upload.sent, upload.size, upload.fraction) == (SENDING, 50, 100, 0.5)
    await bench.let("soup.png")
    assert (upload.state, upload.link) == (DONE, "[soup.png](/user_uploads/soup.png)")
    assert (upload.fraction, upload.destination) == (1.0, LUNCH)
    assert bench.changes.count(UploadsChanged((upload.id,))) >= 4


async def test_a_file_for_a_topic_that_was_moved_is_for_its_new_place_even_after_a_restart(
    bench: Bench,
) -> None:
    supper = ChannelDestination(7, "supper")
    bench.queue.readdress(bench.queue.start(bench.file("soup.png"), LUNCH), supper)
    assert [upload.destination for upload in await bench.again()] == [supper]


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
        (OutcomeUnknown("cut"), "Connection lost"),
        (InvalidInput("soup.png is too large"), "too large"),
        (PermissionError(13, "Permission denied"), "cannot be read"),
        (RuntimeError("a bug"), "Unexpected error"),
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


async def test_a_finished_upload_stays_listed_until_it_is_dismissed(bench: Bench) -> None:
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


# the network, and restarts


async def test_a_file_waits_for_the_connection(bench: Bench) -> None:
    bench.online = False
    upload = bench.queue.start(bench.file("soup.png"))
    await settle()
    assert (upload.state, bench.started) == (WAITING, [])
    bench.online = True
    bench.queue.wake()
    await bench.let("soup.png")
    assert upload.state is DONE


async def test_an_upload_interrupted_by_the_network_resumes_by_itself_and_a_stopped_one_does_not(
    bench: Bench,
) -> None:
    bench.error = OutcomeUnknown("cut")
    cut, stopped = (bench.queue.start(bench.file(name)) for name in ("cut.png", "stopped.png"))
    await settle()
    stopped.cancel()
    await bench.let("cut.png")
    assert (cut.state, stopped.state) == (FAILED, CANCELLED)
    bench.error = None
    bench.queue.wake()
    await bench.let("stopped.png")
    assert (cut.state, stopped.state) == (DONE, CANCELLED)


async def test_what_the_server_refused_is_not_tried_again_by_itself(bench: Bench) -> None:
    bench.error = InvalidInput("soup.png is too large")
    upload = bench.queue.start(bench.file("soup.png"))
    await bench.let("soup.png")
    bench.queue.wake()
    await settle()
    assert (upload.state, len(bench.started)) == (FAILED, 1)


async def test_after_a_crash_an_upload_goes_on_where_the_server_has_it(bench: Bench) -> None:
    bench.queue.start(bench.file("soup.png"), LUNCH, "draft-1")
    await settle()
    (upload,) = await bench.again()
    assert (upload.state, upload.name, upload.size) == (WAITING, "soup.png", 100)
    assert (upload.destination, upload.draft_id) == (LUNCH, "draft-1")
    bench.queue.wake()
    await bench.let("soup.png")
    assert bench.started == [("soup.png", None), ("soup.png", "/tus/soup.png")]
    assert upload.link == "[soup.png](/user_uploads/soup.png)"


async def test_a_clean_end_leaves_it_to_the_next_start_as_well(bench: Bench) -> None:
    bench.queue.start(bench.file("soup.png"), LUNCH)
    await settle()
    await bench.queue.close()
    (upload,) = await bench.again()
    assert (upload.state, upload.resume_from) == (WAITING, "/tus/soup.png")


async def test_an_interrupted_upload_resumes_after_a_restart_and_a_stopped_one_is_offered(
    bench: Bench,
) -> None:
    bench.error = OutcomeUnknown("cut")
    bench.queue.start(bench.file("cut.png"))
    stopped = bench.queue.start(bench.file("stopped.png"))
    await settle()
    stopped.cancel()
    await bench.let("cut.png")
    bench.error = None
    cut, stopped = await bench.again()
    assert (cut.state, stopped.state) == (WAITING, CANCELLED)
    bench.queue.wake()
    await settle()
    assert (cut.state, stopped.state) == (DONE, CANCELLED)
    stopped.resume()
    await bench.let("stopped.png")
    assert stopped.state is DONE
    assert bench.started[-1] == ("stopped.png", "/tus/stopped.png")


async def test_a_link_that_nobody_used_yet_is_there_after_a_restart_until_it_is_dismissed(
    bench: Bench,
) -> None:
    bench.queue.start(bench.file("soup.png"), LUNCH)
    await bench.let("soup.png")
    (upload,) = await bench.again()
    assert (upload.state, upload.link) == (DONE, "[soup.png](/user_uploads/soup.png)")
    bench.queue.dismiss(upload)
    assert await bench.again() == []


async def test_a_file_that_changed_is_not_mixed_with_what_the_server_has_of_the_old_one(bench: Bench) -> None:
    bench.queue.start(bench.file("soup.png"))
    await settle()
    await bench.crash()
    bench.file("soup.png", 120)
    bench.open()
    (upload,) = bench.queue.all()
    bench.queue.wake()
    await settle()
    assert upload.state is FAILED
    assert "has changed since it was attached" in (upload.error or "")
    upload.resume()
    await bench.let("soup.png")
    assert (upload.state, upload.size) == (DONE, 120)
    assert bench.started == [("soup.png", None), ("soup.png", None)], "from its beginning"


async def test_a_file_of_the_same_size_with_another_time_has_changed_too(bench: Bench) -> None:
    path = bench.file("soup.png")
    bench.queue.start(path)
    await settle()
    await bench.crash()
    os.utime(path, ns=(1, 1))
    bench.open()
    bench.queue.wake()
    await settle()
    assert "has changed" in (bench.queue.all()[0].error or "")


async def test_a_file_that_vanished_says_where_it_was_and_goes_on_once_it_is_back(bench: Bench) -> None:
    path = bench.file("soup.png")
    bench.queue.start(path)
    await settle()
    await bench.crash()
    path.rename(bench.folder / "elsewhere.png")
    bench.open()
    (upload,) = bench.queue.all()
    bench.queue.wake()
    await settle()
    assert upload.state is FAILED
    assert f"soup.png is not in {bench.folder} any more" in (upload.error or "")
    (bench.folder / "elsewhere.png").rename(path)
    upload.resume()
    await bench.let("soup.png")
    assert bench.started[-1] == ("soup.png", "/tus/soup.png")
    assert upload.state is DONE


async def test_a_file_name_that_is_not_valid_text_is_preserved(bench: Bench) -> None:
    path = bench.folder / os.fsdecode(b"soup\xff.png")
    path.write_bytes(b"x")
    bench.queue.start(path)
    (upload,) = await bench.again()
    assert upload.path == path


async def test_a_second_window_leaves_the_uploads_to_the_first(bench: Bench) -> None:
    bench.queue.start(bench.file("soup.png"))
    await settle()
    await bench.crash()
    bench.open(read_only="open elsewhere")
    assert bench.queue.all() == []
    bench.queue.wake()
    await settle()
    assert len(bench.started) == 1
