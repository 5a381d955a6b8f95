"""A server that was restored to an older state: no message is sent twice. Drafts: `test_protocols_drafts_missing`."""

from __future__ import annotations

import asyncio

from narrowcast_api.protocols.outbox import OutboxState
from support.outbox_server import LUNCH, OutboxBench, Request, states

FAILED, SENT = OutboxState.FAILED, OutboxState.SENT


async def restored(bench: OutboxBench) -> None:
    """Sends a message whose id is 101; then the server is restored to the state before it."""
    bench.outbox.send(LUNCH, "Soup today")
    await bench.settle()
    await bench.event()
    assert (bench.outbox.entries(), bench.newest_id) == ([], 101)
    bench.server.stored.clear()
    bench.server.next_id = 50
    bench.outbox.on_older_server(50, bench.clock.monotonic())
    bench.newest_id = 50
    bench.state.messages.remove([101])


async def test_a_message_with_the_id_of_one_that_the_server_has_lost_is_not_taken_for_it(
    bench: OutboxBench,
) -> None:
    async with bench:
        await restored(bench)
        bench.server.next_id = 100
        bench.outbox.send(LUNCH, "Soup again")
        await bench.clock.advance(1)
        assert states(bench) == [SENT]
        await bench.clock.advance(600)
        assert (bench.server.contents(), bench.server.sends) == (["Soup again"], 2)


async def test_a_message_is_found_among_those_that_the_restored_server_has_got_since(
    bench: OutboxBench,
) -> None:
    async with bench:
        await restored(bench)
        await bench.crash()
        bench.open()
        bench.server.next_failures.append("silence after")
        bench.outbox.send(LUNCH, "Soup again")
        bench.server.events.clear()
        await bench.clock.advance(600)
        assert (bench.server.contents(), bench.server.sends) == (["Soup again"], 2)


async def test_a_message_under_way_while_the_server_is_restored_is_found(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("silence")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        bench.server.next_id = 50
        bench.outbox.on_older_server(50, bench.clock.monotonic())
        bench.newest_id = 50
        bench.server.store(Request(LUNCH, "Soup today", "local-1", None, asyncio.Future()))
        bench.server.events.clear()
        await bench.clock.advance(600)
        assert (bench.server.contents(), bench.server.sends) == (["Soup today"], 1)


async def test_a_message_that_was_just_sent_is_not_taken_for_lost(bench: OutboxBench) -> None:
    async with bench:
        asked_at = bench.clock.monotonic()
        await bench.clock.advance(0.1)
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        await bench.event()
        bench.outbox.on_older_server(100, asked_at)  # the snapshot was made before it
        bench.newest_id = 100
        bench.server.next_failures.append("lost before")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(600)
        assert states(bench) == [FAILED], "the first is not taken for the second"
