"""Messages are written to the cache half a second after they arrive, and before the cache is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.state.changes import MessagesAdded, MessagesChanged, MessagesRemoved
from narrowcast_api.sync.cache_writer import WRITE_AFTER, CacheWriter
from support.contexts import TestContext, make_context
from support.live import ADA, GENERAL, channel_message, message_event
from support.session_service import Service, after_events, live_session


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[TestContext]:
    context = make_context(tmp_path)
    context.state.add_messages([read_message(channel_message(number)) for number in (1, 2)])
    yield context
    await context.tasks.close()
    await context.close()


async def cached(context: TestContext) -> list[int]:
    cache = context.storage.cache
    found = await cache.run(cache.load_messages, [1, 2, 3])
    return sorted(message.id for message in found)


async def test_new_and_changed_messages_are_written_together_after_half_a_second(
    context: TestContext,
) -> None:
    writer = CacheWriter(context)
    writer.note([MessagesAdded((1,), live=True)])
    writer.note([MessagesChanged((1,)), MessagesAdded((2,), live=True)])
    await context.time.advance(WRITE_AFTER - 0.1)
    assert (await cached(context), len(context.tasks)) == ([], 1)
    await context.time.advance(0.2)
    assert (await cached(context), len(context.tasks)) == ([1, 2], 0)


async def test_deleted_messages_leave_the_cache_and_restored_ones_stay(context: TestContext) -> None:
    writer = CacheWriter(context)
    writer.note([MessagesAdded((1, 2), live=True)])
    writer.write()
    writer.note([MessagesRemoved((1, 2)), MessagesAdded((2,), live=False)])
    assert await cached(context) == [1, 2]
    await context.time.advance(WRITE_AFTER)
    assert await cached(context) == [2]


async def test_the_next_ones_are_written_later(context: TestContext) -> None:
    writer = CacheWriter(context)
    writer.note([MessagesAdded((1,), live=True)])
    await context.time.advance(WRITE_AFTER)
    writer.note([MessagesAdded((2,), live=True)])
    assert await cached(context) == [1]
    await context.time.advance(WRITE_AFTER)
    assert await cached(context) == [1, 2]


async def test_messages_that_are_edited_or_moved_change_in_the_cache_though_they_are_not_in_memory(
    tmp_path: Path,
) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(
            session, service, *(message_event(channel_message(number)) for number in (101, 102))
        )
    place = {"stream_id": GENERAL, "orig_subject": "soup", "subject": "stew", "propagate_mode": "change_all"}
    edit = {"rendered_content": "<p>new</p>", "edit_timestamp": 7, "flags": ["mentioned"]}
    update = {"type": "update_message", "message_id": 102, "message_ids": [101, 102], **place, **edit}
    again = Service()
    again.snapshot["max_message_id"] = 102
    async with live_session(tmp_path, again) as session:
        assert 102 not in session.state.messages
        await after_events(session, again, update)
        cache = session.storage.cache
        stew = await cache.run(cache.load_conversation, ChannelDestination(GENERAL, "stew"), ADA, 9)
        assert [(message.id, message.content) for message in stew] == [
            (101, "<p>message 101</p>"),
            (102, "<p>new</p>"),
        ]
        assert await cache.run(cache.load_conversation, ChannelDestination(GENERAL, "soup"), ADA, 9) == []
