"""Messages are written to the cache half a second after they arrive, and before the cache is read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.state.changes import MessagesAdded, MessagesChanged, MessagesRemoved
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.sync.cache_writer import WRITE_AFTER, CacheWriter
from narrowcast_api.tasks import Tasks
from support.clock import VirtualClock
from support.live import ADA, GENERAL, channel_message, make_state, message_event
from support.session_service import Service, after_events, live_session


class Host:
    """A state, a cache and a clock."""

    def __init__(self, folder: Path) -> None:
        self.state = make_state()
        self.clock = VirtualClock()
        self.storage = AccountStorage.open(
            folder / "data", folder / "cache", "http://chat", "ada@demo.example"
        )
        self.tasks = Tasks()
        self.begun = 0

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self.begun += 1
        self.tasks.start(work, name)

    async def cached(self) -> list[int]:
        found = await self.storage.cache.run(self.storage.cache.load_messages, [1, 2, 3])
        return sorted(message.id for message in found)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    host = Host(tmp_path)
    host.state.add_messages([read_message(channel_message(number)) for number in (1, 2)])
    yield host
    await host.tasks.close()
    host.storage.close()


async def test_new_and_changed_messages_are_written_together_after_half_a_second(host: Host) -> None:
    writer = CacheWriter(host)
    writer.note([MessagesAdded((1,), live=True)])
    writer.note([MessagesChanged((1,)), MessagesAdded((2,), live=True)])
    await host.clock.advance(WRITE_AFTER - 0.1)
    assert await host.cached() == []
    await host.clock.advance(0.2)
    assert (await host.cached(), host.begun) == ([1, 2], 1)


async def test_deleted_messages_leave_the_cache_and_restored_ones_stay(host: Host) -> None:
    writer = CacheWriter(host)
    writer.note([MessagesAdded((1, 2), live=True)])
    writer.write()
    writer.note([MessagesRemoved((1, 2)), MessagesAdded((2,), live=False)])
    assert await host.cached() == [1, 2]
    await host.clock.advance(WRITE_AFTER)
    assert await host.cached() == [2]


async def test_the_next_ones_are_written_later(host: Host) -> None:
    writer = CacheWriter(host)
    writer.note([MessagesAdded((1,), live=True)])
    await host.clock.advance(WRITE_AFTER)
    writer.note([MessagesAdded((2,), live=True)])
    assert await host.cached() == [1]
    await host.clock.advance(WRITE_AFTER)
    assert await host.cached() == [1, 2]


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
