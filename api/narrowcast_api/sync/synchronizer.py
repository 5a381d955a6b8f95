"""The part of a session that receives events: applies them to the state, and to all that follows it."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from narrowcast_api import memory
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.events.event_source import open_socket
from narrowcast_api.events.status import ConnectionStatus
from narrowcast_api.events.stream import EventStream
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.typing import TypingExpiry
from narrowcast_api.resources.typing import TypingEditMessageEvent, TypingEvent
from narrowcast_api.state.apply import apply, snapshot_within
from narrowcast_api.state.changes import (
    Change,
    ChannelsChanged,
    ConnectionChanged,
    MessagesMoved,
    StateReplaced,
)
from narrowcast_api.state.snapshots import cacheable
from narrowcast_api.state.state import State
from narrowcast_api.storage.codec import to_json
from narrowcast_api.sync.cache_writer import CacheWriter
from narrowcast_api.sync.earlier_messages import carry_over, compare, forget_lost, is_older, may_be_lost
from narrowcast_api.sync.message_lists import Views, update_views
from narrowcast_api.sync.pages import Pages
from narrowcast_api.sync.services import Services
from narrowcast_api.sync.view_refresher import ViewRefresher
from narrowcast_api.wire.events import (
    Event,
    MessageEvent,
    ReactionEvent,
    RealmUpdateDictEvent,
    UpdateMessageEvent,
    UpdateMessageFlagsEvent,
)

if TYPE_CHECKING:
    import httpx2


logger = logging.getLogger(__name__)

NEWEST_KEPT = 5_000
"""The newest messages, which stay in memory along with those of the views."""
EVICTION_BATCH = 1_000
"""How many further messages may be in memory before old ones are dropped: going through all of them takes
some milliseconds.
"""
COMPARE_AFTER = 2.0
"""Seconds after a registration, in which the views are fetched, until cached messages are compared with the server."""
_LARGE = 5_000
"""The number of people in a snapshot above which the state is built in a thread, so that input is not blocked."""


class Synchronizer:
    """`stream` delivers the events and snapshots of a session."""

    def __init__(
        self,
        context: SessionContext,
        services: Services,
        pages: Pages,
        views: Views,
        refresher: ViewRefresher,
        *,
        transport: httpx2.AsyncBaseTransport | None,
    ) -> None:
        self._context = context
        self._services = services
        self._pages = pages
        self._views = views
        self._refresher = refresher
        self.typing_expiry = TypingExpiry(context)
        self._cache_writer = CacheWriter(context)
        self._evict_above = NEWEST_KEPT + EVICTION_BATCH
        """The number of messages in memory at which old ones are dropped."""
        self._connection = context.client.connection
        self.stream = EventStream(
            self._connection,
            clock=context.clock,
            receiver=self,
            open_socket=open_socket if transport is None else None,
        )
        context.stream = self.stream
        self._connection.on_no_response = self.stream.poll_now
        self._connection.on_action_done = self.stream.action_done

    async def close(self) -> None:
        """Deletes the event queue on the server. Bound it with a timeout."""
        await self.stream.delete_queue()

    def flush(self) -> None:
        """Queues all pending writes for the cache."""
        self._cache_writer.write()

    # events

    def on_status(self, status: ConnectionStatus) -> None:
        """Sets the status of the connection; wakes the services when it becomes live."""
        if self._context.is_live and not status.is_live:
            self._mark_cached()
        became_live = status.is_live and not self._context.is_live
        self._context.status = status
        if became_live:
            self._services.wake()
            self._refresher.wake()
        self._context.publish(ConnectionChanged())

    async def on_snapshot(self, response: dict[str, object]) -> None:
        """Replaces the state by one from a registration."""
        people = response.get("realm_users")
        is_large = isinstance(people, Sequence) and len(people) > _LARGE
        state = await asyncio.to_thread(self._build, response) if is_large else self._build(response)
        self._cache_writer.write()
        if self._context.is_live:
            self._mark_cached()
        newest, before = state.max_message_id, self._context.state
        if is_older(newest, before, state):
            self._services.on_older_server(
                newest,
                self.stream.asked_at,
                is_lost=lambda message_id: may_be_lost(message_id, newest, before, state),
            )
        carry_over(before, state)
        self._pages.carried = {message.id for message in state.messages}
        self.replace_state(state)
        if is_large:
            gc.freeze()  # garbage collections then skip the hundred thousand people and channels
        cache = self._context.storage.cache
        cache.post(forget_lost, cache, state, newest)
        cache.post(lambda: cache.save_snapshot(to_json(cacheable(response))))
        if is_large:
            cache.post(memory.trim_heap)
        self._views.refresh_on_screen()
        self._context.tasks.start(self._compare_cached(), "compare cached messages with those of the server")

    def _mark_cached(self) -> None:
        """The connection is lost: the server may come back with other messages than those that are cached now."""
        cache = self._context.storage.cache
        cache.post(cache.mark)

    async def _compare_cached(self) -> None:
        await self._context.clock.sleep(COMPARE_AFTER)
        with suppress(NarrowcastError):  # what is fetched later is compared, too
            if await compare(self._context.storage.cache, self._connection):
                self._pages.forget_carried()

    def replace_state(self, state: State) -> None:
        """Replaces the state by one from a new snapshot; everything has to be read again."""
        state.channels.carry_over_names(self._context.state.channels)
        self._context.state = state
        self._services.on_snapshot(state)
        self._views.mark_stale()
        self._context.publish(StateReplaced())

    def _build(self, response: dict[str, object]) -> State:
        clock = self._context.clock
        return State.from_snapshot(response, now=clock.now(), monotonic=clock.monotonic)

    async def on_events(self, events: Sequence[Event]) -> None:
        """Applies events to the state, and to everything that follows it."""
        changes: list[Change] = []
        outdated: list[float] = []
        try:
            for event in events:
                if (within := snapshot_within(self._context.state, event)) is not None:
                    outdated.append(within)
                made = apply(self._context.state, event)
                self._follow(event, made)
                changes.extend(made)
        finally:
            self._views.match_on_server()
            self._context.publish(*changes)
            if any(isinstance(change, ChannelsChanged) for change in changes):
                self._services.drafts.recheck()
            self._cache_writer.note(changes)
            self._forget_old()
        if outdated:
            self.stream.register_again(min(outdated))

    def _follow(self, event: Event, changes: Sequence[Change]) -> None:
        """Applies an event to everything but the state: views, services, and pages that are being fetched."""
        self._pages.note(event, changes)
        if isinstance(event, RealmUpdateDictEvent):
            self._connection.record_upload_limit(self._context.state.limits.max_file_upload_size_mib)
        if isinstance(event, UpdateMessageFlagsEvent | ReactionEvent):
            self._services.message_actions.on_event(event)
        if isinstance(event, UpdateMessageEvent):
            self._cache_writer.note_update(event)
        update_views(self._views, self._context.state, event, changes)
        if isinstance(event, TypingEvent | TypingEditMessageEvent):
            self.typing_expiry.wake()
        if isinstance(event, MessageEvent):
            message = self._context.state.messages.get(event.message.id)
            if message is not None:
                self._services.outbox.on_message(message, event.local_message_id)
        else:
            self._services.on_event(event)
        for change in changes:
            if isinstance(change, MessagesMoved) and self._may_follow(change):
                self._services.outbox.on_moved(change)

    def _may_follow(self, moved: MessagesMoved) -> bool:
        """Whether messages for the old place may be sent to the new one without asking: words for a private
        channel stay in that channel.
        """
        old, new = moved.old.channel_id, moved.new.channel_id
        return old == new or not self._context.state.channels.is_private(old)

    def _forget_old(self) -> None:
        """Drops messages from memory that are in no view and not among the newest; they stay in the cache."""
        messages = self._context.state.messages
        if len(messages) < self._evict_above:
            return
        self._cache_writer.write()
        old = sorted(message.id for message in messages)[:-NEWEST_KEPT]
        shown = self._views.ids()
        self._pages.carried.difference_update(messages.remove(i for i in old if i not in shown))
        self._evict_above = len(messages) + EVICTION_BATCH
