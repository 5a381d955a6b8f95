"""The outbox under any order of responses, events, failures, crashes and lost queues.

Conservation: what was written is on the server once, or listed with its words, or was cancelled by the user.
Order: the messages of a conversation are on the server in the order of writing, except those that had failed.
Progress: a failed message does not block later ones.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from narrowcast_api.errors import ServerFault
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.protocols.outbox import OutboxState
from support.outbox_server import FAILURES, OutboxBench
from support.properties import exploring

PLACES: list[Destination] = [
    ChannelDestination(7, "lunch"),
    ChannelDestination(7, "tea"),
    DirectDestination(frozenset({12})),
]
Written = tuple[tuple[object, ...], str]


class OutboxMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.bench = OutboxBench(self.folder)
        self.bench.server.hold = True
        self.bench.shows = True
        self.failed: set[Written] = set()
        self.written: list[Written] = []
        self.taken_back: Counter[Written] = Counter()
        self.numbers = 0

    def run(self, work: Coroutine[object, object, object]) -> None:
        self.loop.run_until_complete(work)

    async def _open(self) -> None:
        self.bench.open()
        await self.bench.settle()

    @initialize()
    def start(self) -> None:
        self.run(self._open())

    @rule(place=st.sampled_from(PLACES), repeated=st.booleans())
    def write(self, place: Destination, repeated: bool) -> None:
        self.numbers += 1
        text = "ok" if repeated else f"message {self.numbers}"
        self.written.append((place.key, text))

        async def send() -> None:
            self.bench.outbox.send(place, text)
            await self.bench.settle()

        self.run(send())

    @precondition(lambda self: self.bench.server.requests)
    @rule(data=st.data(), how=st.sampled_from(["ok", "ok", *FAILURES]))
    def finish_request(self, data: st.DataObject, how: str) -> None:
        request = data.draw(st.sampled_from(self.bench.server.requests))

        async def finish() -> None:
            self.bench.server.finish(request, how)
            await self.bench.settle()

        self.run(finish())

    @precondition(lambda self: self.bench.server.requests)
    @rule(data=st.data())
    def store_and_tell_before_the_response(self, data: st.DataObject) -> None:
        request = data.draw(st.sampled_from(self.bench.server.requests))

        async def finish() -> None:
            self.bench.server.requests.remove(request)
            self.bench.server.store(request)
            while await self.bench.event():
                pass
            if not request.response.done():
                request.response.set_exception(ServerFault(502))
            await self.bench.settle()

        self.run(finish())

    @rule(seconds=st.sampled_from([0.2, 1.5, 4.0, 40.0]))
    def time_passes(self, seconds: float) -> None:
        self.run(self.bench.clock.advance(seconds))

    @rule()
    def an_event_comes(self) -> None:
        self.run(self.bench.event())

    @rule()
    def the_queue_is_lost(self) -> None:
        self.run(self.bench.lose_queue())

    @rule(online=st.booleans())
    def the_connection_changes(self, online: bool) -> None:
        self.bench.server.online = online

        async def wake() -> None:
            self.bench.outbox.wake()
            await self.bench.settle()

        self.run(wake())

    @rule(faults=st.integers(1, 2))
    def looking_will_fail(self, faults: int) -> None:
        self.bench.server.find_failures.extend([ServerFault(503)] * faults)

    @rule(data=st.data())
    def the_process_is_killed(self, data: st.DataObject) -> None:
        requests = list(self.bench.server.requests)
        arrive = [data.draw(st.booleans(), label="arrives") for _ in requests]

        async def crash() -> None:
            await self.bench.crash()
            for request, stored in zip(requests, arrive, strict=True):
                self.bench.server.requests.remove(request)
                if stored:
                    self.bench.server.store(request)
            self.bench.server.events.clear()
            self.bench.server.queue_id += "'"
            self.bench.newest_id = self.bench.server.next_id
            await self._open()

        self.run(crash())

    @precondition(lambda self: any(e.state is OutboxState.FAILED for e in self.bench.outbox.entries()))
    @rule(data=st.data(), cancel=st.booleans())
    def the_user_decides_on_a_failure(self, data: st.DataObject, cancel: bool) -> None:
        failed = [e for e in self.bench.outbox.entries() if e.state is OutboxState.FAILED]
        entry = data.draw(st.sampled_from(failed))

        async def decide() -> None:
            if cancel:
                self._take_back(entry.local_id)
            else:
                self.bench.outbox.retry(entry.local_id)
            await self.bench.settle()

        self.run(decide())

    @precondition(lambda self: any(e.state is not OutboxState.SENT for e in self.bench.outbox.entries()))
    @rule(data=st.data())
    def the_user_takes_one_back_that_waits_or_is_under_way(self, data: st.DataObject) -> None:
        movable = (OutboxState.WAITING, OutboxState.SENDING)
        entries = [e for e in self.bench.outbox.entries() if e.state in movable]
        if entries:
            self._take_back(data.draw(st.sampled_from(entries)).local_id)

    def _take_back(self, local_id: str) -> None:
        entry = self.bench.outbox.cancel(local_id)
        if entry is not None:
            self.taken_back[(entry.destination.key, entry.content)] += 1

    def stored(self) -> Counter[Written]:
        return Counter((m.destination.key, m.content) for m in self.bench.server.stored)

    @invariant()
    def nothing_is_doubled(self) -> None:
        over = self.stored() + self.taken_back - Counter(self.written)
        assert not over, f"more often on the server than written: {over}"

    @invariant()
    def the_journal_has_what_is_not_on_the_server(self) -> None:
        if not hasattr(self.bench, "journal"):
            return
        kept = Counter((r.destination.key, r.content) for r in self.bench.journal.load_outbox())
        lost = Counter(self.written) - self.stored() - self.taken_back - kept
        assert not lost, f"nowhere: {lost}"

    def note_failures(self) -> None:
        if hasattr(self.bench, "outbox"):
            failed = [e for e in self.bench.outbox.entries() if e.state is OutboxState.FAILED]
            self.failed.update((e.destination.key, e.content) for e in failed)

    @invariant()
    def conversations_are_in_order(self) -> None:
        self.note_failures()
        for place in PLACES:
            free = {text for key, text in self.failed if key == place.key}
            written = iter([text for key, text in self.written if key == place.key and text not in free])
            stored = [
                m.content
                for m in self.bench.server.stored
                if m.destination.key == place.key and m.content not in free
            ]
            assert all(any(text == other for other in written) for text in stored), f"out of order: {stored}"

    def teardown(self) -> None:
        try:
            self.run(self._calm())
            left = Counter((e.destination.key, e.content) for e in self.bench.outbox.entries())
            assert Counter(self.written) == self.stored() + self.taken_back + left
            states = {e.state for e in self.bench.outbox.entries()}
            assert states <= {OutboxState.FAILED}
        finally:
            self.run(self.bench.crash())
            self.run(self.bench.settle())
            self.loop.close()
            shutil.rmtree(self.folder)

    async def _calm(self) -> None:
        """The network works again, and all that is pending completes."""
        server = self.bench.server
        server.hold, server.online = False, True
        server.find_failures.clear()
        for request in list(server.requests):
            server.finish(request, "ok")
        self.bench.outbox.wake()
        await self.bench.clock.advance(300)
        while await self.bench.event():
            pass
        await self.bench.clock.advance(300)
        while await self.bench.event():
            pass
        self.bench.newest_id = server.next_id
        self.bench.outbox.on_snapshot(self.bench.newest_id)
        await self.bench.clock.advance(10)


TestOutbox = OutboxMachine.TestCase
TestOutbox.settings = exploring(steps=40)
