"""Two windows of an account with one journal: each message is sent by one of them, once, in the order of writing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.outbox_item import BLOCKS_FOR
from narrowcast_api.protocols.outbox_store import OutboxStore
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import OutboxMessage, OutboxState
from support.clock import VirtualClock
from support.contexts import PartContext
from support.outbox_server import ME, OutboxBench, only

LUNCH = ChannelDestination(7, "lunch")


class Pair:
    """Two windows, one server and one clock."""

    def __init__(self, folder: Path) -> None:
        self.first = OutboxBench(folder, window="a")
        self.second = OutboxBench(folder, self.first.clock, window="b", server=self.first.server)
        self.server = self.first.server

    async def look(self) -> None:
        """Lets each window read what the other has written."""
        for bench in (self.first, self.second):
            if bench.journal.changed_elsewhere():
                bench.outbox.on_journal(bench.journal.refresh().result())
        await self.first.clock.settle()

    def contents(self) -> list[str]:
        """The messages on the server."""
        return [stored.content for stored in self.server.stored]


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    made = Pair(tmp_path)
    async with made.first, made.second:
        yield made


async def test_a_message_of_another_window_is_shown_and_cannot_be_taken_back_before_it_is_claimed(
    pair: Pair,
) -> None:
    pair.server.online = False
    pair.first.outbox.send(LUNCH, "Soup")
    await pair.look()
    (entry,) = pair.second.outbox.entries()
    assert (entry.content, entry.elsewhere) == ("Soup", True)
    assert pair.second.outbox.cancel(entry.local_id) is None
    assert await pair.second.outbox.claim(entry.local_id)
    assert not await pair.second.outbox.claim("nobody's")
    taken = pair.second.outbox.cancel(entry.local_id)
    assert taken is not None
    assert taken.content == "Soup"
    await pair.look()
    assert pair.first.outbox.entries() == []


async def test_a_window_that_does_not_know_yet_that_its_message_was_claimed_does_not_send_it(
    pair: Pair,
) -> None:
    pair.server.online = False
    local_id = pair.first.outbox.send(LUNCH, "Soup")
    await pair.look()
    assert await pair.second.outbox.claim(local_id)
    pair.server.online = True
    for bench in (pair.first, pair.second):
        bench.outbox.wake()
    await pair.first.clock.advance(1)
    await pair.look()
    assert (pair.contents(), pair.server.sends) == (["Soup"], 1)
    assert [entry.elsewhere for entry in pair.first.outbox.entries()] == []


async def test_a_message_that_was_claimed_is_the_other_windows_from_then_on(pair: Pair) -> None:
    pair.server.online = False
    local_id = pair.first.outbox.send(LUNCH, "Soup")
    await pair.look()
    assert await pair.second.outbox.claim(local_id)
    await pair.look()
    assert [only(bench).elsewhere for bench in (pair.first, pair.second)] == [True, False]
    assert pair.first.outbox.cancel(local_id) is None
    pair.server.online = True
    for bench in (pair.first, pair.second):
        bench.outbox.wake()
    await pair.first.clock.advance(5)
    assert pair.contents() == ["Soup"]


async def test_what_is_being_sent_cannot_be_claimed(pair: Pair) -> None:
    pair.server.hold = True
    local_id = pair.first.outbox.send(LUNCH, "Soup")
    await pair.look()
    assert not await pair.second.outbox.claim(local_id)
    (entry,) = pair.second.outbox.entries()
    assert (entry.state, entry.elsewhere) == (OutboxState.SENDING, True)


async def test_windows_keep_the_order_of_writing_in_a_conversation(pair: Pair) -> None:
    pair.server.online = False
    pair.first.outbox.send(LUNCH, "one")
    await pair.look()
    pair.second.outbox.send(LUNCH, "two")
    await pair.look()
    pair.first.outbox.send(LUNCH, "three")
    await pair.look()
    pair.server.online = True
    pair.second.outbox.wake()
    await pair.first.clock.advance(1)
    assert pair.contents() == [], "the other window wrote first"
    pair.first.outbox.wake()
    for _ in range(5):
        await pair.look()
        await pair.first.clock.advance(1)
    assert pair.contents() == ["one", "two", "three"]


async def test_a_window_that_cannot_send_holds_up_another_for_a_while_only(pair: Pair) -> None:
    pair.server.online = False
    pair.first.outbox.send(LUNCH, "one")
    await pair.look()
    pair.second.outbox.send(LUNCH, "two")
    await pair.look()
    pair.server.online = True
    pair.second.outbox.wake()
    await pair.first.clock.advance(BLOCKS_FOR + 6)
    assert "two" in pair.contents()


async def test_a_found_message_may_be_the_one_that_another_window_is_sending(pair: Pair) -> None:
    """Both send the same words at once: the first request is lost; the second arrives, but its response is
    lost.
    """
    pair.server.hold = True
    pair.first.outbox.send(LUNCH, "ok")
    pair.second.outbox.send(LUNCH, "ok")
    await pair.first.clock.settle()
    lost, arrived = pair.server.requests
    pair.server.finish(lost, "lost before")
    message_id = pair.server.store(arrived)
    await pair.first.clock.advance(2)
    assert pair.server.looks, "the first one looks, and finds the second one's"
    pair.server.requests.remove(arrived)
    arrived.response.set_result(message_id)
    await pair.first.clock.advance(10)
    states = [entry.state for entry in pair.first.outbox.entries() if not entry.elsewhere]
    assert states == [OutboxState.FAILED], "offered, not taken for sent"


@pytest.mark.parametrize(
    ("state", "is_later", "had_failed", "may_be_its"),
    [
        (OutboxState.SENDING, True, False, True),
        (OutboxState.SENDING, False, False, True),
        (OutboxState.UNCONFIRMED, False, False, True),
        (OutboxState.UNCONFIRMED, True, False, False),
        (OutboxState.UNCONFIRMED, True, True, True),
        (OutboxState.WAITING, False, True, False),
        (OutboxState.FAILED, False, True, False),
    ],
)
def test_a_message_that_was_found_may_be_the_one_of_another_window(
    tmp_path: Path, state: OutboxState, is_later: bool, had_failed: bool, may_be_its: bool
) -> None:
    def record(local_id: str, position: int, state: OutboxState) -> OutboxMessage:
        return OutboxMessage(local_id, position, LUNCH, "the same", state, created=0.0)

    journals = [Journal.open(tmp_path / "journal.db", window=name, executor=inline) for name in "ab"]
    try:
        own, other = journals
        other.put_outbox(record("theirs", 3 if is_later else 1, state))
        own.put_outbox(record("ours", 2, OutboxState.UNCONFIRMED))
        store = OutboxStore(PartContext(own, VirtualClock(), State(ME)))
        item = store.get("ours")
        assert item is not None
        item.reason = "It was not there." if had_failed else None
        assert store.has_rival(item) is may_be_its
    finally:
        for journal in journals:
            journal.close()
