"""Event queues: one for each registered client, in memory, with increasing event ids.

A queue holds the events that its client has not acknowledged. It ends after ten idle minutes, when its client
falls too far behind, and when the server stops; the client then registers again (BAD_EVENT_QUEUE_ID). An
event is encoded as JSON once for all queues that receive it in the same form.
"""

from __future__ import annotations

import asyncio
import random
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakKeyDictionary, ref

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.event_variants import QueueOptions, variants, without_keys
from narrowcast_server.organization.json_text import encoded_text

if TYPE_CHECKING:
    from narrowcast_server.organization.clock import ServerClock
    from narrowcast_server.organization.config import ServerConfig
    from narrowcast_server.organization.models import User
    from narrowcast_server.storage.directory import Directory

MessageFilter = Callable[[Mapping[str, object], Mapping[str, object]], bool]
"""(message object, fields of this user) -> whether a queue with a narrow receives the message."""

_NO_FIELDS: Final[Mapping[str, object]] = {}
_HEARTBEAT: Final = '{"type":"heartbeat"}'


class QueuedEvent:
    """An event for the users in `to`; the JSON of its variants is made on demand and shared."""

    __slots__ = ("_cache", "data", "local", "per_user", "public_channel", "to", "type")

    def __init__(
        self,
        data: Mapping[str, object],
        to: frozenset[int],
        per_user: Mapping[int, Mapping[str, object]],
        public_channel: bool,
        local: tuple[str, str] | None,
    ) -> None:
        self.data = data
        self.type = str(data["type"])
        self.to = to
        self.per_user = per_user
        self.public_channel = public_channel
        self.local = local
        self._cache: dict[tuple[int, int], list[str]] = {}

    def texts_for(self, queue: EventQueue) -> list[str]:
        """The JSON objects, without id, that this queue receives."""
        fields = self.per_user.get(queue.user_id, _NO_FIELDS)
        if self.local is not None and self.local[0] == queue.id:
            return self._texts(queue.options, {**fields, "local_message_id": self.local[1]})
        # Options and fields live as long as the event and are shared by queues that see it alike, so the key
        # is their identity.
        key = (id(queue.options), id(fields))
        texts = self._cache.get(key)
        if texts is None:
            texts = self._cache[key] = self._texts(queue.options, fields)
        return texts

    def _texts(self, options: QueueOptions, fields: Mapping[str, object]) -> list[str]:
        found = [{**variant, **fields} for variant in variants(self.data, options)]
        if self.type == "realm_bot" and not options.shows_keys:
            found = [{**event, "bot": without_keys(event["bot"])} for event in found]
        return [encoded_text(event) for event in found]


