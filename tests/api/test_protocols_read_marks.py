"""Seen messages are marked as read: once, in time, and also if the network fails for a while."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from narrowcast_api.errors import BadRequest, NarrowcastError, NotConnected, OutcomeUnknown, RateLimited
from narrowcast_api.protocols.on_screen import MOMENT
from narrowcast_api.protocols.read_marks import ReadMarks
from narrowcast_api.state.channels import Channels
from narrowcast_api.state.mute_rules import MuteRules
from narrowcast_api.state.state import State
from narrowcast_api.state.topics import Topics
from narrowcast_api.state.unreads import Unreads
from narrowcast_api.storage.database import connect
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.journal_rows import MIGRATIONS
from support.clock import VirtualClock
from support.contexts import PartContext
from support.journals import killed


class StillUnread(Unreads):
    """Everything is unread that the test has not marked as read."""

    def __init__(self, bench: Bench | Restartable) -> None:
        super().__init__(MuteRules(Channels(), Topics()))
        self._bench = bench

    def is_unread(self, message_id: int) -> bool:
        return message_id not in self._bench.read


class Bench:
    """The marks, their clock, and the requests that were made."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.clock = VirtualClock()
        self.requests: list[list[int]] = []
        self.times: list[float] = []
        self.errors: list[NarrowcastError] = []
        self.read: set[int] = set()
        self.gate: asyncio.Event | None = None
        self.context = PartContext(journal or Journal.open(None, executor=inline), self.clock, State(11))
        self.context.answer(flags=self)
        self.context.state.unreads = StillUnread(self)
        self.marks = ReadMarks(self.context)

    @property
    def online(self) -> bool:
        return self.context.online

    @online.setter
    def online(self, online: bool) -> None:
        self.context.online = online

    async def change(self, *, message_ids: Sequence[int], op: str, flag: str) -> None:
        assert (op, flag) == ("add", "read")
        self.requests.append(list(message_ids))
        self.times.append(self.clock.monotonic())
        if self.gate is not None:
            await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.read.update(message_ids)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    task = asyncio.create_task(made.marks.run())
    yield made
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_was_seen_is_sent_at_once_and_once(bench: Bench) -> None:
    bench.marks.seen([1, 2])
    bench.marks.seen([2, 3])
    await bench.clock.advance(5)
    bench.marks.seen([1, 2, 3])
    await bench.clock.advance(5)
    assert bench.requests == [[1, 2, 3]]
    assert bench.marks.pending == ()


async def test_what_is_on_the_screen_is_sent_after_a_moment_and_what_passed_is_not(bench: Bench) -> None:
    for passing in range(100):
        bench.marks.on_screen("pane", [passing])
        await bench.clock.advance(0.01)
    assert bench.requests == []
    bench.marks.on_screen("pane", [200, 201])
    await bench.clock.advance(MOMENT)
    assert bench.requests == [[200, 201]]


async def test_what_was_on_the_screen_during_a_request_is_sent_after_it(bench: Bench) -> None:
    bench.gate = asyncio.Event()
    bench.marks.on_screen("pane", [1])
    await bench.clock.advance(MOMENT)
    bench.marks.on_screen("pane", [2])
    await bench.clock.advance(2)
    bench.marks.on_screen("pane", [3])
    bench.gate.set()
    await bench.clock.advance(1)
    assert bench.requests == [[1], [2], [3]]


async def test_what_was_on_the_screen_at_the_end_is_sent(bench: Bench) -> None:
    bench.marks.on_screen("pane", [1])
    bench.clock.lapse(MOMENT)
    await bench.marks.close()
    assert bench.requests == [[1]]


async def test_requests_are_half_a_second_apart(bench: Bench) -> None:
    for number in range(20):
        bench.marks.seen([number])
        await bench.clock.advance(0.1)
    await bench.clock.advance(1)
    assert list(itertools.chain(*bench.requests)) == list(range(20))
    pauses = [later - sooner for sooner, later in itertools.pairwise(bench.times)]
    assert min(pauses) >= 0.499
    assert len(bench.requests) == 5


async def test_a_thousand_ids_go_in_a_request_and_no_more(bench: Bench) -> None:
    bench.marks.seen(range(2500))
    await bench.clock.advance(2)
    assert [len(request) for request in bench.requests] == [1000, 1000, 500]


