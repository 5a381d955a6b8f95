"""Fetches messages into the state: pages for views, single ones, and what is cached of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from narrowcast_api.errors import ApiError, BadRequest
from narrowcast_api.model.messages import Match, Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.outbox import Outbox
from narrowcast_api.routes.messages import get_message, list_messages, list_messages_by_id
from narrowcast_api.routes.narrows import matches_narrow
from narrowcast_api.state.changes import Change, MessagesAdded, MessagesChanged, MessagesRemoved
from narrowcast_api.state.state import State
from narrowcast_api.sync.earlier_messages import as_in
from narrowcast_api.sync.hidden_channels import may_be_hidden, remove_if_hidden
from narrowcast_api.sync.startup_cache import cached_messages
from narrowcast_api.wire.events import Event, ReactionEvent, SubmessageEvent, UpdateMessageFlagsEvent
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from datetime import datetime


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


class Pages:
    """What is fetched is added to the state in the form that it has by then: events that arrive during a request are
    newer than its response. So each of them is passed to `note`.
    """

    def __init__(self, context: SessionContext, outbox: Outbox) -> None:
        self._context = context
        self._outbox = outbox
        self._connection = context.client.connection
        self._watches: list[_Watch] = []
        self.carried: set[int] = set()
        """Messages from the previous state or the cache that were not fetched since: they may have changed."""
        self.on_forgotten: Callable[[Sequence[int]], None] = lambda message_ids: None
        """Called with messages that the state has no more, without an event; set by the views."""

    def note(self, event: Event, changes: Sequence[Change]) -> None:
        """Records an event for the requests that are on their way."""
        for watch in self._watches:
            watch.note(event, changes)

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
            self._context.tasks.start(
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
        return message_id in self._context.state.messages and message_id not in self.carried

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
        self.carried.update(message.id for message in messages)

    def forget_carried(self) -> None:
        """Forgets what was known before the snapshot and was not fetched since: the server has other messages."""
        messages = self._context.state.messages
        old = [message.id for message in messages] if self._context.state.from_cache else self.carried
        self.on_forgotten(messages.remove(old))
        self.carried.clear()

    def _take(self, messages: Sequence[Message]) -> None:
        known = self._context.state.messages
        if any((old := known.get(one.id)) is not None and old.is_other(one) for one in messages):
            self.forget_carried()
        known_ids = {message.id for message in messages if message.id in known}
        fresh = self._context.state.add_messages(messages)
        added = tuple(message.id for message in fresh if message.id not in known_ids)
        changed = tuple(message.id for message in fresh if message.id in known_ids)
        if added:
            self._context.publish(MessagesAdded(added))
        if changed:
            self._context.publish(MessagesChanged(changed))
        self.carried.difference_update(message.id for message in messages)
        self._outbox.on_fetched({message.id for message in messages})
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

    def cached(self, narrow: Narrow, before: int | None) -> Sequence[Message]:
        """Returns the newest cached page of a narrow before an id, and adds it to the state."""
        state = self._context.state
        messages = cached_messages(self._context.storage.cache, state, narrow, before)
        fresh = [message for message in messages if message.id not in state.messages]
        if state.from_cache:
            state.add_messages(fresh)
        else:
            self.carry(fresh)
        return messages