@dataclass(slots=True, eq=False)
class EventQueue:
    """The pending events of one client."""

    id: str
    user_id: int
    options: QueueOptions
    event_types: frozenset[str] | None
    all_public_channels: bool
    narrow: MessageFilter | None
    idle_seconds: float
    last_seen: float
    client: str = ""
    begun: int = 0
    """When it was registered, UTC seconds."""
    events: deque[tuple[int, str]] = field(default_factory=deque)
    """Pairs of id and JSON object without the id, so that queues can share the text."""
    size: int = 0
    """Total length of the texts in characters."""
    next_id: int = 0
    pruned_to: int = -1
    """The newest id that was acknowledged and dropped."""
    waiter: asyncio.Future[None] | None = None
    heartbeat_due: float = 0.0
    """While a reader waits: the latest time for its next heartbeat."""
    streams: int = 0
    """How many WebSockets are reading from it."""
    ended: bool = False
    delivered: float = 0.0
    """When its reader last received events, by the clock of the event loop."""

    def wants(self, event: QueuedEvent) -> bool:
        """Whether this client asked for the event."""
        if self.event_types is not None:
            if event.type not in self.event_types:
                return False
            if event.type == "muted_topics" and "user_topic" in self.event_types:
                return False
        if event.type == "message" and self.narrow is not None:
            message = event.data["message"]
            assert isinstance(message, Mapping)
            return self.narrow(message, event.per_user.get(self.user_id, {}))
        return True

    def push(self, text: str) -> None:
        """Appends an event and wakes the reader."""
        identity = self.next_id
        self.next_id += 1
        self.events.append((identity, text))
        self.size += len(text)
        self.wake()

    def wake(self) -> None:
        """Wakes the reader if one is waiting."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def acknowledge(self, last_event_id: int) -> None:
        """Drops events up to an id; raises BAD_REQUEST for ids that were never assigned or are already pruned."""
        if last_event_id < self.pruned_to:
            raise ServiceError(f"An event newer than {last_event_id} has already been pruned!")
        if last_event_id >= self.next_id:
            raise ServiceError(f"Event {last_event_id} was not in this queue")
        while self.events and self.events[0][0] <= last_event_id:
            self.size -= len(self.events.popleft()[1])
        self.pruned_to = last_event_id

    def after(self, event_id: int, most: int, characters: int) -> list[tuple[int, str]]:
        """Events with larger ids, oldest first, with their ids: up to `most` events and `characters` in
        total, but at least one if there is any.
        """
        rows: list[tuple[int, str]] = []
        for number, text in islice((row for row in self.events if row[0] > event_id), most):
            characters -= len(text)
            if characters < 0 and rows:
                break
            rows.append((number, f'{text[:-1]},"id":{number}}}'))
        return rows

    @property
    def is_read_now(self) -> bool:
        """Whether a reader is waiting for the next event."""
        return self.streams > 0 or self.waiter is not None


class QueueOwner(Protocol):
    """What the hub uses of the organization whose queues it holds."""

    config: ServerConfig
    clock: ServerClock
    users: Directory[User]


class EventHub:
    """All event queues of the organization."""

    def __init__(self, organization: QueueOwner) -> None:
        self._organization = organization
        self._queues: dict[str, EventQueue] = {}
        self._by_user: dict[int, list[EventQueue]] = {}
        self._options: WeakKeyDictionary[QueueOptions, ref[QueueOptions]] = WeakKeyDictionary()
        """One shared object per combination in use, so that events can cache their JSON by its identity."""
        self._readers = 0
        """How many queues were being read at the last heartbeat check."""
        self._random = random.Random()

    def register(
        self,
        user_id: int,
        options: QueueOptions,
        *,
        event_types: frozenset[str] | None = None,
        all_public_channels: bool = False,
        narrow: MessageFilter | None = None,
        lifespan_seconds: float | None = None,
        client: str = "",
    ) -> EventQueue:
        """Creates a queue, which receives all events from now on."""
        limits = self._organization.config.limits
        self._make_room(user_id)
        queue = EventQueue(
            id=str(uuid.uuid4()),
            user_id=user_id,
            options=self._shared(options),
            event_types=event_types,
            all_public_channels=all_public_channels,
            narrow=narrow,
            idle_seconds=min(
                max(lifespan_seconds or 0.0, limits.queue_idle_seconds), limits.queue_longest_idle_seconds
            ),
            last_seen=self._organization.clock.monotonic(),
            client=client,
            begun=int(self._organization.clock.now()),
        )
        self._queues[queue.id] = queue
        self._by_user.setdefault(user_id, []).append(queue)
        return queue

    def _shared(self, options: QueueOptions) -> QueueOptions:
        """The shared object equal to these options."""
        shared = self._options.get(options, ref(options))() or options
        self._options.setdefault(shared, ref(shared))
        return shared

    def _make_room(self, user_id: int) -> None:
        """Ends least recently read queues until one more fits: those of this user, or of the user who has the
        most.
        """
        limits = self._organization.config.limits
        while len(self._by_user.get(user_id, ())) >= limits.max_queues_a_user:
            self._end_least_read(user_id)
        while len(self._queues) >= limits.max_queues:
            self._end_least_read(max(self._by_user, key=lambda owner: len(self._by_user[owner])))

    def _end_least_read(self, user_id: int) -> None:
        self.end(min(self._by_user[user_id], key=lambda queue: (queue.is_read_now, queue.last_seen)))

    def get(self, queue_id: str, user_id: int) -> EventQueue:
        """The user's own queue; raises BAD_EVENT_QUEUE_ID for any other."""
        queue = self._queues.get(queue_id)
        if queue is None or queue.user_id != user_id:
            raise bad_queue(queue_id)
        queue.last_seen = self._organization.clock.monotonic()
        return queue

    def end(self, queue: EventQueue) -> None:
        """Removes a queue; its reader gets the error at once."""
        queue.ended = True
        self._queues.pop(queue.id, None)
        own = self._by_user.get(queue.user_id, [])
        if queue in own:
            own.remove(queue)
        if not own:
            self._by_user.pop(queue.user_id, None)
        queue.wake()

    def is_listening(self, user_id: int) -> bool:
        """Whether the user has a client that is connected or was until recently."""
        return bool(self._by_user.get(user_id))

    def end_all_of(self, user_id: int) -> None:
        """Removes all queues of a user who may no longer receive events."""
        for queue in list(self._by_user.get(user_id, ())):
            self.end(queue)

    def dispatch(self, events: Iterable[QueuedEvent]) -> None:
        """Distributes events to the queues of their recipients."""
        for event in events:
            for user_id in event.to & self._by_user.keys():
                for queue in list(self._by_user[user_id]):
                    self._offer(queue, event)
            if event.public_channel:
                self._offer_public(event)

    def _offer_public(self, event: QueuedEvent) -> None:
        for queue in list(self._queues.values()):
            if not queue.all_public_channels or queue.user_id in event.to:
                continue
            # Registration rejects guests, but the user may have become one since.
            if not self._organization.users[queue.user_id].is_guest:
                self._offer(queue, event)

    def _offer(self, queue: EventQueue, event: QueuedEvent) -> None:
        if queue.ended or not queue.wants(event):
            return
        for text in event.texts_for(queue):
            queue.push(text)
        limits = self._organization.config.limits
        if len(queue.events) > limits.max_queued_events or queue.size > limits.max_queued_characters:
            self.end(queue)
            return
        # Most queues are almost empty: then the user's total cannot exceed the limit.
        if queue.size > limits.max_queued_characters_a_user // limits.max_queues_a_user:
            self._bound_memory(queue.user_id)

    def _bound_memory(self, user_id: int) -> None:
        own = self._by_user[user_id]
        if sum(queue.size for queue in own) > self._organization.config.limits.max_queued_characters_a_user:
            self.end(max(own, key=lambda queue: (queue.size, -queue.last_seen)))

    async def wait(self, queue: EventQueue, position: int) -> bool:
        """Waits until the queue has something after `position`: events, or a heartbeat that is due.

        Returns False when another reader took over. Raises BAD_EVENT_QUEUE_ID if the queue ended meanwhile.
        """
        if queue.waiter is not None:
            queue.waiter.cancel()
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.waiter = waiter
        low, high = self._organization.config.limits.heartbeat_seconds
        queue.heartbeat_due = self._organization.clock.monotonic() + self._random.uniform(low, high)
        if queue.ended or queue.next_id > position + 1:
            queue.wake()
        try:
            await waiter
        except asyncio.CancelledError:
            if queue.waiter is waiter:
                # The reader itself was cancelled: nobody waits now.
                queue.waiter = None
                raise
            return False
        queue.waiter = None
        queue.last_seen = self._organization.clock.monotonic()
        if queue.ended:
            raise bad_queue(queue.id)
        return True

    def beat(self) -> None:
        """Sends a heartbeat to the readers that have waited long enough."""
        now = self._organization.clock.monotonic()
        readers = 0
        for queue in list(self._queues.values()):
            readers += queue.is_read_now
            if queue.waiter is not None and now >= queue.heartbeat_due:
                queue.push(_HEARTBEAT)
        self._readers = readers

    async def beat_forever(self) -> None:
        """Checks for due heartbeats every second, or at the heartbeat interval if shorter; runs until cancelled."""
        while True:
            await self._organization.clock.sleep(
                min(1.0, self._organization.config.limits.heartbeat_seconds[0])
            )
            self.beat()

    async def pace(self, queue: EventQueue) -> None:
        """Waits until the reader may receive events again. This limits the server's load, so it uses real time."""
        loop = asyncio.get_running_loop()
        limits = self._organization.config.limits
        if queue.streams:
            pause = max(limits.stream_pause_seconds, self._readers / limits.frames_per_second)
        else:
            pause = max(limits.reader_pause_seconds, self._readers / limits.responses_per_second)
        due = queue.delivered + pause
        if due > loop.time():
            await asyncio.sleep(due - loop.time())
        queue.delivered = loop.time()

    def collect(self) -> None:
        """Ends the queues that have not been read for too long."""
        now = self._organization.clock.monotonic()
        for queue in list(self._queues.values()):
            if not queue.is_read_now and now - queue.last_seen > queue.idle_seconds:
                self.end(queue)

    async def collect_forever(self) -> None:
        """Calls `collect` once a minute; runs until cancelled."""
        while True:
            await self._organization.clock.sleep(self._organization.config.limits.queue_collection_seconds)
            self.collect()

    @property
    def count(self) -> int:
        return len(self._queues)

    def of(self, user_id: int) -> Sequence[EventQueue]:
        """The queues of one user, oldest first."""
        return tuple(self._by_user.get(user_id, ()))

    @property
    def kinds(self) -> Sequence[QueueOptions]:
        """The distinct options of the queues."""
        return tuple(self._options)

    def close(self) -> None:
        for queue in list(self._queues.values()):
            self.end(queue)


def bad_queue(queue_id: str) -> ServiceError:
    """The error that makes a client register again."""
    return ServiceError(f"Bad event queue ID: {queue_id}", "BAD_EVENT_QUEUE_ID", queue_id=queue_id)