async def test_what_is_read_already_is_not_sent(bench: Bench) -> None:
    bench.read = {1, 2}
    bench.marks.seen([1, 2])
    await bench.clock.advance(1)
    assert bench.requests == []
    bench.marks.seen([5])
    await bench.clock.advance(0.1)
    bench.marks.seen([3, 4])  # the next request is some tenths of a second away
    bench.read.add(3)  # on another device
    await bench.clock.advance(1)
    assert bench.requests == [[5], [4]]


@pytest.mark.parametrize("error", [NotConnected("down"), OutcomeUnknown("cut"), RateLimited(3.0)])
async def test_a_failure_keeps_the_marks_for_later(bench: Bench, error: NarrowcastError) -> None:
    bench.errors = [error]
    bench.marks.seen([1, 2])
    await bench.clock.settle()
    bench.marks.seen([3])
    assert list(bench.marks.pending) == [1, 2, 3]
    await bench.clock.advance(4)
    assert bench.requests == [[1, 2], [1, 2, 3]]
    assert not bench.marks.pending


async def test_offline_marks_wait_for_the_connection(bench: Bench) -> None:
    bench.online = False
    bench.marks.seen([1])
    await bench.clock.advance(600)
    assert bench.requests == []
    bench.online = True
    bench.marks.wake()
    await bench.clock.settle()
    assert bench.requests == [[1]]


async def test_a_refusal_is_not_repeated(bench: Bench) -> None:
    bench.errors = [BadRequest("BAD_REQUEST", "Invalid message(s)")]
    bench.marks.seen([1])
    await bench.clock.advance(60)
    assert bench.requests == [[1]]


async def test_where_marking_as_unread_fails_what_is_seen_counts_again(bench: Bench) -> None:
    with pytest.raises(NotConnected):
        async with bench.marks.suspended():
            raise NotConnected("no route")
    bench.marks.seen([1])
    await bench.clock.advance(5)
    assert bench.requests == [[1]]


async def test_what_waited_is_not_marked_after_marking_as_unread(bench: Bench) -> None:
    bench.online = False
    bench.marks.seen([1])
    async with bench.marks.suspended():
        bench.online = True
        bench.marks.wake()
        bench.marks.seen([2])
    await bench.clock.advance(5)
    assert bench.requests == []
    bench.marks.seen([3])
    await bench.clock.settle()
    assert bench.requests == [[3]]


async def test_what_came_on_the_screen_just_before_it_is_marked_as_unread_stays_unread(bench: Bench) -> None:
    bench.marks.on_screen("pane", [1, 2])
    await bench.clock.advance(MOMENT / 2)
    async with bench.marks.suspended():
        pass
    await bench.clock.advance(MOMENT)
    bench.marks.on_screen("pane", [2, 3])
    await bench.clock.advance(5)
    assert bench.requests == [[3]]


async def test_marking_as_unread_waits_for_marks_that_are_under_way(bench: Bench) -> None:
    bench.gate = asyncio.Event()
    bench.marks.seen([1])
    await bench.clock.settle()

    async def mark_unread() -> None:
        async with bench.marks.suspended():
            bench.read.clear()

    unread = asyncio.create_task(mark_unread())
    await bench.clock.settle()
    bench.marks.seen([2])
    bench.gate.set()
    await unread
    await bench.clock.advance(1)
    assert (bench.requests, bench.read) == ([[1]], set())


async def test_a_message_made_unread_later_can_be_marked_again(bench: Bench) -> None:
    bench.marks.seen([1])
    await bench.clock.advance(1)
    bench.read.clear()
    bench.marks.seen([1])
    await bench.clock.advance(1)
    assert bench.requests == [[1], [1]]


async def test_what_is_under_way_is_not_queued_again(bench: Bench) -> None:
    bench.gate = asyncio.Event()
    bench.marks.seen([1])
    await bench.clock.settle()
    bench.marks.seen([1, 2])
    bench.gate.set()
    await bench.clock.advance(1)
    assert bench.requests == [[1], [2]]


async def test_closing_sends_what_is_left(bench: Bench) -> None:
    bench.marks.seen([1])
    await bench.clock.settle()
    bench.marks.seen([2])
    await bench.marks.close()
    assert bench.requests == [[1], [2]]


