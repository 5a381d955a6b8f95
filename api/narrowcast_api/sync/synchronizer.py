"""The part of a session that talks to the server: applies events to the state and fetches pages for views."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from narrowcast_api import memory
from narrowcast_api.errors import ApiError, BadRequest, NarrowcastError
from narrowcast_api.events.event_socket import open_socket
from narrowcast_api.events.status import ConnectionStatus
from narrowcast_api.events.stream import EventStream
from narrowcast_api.model.messages import Match, Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.routes.messages import get_message, list_messages, list_messages_by_id
from narrowcast_api.routes.narrows import matches_narrow
from narrowcast_api.state.apply import apply, snapshot_within
from narrowcast_api.state.changes import (
    Change,
    ChannelsChanged,
    MessagesAdded,
    MessagesChanged,
    MessagesMoved,
    MessagesRemoved,
)
from narrowcast_api.state.snapshots import cacheable
from narrowcast_api.state.state import State
from narrowcast_api.storage.codec import to_json
from narrowcast_api.sync.cache_writer import CacheHost, CacheWriter
from narrowcast_api.sync.carrying import as_in, carry_over
from narrowcast_api.sync.hidden_channels import may_be_hidden, remove_if_hidden
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.sync.restored import compare, forget_lost, is_older
from narrowcast_api.sync.services import Services
from narrowcast_api.sync.view_events import update_views
from narrowcast_api.wire.events import (
    Event,
    MessageEvent,
    ReactionEvent,
    RealmUpdateDictEvent,
    SubmessageEvent,
    TypingEditMessageEvent,
    TypingEvent,
    UpdateMessageEvent,
    UpdateMessageFlagsEvent,
)
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from datetime import datetime

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


class SyncHost(CacheHost, Protocol):
    """What the synchronizer needs of its session, besides the context."""

    @property
    def context(self) -> SessionContext: ...

    @property
    def transport(self) -> httpx2.AsyncBaseTransport | None: ...

    @property
    def views(self) -> Views: ...

    @property
    def services(self) -> Services: ...

    def set_status(self, status: ConnectionStatus) -> None: ...

    def replace_state(self, state: State) -> None: ...

    def refresh_on_screen(self) -> None: ...

    def watch_typing_expiry(self) -> None: ...


@dataclass(slots=True, eq=False)
class _Watch:
    """What events changed while a page was being fetched. Compared by identity: each request removes its own."""

    changed: set[int] = field(default_factory=set)
    flagged: set[int] = field(default_factory=set)
    """Messages of which only the flags changed."""
    removed: set[int] = field(default_factory=set)

    def note(self, event: Event, changes: Sequence[Change]) -> None:
        """Records an event, including one about messages that are unknown until the page arrives."""
        if isinstance(event, ReactionEvent | SubmessageEvent):
            self.changed.add(event.message_id)
        for change in changes:
            if isinstance(change, MessagesChanged):
                only_flags = isinstance(event, UpdateMessageFlagsEvent)
                (self.flagged if only_flags else self.changed).update(change.ids)
            elif isinstance(change, MessagesRemoved):
                self.removed.update(change.ids)


class Synchronizer:
    """Feeds a session: `stream` delivers its events, `fetch` and `match` serve its views."""

    def __init__(self, session: SyncHost) -> None:
        self._session = session
        self._context = session.context
        self._watches: list[_Watch] = []
        self._cache_writer = CacheWriter(session)
        self._carried: set[int] = set()
        """Messages from the previous state or the cache that were not fetched since: they may have changed."""
        self._evict_above = NEWEST_KEPT + EVICTION_BATCH
        """The number of messages in memory at which old ones are dropped."""
        self._connection = session.context.client.connection
        self.stream = EventStream(
            self._connection,
            clock=session.context.clock,
            receiver=self,
            open_socket=open_socket if session.transport is None else None,
        )
        session.context.stream = self.stream
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
        if self._context.is_live and not status.is_live:
            self._mark_cached()
        self._session.set_status(status)

    async def on_snapshot(self, response: dict[str, object]) -> None:
        """Replaces the state by one from a registration."""
        session = self._session
        people = response.get("realm_users")
        is_large = isinstance(people, Sequence) and len(people) > _LARGE
        state = await asyncio.to_thread(self._build, response) if is_large else self._build(response)
        self._cache_writer.write()
        if self._context.is_live:
            self._mark_cached()
        newest = state.max_message_id
        if is_older(newest, self._context.state, state):
            session.services.on_older_server(state, newest)
        carry_over(self._context.state, state)
        self._carried = {message.id for message in state.messages}
        session.replace_state(state)
        if is_large:
            gc.freeze()  # garbage collections then skip the hundred thousand people and channels
        cache = self._context.storage.cache
        cache.post(forget_lost, cache, state, newest)
        cache.post(lambda: cache.save_snapshot(to_json(cacheable(response))))
        if is_large:
            cache.post(memory.trim_heap)
        session.refresh_on_screen()
        session.spawn(self._compare_cached(), "compare cached messages with those of the server")

    def _mark_cached(self) -> None:
        """The connection is lost: the server may come back with other messages than those that are cached now."""
        cache = self._context.storage.cache
        cache.post(cache.mark)

    async def _compare_cached(self) -> None:
        await self._context.clock.sleep(COMPARE_AFTER)
        with suppress(NarrowcastError):  # what is fetched later is compared, too
            if await compare(self._context.storage.cache, self._connection):
                self._forget_carried()

    def _forget_carried(self) -> None:
        """Forgets what was known before the snapshot and was not fetched since: the server has other messages."""
        messages = self._context.state.messages
        old = [message.id for message in messages] if self._context.state.from_cache else self._carried
        self._session.views.remove(messages.remove(old))
        self._carried.clear()

    def _build(self, response: dict[str, object]) -> State:
        clock = self._context.clock
        return State.from_snapshot(response, now=clock.now(), monotonic=clock.monotonic)

    async def on_events(self, events: Sequence[Event]) -> None:
        """Applies events to the state, and to everything that follows it."""
        session = self._session
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
            session.views.match_on_server()
            self._context.publish(*changes)
            if any(isinstance(change, ChannelsChanged) for change in changes):
                session.services.drafts.recheck()
            self._cache_writer.note(changes)
            self._forget_old()
        if outdated:
            self.stream.register_again(min(outdated))

    def _follow(self, event: Event, changes: Sequence[Change]) -> None:
        """Applies an event to everything but the state: views, services, and pages that are being fetched."""
        session = self._session
        for watch in self._watches:
            watch.note(event, changes)
        if isinstance(event, RealmUpdateDictEvent):
            self._connection.record_upload_limit(self._context.state.limits.max_file_upload_size_mib)
        if isinstance(event, UpdateMessageFlagsEvent | ReactionEvent):
            session.services.acts.on_event(event)
        if isinstance(event, UpdateMessageEvent):
            self._cache_writer.note_update(event)
        update_views(session.views, self._context.state, event, changes)
        if isinstance(event, TypingEvent | TypingEditMessageEvent):
            session.watch_typing_expiry()
        if isinstance(event, MessageEvent):
            message = self._context.state.messages.get(event.message.id)
            if message is not None:
                session.services.outbox.on_message(message, event.local_message_id)
        else:
            session.services.on_event(event)
        for change in changes:
            if isinstance(change, MessagesMoved) and self._may_follow(change):
                session.services.outbox.on_moved(change)

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
        shown = self._session.views.ids()
        self._carried.difference_update(messages.remove(i for i in old if i not in shown))
        self._evict_above = len(messages) + EVICTION_BATCH

    # pages

    @contextmanager
    def _watching(self) -> Iterator[_Watch]:
        watch = _Watch()
        self._watches.append(watch)
        try:
            yield watch
        finally:
            self._watches.remove(watch)

    async def fetch(
        self, narrow: Narrow, anchor: Anchor | datetime, before: int, after: int, *, include_anchor: bool
    ) -> Page:
        """Fetches a page of a narrow and adds its messages to the state. Raises `NarrowcastError`."""
        state = self._context.state
        server = await self._connection.identified()
        with self._watching() as watch:
            page = await list_messages(
                self._connection,
                narrow=narrow.to_wire(server, state, state.me or self._connection.own_user_id),
                anchor=anchor,
                num_before=before,
                num_after=after,
                include_anchor=include_anchor,
            )
            messages = self._taken(await self._settled(page.messages, watch), state)
        if include_anchor and not page.messages:
            self.check_if_hidden(narrow.channel_id)
        return Page(
            messages,
            anchor=page.anchor,
            found_oldest=page.found_oldest,
            found_newest=page.found_newest,
            matches=page.matches,
        )

    def check_if_hidden(self, channel_id: int | None) -> None:
        """Checks whether a channel has become invisible to the user, because it has no messages or its topics
        were rejected.
        """
        if channel_id is not None and may_be_hidden(self._context, channel_id):
            self._session.spawn(
                remove_if_hidden(self._context, channel_id), "check whether a channel is hidden"
            )

    async def _settled(self, fetched: Sequence[Message], watch: _Watch) -> list[Message]:
        """Returns the messages in their current form: events since the request are newer than the response."""
        latest = {message.id: message for message in fetched}
        # Events continue to arrive during these requests, so check until none is left.
        while unsure := [i for i in latest if i in watch.changed and not self.is_current(i)]:
            for message_id in unsure:
                watch.changed.discard(message_id)
                current = await self._again(latest.pop(message_id))
                if current is not None:
                    latest[message_id] = current
        return [
            self._newest(message, watch) for i, message in sorted(latest.items()) if i not in watch.removed
        ]

    def is_current(self, message_id: int) -> bool:
        """Whether the message in the state is kept up to date by events."""
        return message_id in self._context.state.messages and message_id not in self._carried

    def _newest(self, message: Message, watch: _Watch) -> Message:
        state = self._context.state
        in_state = state.messages.get(message.id)
        if in_state is None:
            return as_in(state, message) if message.id in watch.flagged else message
        if message.id in watch.changed:
            return in_state
        return replace(message, flags=in_state.flags) if message.id in watch.flagged else message

    async def _again(self, message: Message) -> Message | None:
        """Fetches a message again that was unknown when an event changed it."""
        try:
            response = await get_message(self._connection, message_id=message.id)
        except ApiError:
            return None
        return message if response.message is None else response.message

    def _taken(self, messages: Sequence[Message], state: State) -> Sequence[Message]:
        """Adds messages that were requested in `state`; returns them as they are known now."""
        if self._context.state is not state:
            return self._take_older(messages)
        self._take(messages)
        return messages

    def _take_older(self, messages: Sequence[Message]) -> list[Message]:
        """Adds messages that were requested before the latest snapshot arrived. What happened in between is
        missing from both, so messages that are already known may be newer and are kept, and the snapshot's
        lists stay as they are. The view is fetched again.
        """
        state = self._context.state
        fresh = [message for message in messages if message.id not in state.messages]
        self.carry(fresh)
        if fresh:
            self._context.publish(MessagesAdded(tuple(message.id for message in fresh)))
        return list(state.messages.known([message.id for message in messages]))

    def carry(self, messages: Sequence[Message]) -> None:
        """Adds messages that are older than the snapshot and may have changed since, such as cached ones."""
        state = self._context.state
        for message in messages:
            state.messages.put(as_in(state, message))
        self._carried.update(message.id for message in messages)

    def _take(self, messages: Sequence[Message]) -> None:
        session, known = self._session, self._context.state.messages
        if any((old := known.get(one.id)) is not None and old.is_other(one) for one in messages):
            self._forget_carried()
        known_ids = {message.id for message in messages if message.id in known}
        fresh = self._context.state.add_messages(messages)
        added = tuple(message.id for message in fresh if message.id not in known_ids)
        changed = tuple(message.id for message in fresh if message.id in known_ids)
        if added:
            self._context.publish(MessagesAdded(added))
        if changed:
            self._context.publish(MessagesChanged(changed))
        self._carried.difference_update(message.id for message in messages)
        session.services.outbox.on_fetched({message.id for message in messages})
        if fresh:
            self._context.storage.cache.post(self._context.storage.cache.save_messages, fresh)

    async def fetch_message(self, message_id: int) -> Message | None:
        """Fetches a message into the state; None if it does not exist or is not visible to the user."""
        state = self._context.state
        with self._watching() as watch:
            try:
                fetched = await self._alone(message_id)
            except ApiError:
                return None
            messages = self._taken(await self._settled([] if fetched is None else [fetched], watch), state)
        return messages[0] if messages else None

    async def _alone(self, message_id: int) -> Message | None:
        """Requests one message."""
        server = await self._connection.identified()
        if server.supports(Gate.MESSAGE_OBJECT):
            return (await get_message(self._connection, message_id=message_id)).message
        # TODO(server-120): before, the response contains nothing but the source.
        page = await list_messages(self._connection, anchor=message_id, num_before=1)
        return next((message for message in page.messages if message.id == message_id), None)

    async def fetch_messages(self, message_ids: Sequence[int]) -> None:
        """Fetches messages into the state, as far as they exist and are visible to the user: in one request
        if the server supports fetching by ids. Raises `NarrowcastError`.
        """
        state = self._context.state
        server = await self._connection.identified()
        if server.supports(Gate.MESSAGE_IDS):
            with self._watching() as watch, suppress(BadRequest):  # some servers: too much for one response
                page = await list_messages_by_id(self._connection, message_ids=message_ids)
                self._taken(await self._settled(page.messages, watch), state)
                return
        for message_id in message_ids:
            await self.fetch_message(message_id)

    async def match(self, narrow: Narrow, message_ids: Sequence[int]) -> Mapping[int, Match]:
        """Returns which messages belong to a narrow, according to the server. Raises `NarrowcastError`."""
        state = self._context.state
        server = await self._connection.identified()
        # `with` only applies to pages: servers reject it for single messages.
        terms = [term for term in narrow.to_wire(server, state, state.me) if term["operator"] != "with"]
        return await matches_narrow(self._connection, message_ids=message_ids, narrow=terms)
