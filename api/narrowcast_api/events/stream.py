"""The self-healing stream of events: registration, long poll or WebSocket, recovery.

```
            ┌────────── BAD_EVENT_QUEUE_ID: at once; rejection, unreadable response or event: later ──────┐
            v                                                                                             │
      no queue ──register──> snapshot ──> receiving <──────────┐ ──────────────────────────────────────── ┘
         ^  │                                │   ^             │ same queue, `dont_block`:
         └──┘ no response: later             v   └── works     │ at once in doubt, else after a jittered pause
  401, or 400 again: refused until asked doubt; no response, 5xx ┘
```
Recovery is the same as starting: a lost queue means a new snapshot, and views fetch their messages again.
Events are passed on in order, each id once. A wake from sleep (the wall clock ran ahead of the monotonic
one) ends any current wait.

A connection can be dead without an error. It is in doubt when it is silent for too long (`watchdog`) and when
any other request gets no response: then events are requested at once, without waiting for new ones, and if
there is no response within `PROOF_SECONDS` the status is no longer live.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from enum import Enum
from random import random
from typing import Any, Protocol, TypeVar

from narrowcast_api import debug_log
from narrowcast_api.backoff import Backoff
from narrowcast_api.clock import Clock, Wakeup
from narrowcast_api.errors import (
    AccountDeactivated,
    BadEventQueueId,
    BadRequest,
    MalformedResponse,
    NarrowcastError,
    NoResponse,
    RateLimited,
    ServerFault,
    TransportError,
    Unauthorized,
)
from narrowcast_api.events.event_source import EventSource, OpenSocket, RegisteredQueue
from narrowcast_api.events.parsing import parse_event
from narrowcast_api.events.status import ConnectionStatus, Health
from narrowcast_api.events.watchdog import Watchdog
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.events import DEFAULT_LONGPOLL_SECONDS, delete_queue
from narrowcast_api.routes.register import register
from narrowcast_api.wire.events import Event, RestartEvent

logger = logging.getLogger(__name__)

Response = TypeVar("Response")

CATCH_UP_SECONDS = 10.0
"""The maximum duration of a poll that must not block; if it takes longer, the connection is still dead."""

PROOF_SECONDS = 5.0
"""The maximum time in which a connection in doubt must prove that it works, before the status is no longer live."""

KEPT_SECONDS = 12 * 3600
"""Seconds for which the server should keep the queue without a request, so that a computer finds it again in the
morning; the server may keep it for a shorter time.
"""

CLOCK_CHECK_EVERY = 5.0
"""Seconds between two checks whether the machine slept."""

_JUMP = 10.0
_COLLECTED_EVERY = 60.0
"""Seconds within which a server deletes a queue that it no longer keeps."""
_BATCH_SIZE = 50
_EMPTY_RESPONSES = 3
MAX_REJECTED = 2
"""How often a registration that the server rejects is tried again: it may have been replaced meanwhile."""


class _GivenUp(Enum):
    """Why a request for events was given up."""

    WOKEN = "`retry_now` was called"
    LATE = "there was no response in time"


class EventReceiver(Protocol):
    """Who applies what a stream receives. An exception in the first two is logged and leads to a new snapshot."""

    async def on_snapshot(self, response: dict[str, object]) -> None:
        """Takes a response of registration."""

    async def on_events(self, events: Sequence[Event]) -> None:
        """Takes a batch of events, in order."""

    def on_status(self, status: ConnectionStatus) -> None:
        """Takes a new status of the connection."""


class EventStream:
    """Receives the events of one account, for `receiver`. `run` is a task; network errors never end it.

    `open_socket` opens a WebSocket stream, None only polls. `random` returns numbers in [0, 1).
    """

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Clock,
        receiver: EventReceiver,
        open_socket: OpenSocket | None = None,
        random: Callable[[], float] = random,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._receiver = receiver
        self._source = EventSource(connection, open_socket)
        self._random = random
        # Pauses contain a random share, so that many clients do not return at once.
        self._quick = Backoff(0.1, 10.0, share=random)
        self._slow = Backoff(0.1, 60.0, share=random)
        self._woken = Wakeup(clock)
        self._watchdog = Watchdog(clock)
        self._health = Health(clock, receiver.on_status)
        self._empty_responses = 0
        self._catching_up = False
        self._proven = False
        self._rejected = 0
        self._outdated_at: float | None = None
        self._heard_at = clock.now()
        self.queue: RegisteredQueue | None = None
        self.asked_at = clock.monotonic()
        """When the last registration was requested, in monotonic seconds."""

    def retry_now(self) -> None:
        """Retries now: the network may be back, or the user asked for it."""
        self._woken.set()

    def poll_now(self) -> None:
        """Requests events at once instead of waiting for them, because another request had no response."""
        if self._watchdog.is_listening:
            self._woken.set()

    def action_done(self) -> None:
        """Records that the server has carried out an action, for which it will send an event."""
        self._watchdog.action_done()

    def register_again(self, within: float = 0.0) -> None:
        """Requests a snapshot, because events do not contain all that has changed. It is fetched with the
        first events or heartbeat after a random share of ``within`` seconds, so that not all clients ask at
        the same time. For `on_events` to call.
        """
        due = self._clock.monotonic() + within * self._random()
        self._outdated_at = due if self._outdated_at is None else min(due, self._outdated_at)

    async def run(self) -> None:
        """Registers and receives events until cancelled."""
        watch = asyncio.create_task(self._watch_clocks())
        try:
            while True:
                await self._step()
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            await self._source.close()

    async def delete_queue(self) -> None:
        """Deletes the queue on the server; ignores errors. Bound it with a timeout."""
        queue, self.queue = self.queue, None
        if queue is not None:
            with suppress(NarrowcastError):
                await delete_queue(self._connection, queue_id=queue.queue_id)

    # one step, and what its failure means

    async def _step(self) -> None:
        try:
            if self.queue is None:
                await self._register()
            else:
                await self._receive(self.queue)
        except BadEventQueueId as error:
            # A queue that never delivered anything may be lost again at once: without a pause, snapshot would follow
            # snapshot.
            await self._start_over(error, at_once=self._proven)
        except Unauthorized as error:
            if self.queue is None:
                await self._refused(error)
            else:
                await self._start_over(error, at_once=True)
        except BadRequest as error:
            self._rejected += 1
            if self.queue is None and self._rejected > MAX_REJECTED:
                await self._refused(error)
            else:
                await self._start_over(error, at_once=False)
        except RateLimited as error:
            self._health.failed(error)
            self._catching_up = True
            await self._pause(error.retry_after * (1 + 0.25 * self._random()))
        except (TransportError, ServerFault) as error:
            self._health.failed(error)
            await self._source.close()
            self._catching_up = True
            await self._pause(self._quick.failed())
        except asyncio.CancelledError:
            raise
        except Exception as error:
            await self._start_over(error, at_once=False)

    async def _start_over(self, error: Exception, *, at_once: bool) -> None:
        if not isinstance(error, NarrowcastError):
            logger.error("an event could not be applied: a new snapshot follows", exc_info=error)
        else:
            logger.info("a new snapshot follows: %s", error)
        self.queue = None
        self._proven = False
        await self._source.close()
        if not at_once:
            self._health.failed(error)
            await self._pause(self._slow.failed())

    async def _refused(self, error: Unauthorized | BadRequest) -> None:
        self._health.refused(error.user_message, ended=isinstance(error, AccountDeactivated | BadRequest))
        await self._woken.wait(None)
        self._health.connecting()

    async def _pause(self, seconds: float) -> None:
        debug_log.note("retry", "events", seconds=seconds)
        await self._woken.wait(seconds)

    # registration

    async def _register(self) -> None:
        self.asked_at = self._clock.monotonic()
        overdue = asyncio.ensure_future(self._report_when_overdue())
        try:
            response = await register(
                self._connection, idle_queue_timeout=KEPT_SECONDS, lazy_field="realm_users"
            )
        except BadRequest:
            self._connection.forget_server()  # the server may have been replaced since it was identified
            raise
        finally:
            overdue.cancel()
        queue_id, last_event_id = response.get("queue_id"), response.get("last_event_id")
        path = response.get("event_stream_path")
        if not isinstance(queue_id, str) or type(last_event_id) is not int:
            raise MalformedResponse("the response of registration has no event queue")
        await self._receiver.on_snapshot(response)
        # There is a queue only now that the snapshot is applied: if that fails, the next step registers again, and no
        # event is applied to the state before it.
        self._outdated_at = None
        kept_for = self._connection.limits.idle_queue_seconds
        self.queue = RegisteredQueue(
            queue_id, last_event_id, path if isinstance(path, str) else None, kept_for
        )
        self._heard_at = self._clock.now()
        self._catching_up = False
        self._source.begin()
        debug_log.note("snapshot", last_event_id=last_event_id, socket=isinstance(path, str))
        self._succeeded()

    async def _report_when_overdue(self) -> None:
        """Reports trouble if a new snapshot takes long, since no events are received meanwhile."""
        await self._clock.sleep(PROOF_SECONDS)
        if self._health.status.is_live:
            self._health.failed(NoResponse(f"no response within {PROOF_SECONDS:g} s"))

    # receiving

    def _is_gone(self, queue: RegisteredQueue) -> bool:
        """Whether the server has certainly deleted the queue, so that a request would only return an error."""
        silence = self._clock.now() - self._heard_at
        return queue.kept_for is not None and silence > queue.kept_for + _COLLECTED_EVERY

    async def _receive(self, queue: RegisteredQueue) -> None:
        if self._is_gone(queue):
            logger.info("a new snapshot follows: the event queue has expired")
            self.queue = None
            await self._source.close()
            return
        waiting = not self._catching_up
        if waiting:
            is_polled = not self._source.has_socket(queue)
            wait = self._watchdog.start_wait(self._timeout(), is_polled=is_polled)
        else:
            wait = min(PROOF_SECONDS if self._health.status.is_live else CATCH_UP_SECONDS, self._timeout())
        try:
            raw = await self._unless_woken(self._source.receive(queue, waiting=waiting), wait)
        finally:
            self._watchdog.end_wait()
        if isinstance(raw, _GivenUp):
            is_woken = raw is _GivenUp.WOKEN
            if not waiting and is_woken:
                return  # asked to begin again
            if not waiting:
                raise NoResponse(f"no response within {wait:g} s")
            # The heartbeat is overdue, or there is doubt for another reason: ask for events without waiting.
            if is_woken:
                self._source.forgive()
            self._source.leave()
            self._catching_up = True
            self._watchdog.polled()
            return
        self._heard_at = self._clock.now()
        await self._deliver(raw)
        if waiting:
            self._watchdog.received(raw)
        self._catching_up = False
        self._proven = True
        self._slow.reset()
        self._succeeded()
        await self._brake(waiting and not raw)

    def _timeout(self) -> float:
        """Seconds after which a long poll should be given up: the server's own value."""
        return self._connection.limits.longpoll_seconds or DEFAULT_LONGPOLL_SECONDS

    async def _deliver(self, raw: Sequence[object]) -> None:
        """Parses events and passes them on in batches of limited size, so that a burst does not block the loop."""
        for start in range(0, len(raw), _BATCH_SIZE):
            if self.queue is None:
                return
            last = self.queue.last_event_id
            parsed = [parse_event(item) for item in raw[start : start + _BATCH_SIZE]]
            for event in parsed:
                debug_log.note("event", event.kind, id=event.id)
            fresh = [event for event in parsed if event.id > last or event.id < 0]
            await self._receiver.on_events(fresh)
            if self._outdated_at is not None and self._clock.monotonic() >= self._outdated_at:
                self.queue = None
                await self._source.close()
                return
            last = max([last, *(event.id for event in fresh)])
            self.queue = self.queue._replace(last_event_id=last)
            self._notice_upgrade(fresh)
            if len(raw) > _BATCH_SIZE:
                await asyncio.sleep(0)
        if self.queue is not None and raw:
            await self._source.acknowledge(self.queue.last_event_id)

    def _notice_upgrade(self, events: Sequence[Event]) -> None:
        """Discards the queue if the server's level has changed: its events differ, so a new snapshot must
        come first (VER-06).
        """
        for event in events:
            level = event.feature_level if isinstance(event, RestartEvent) else None
            if level is not None and level != self._connection.server.level:
                self.queue = None
                self._source.leave()

    async def _brake(self, is_empty: bool) -> None:
        """Slows down if polls return at once and empty, because another client uses the same queue."""
        self._empty_responses = self._empty_responses + 1 if is_empty else 0
        if self._empty_responses >= _EMPTY_RESPONSES:
            await self._pause(1.0)

    # time

    async def _unless_woken(self, work: Coroutine[Any, Any, Response], seconds: float) -> Response | _GivenUp:
        """Returns the result of `work`, or why it was given up."""
        task = asyncio.ensure_future(work)
        is_awaited = True

        def done(_: asyncio.Future[Any]) -> None:
            if is_awaited:  # else it came with `retry_now` or the timeout, and nobody waits for it
                self._woken.set()

        task.add_done_callback(done)
        try:
            is_woken = await self._woken.wait(seconds)
            if task.done():
                return task.result()
            return _GivenUp.WOKEN if is_woken else _GivenUp.LATE
        finally:
            is_awaited = False
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch_clocks(self) -> None:
        """Calls `retry_now` when the wall clock ran ahead of the monotonic one, because the machine slept."""
        before = self._clock.now() - self._clock.monotonic()
        while True:
            await self._clock.sleep(CLOCK_CHECK_EVERY)
            after = self._clock.now() - self._clock.monotonic()
            if abs(after - before) > _JUMP:
                self.retry_now()
            before = after
            if self._watchdog.is_event_overdue() and not self._source.is_open:
                self.poll_now()
            self._health.check_offline()

    def _succeeded(self) -> None:
        self._rejected = 0
        self._quick.reset()
        self._health.succeeded()