class Restartable:
    """Marks with a journal, and the requests they made."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "journal.db"
        self.clock = VirtualClock()
        self.context: PartContext | None = None
        self._online = False
        self.errors: list[NarrowcastError] = []
        self.requests: list[list[int]] = []
        self.read: set[int] = set()

    async def change(self, *, message_ids: Sequence[int], op: str, flag: str) -> None:
        self.requests.append(list(message_ids))
        if self.errors:
            raise self.errors.pop(0)

    def open(self, *, read_only: str | None = None) -> tuple[ReadMarks, Journal]:
        journal = Journal.open(self.file, read_only=read_only, executor=inline)
        self.context = PartContext(journal, self.clock, State(11))
        self.context.online = self._online
        self.context.answer(flags=self)
        self.context.state.unreads = StillUnread(self)
        return ReadMarks(self.context), journal

    @property
    def online(self) -> bool:
        return self._online

    @online.setter
    def online(self, online: bool) -> None:
        self._online = online
        if self.context is not None:
            self.context.online = online


async def test_what_was_read_offline_is_marked_after_a_restart(tmp_path: Path) -> None:
    bench = Restartable(tmp_path)
    marks, journal = bench.open()
    marks.seen([3, 1])
    killed(journal)
    bench.online = True
    marks, journal = bench.open()
    assert marks.pending == (1, 3)
    await marks.close()
    assert bench.requests == [[1, 3]]
    assert journal.load_read_marks() == []
    journal.close()


async def test_what_could_not_be_sent_at_the_end_is_kept(tmp_path: Path) -> None:
    bench = Restartable(tmp_path)
    bench.online = True
    bench.errors.append(NotConnected("down"))
    marks, journal = bench.open()
    marks.seen([5])
    assert journal.load_read_marks() == [], "no write to the disk while the network works"
    await marks.close()
    assert journal.load_read_marks() == [5]
    journal.close()


async def test_marks_that_were_taken_back_or_refused_are_not_kept(tmp_path: Path) -> None:
    bench = Restartable(tmp_path)
    marks, journal = bench.open()
    marks.seen([5, 6])
    async with marks.suspended():
        assert journal.load_read_marks() == []
    marks.seen([7])
    bench.online = True
    bench.errors.append(BadRequest("BAD_REQUEST", "no"))
    await marks.close()
    assert journal.load_read_marks() == []
    journal.close()


async def test_marks_of_messages_that_a_restored_server_has_lost_are_not_sent_for_others(
    tmp_path: Path,
) -> None:
    bench = Restartable(tmp_path)
    marks, journal = bench.open()
    marks.seen([5, 6])
    marks.on_older_server(lambda message_id: message_id > 5)
    assert journal.load_read_marks() == [5]
    bench.online = True
    await marks.close()
    assert bench.requests == [[5]]
    journal.close()


async def test_a_second_instance_leaves_the_marks_of_the_first_alone(tmp_path: Path) -> None:
    bench = Restartable(tmp_path)
    marks, journal = bench.open()
    marks.seen([5])
    second, other = bench.open(read_only="open elsewhere")
    assert second.pending == ()
    second.seen([9])
    other.close()
    assert journal.load_read_marks() == [5]
    journal.close()


def test_a_journal_of_the_version_before_gets_room_for_marks(tmp_path: Path) -> None:
    connect(tmp_path / "journal.db", synchronous="FULL", migrations=MIGRATIONS[:1]).close()
    journal = Journal.open(tmp_path / "journal.db", executor=inline)
    journal.put_read_marks([2, 2**70])
    assert (journal.warning, journal.load_read_marks()) == (None, [2])
    journal.close()


async def test_marks_that_another_window_has_sent_are_not_sent_again(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    journals = [Journal.open(file, window=name, executor=inline) for name in ("first", "second")]
    first, second = (Bench(journal) for journal in journals)
    first.online = second.online = False
    first.marks.seen([1, 2])
    second.marks.on_journal(journals[1].refresh().result())
    assert second.marks.pending == (1, 2)
    first.online = True
    await first.marks.close()
    second.marks.on_journal(journals[1].refresh().result())
    assert first.requests == [[1, 2]]
    assert not second.marks.pending
    for journal in journals:
        journal.close()
