"""Sends messages: none that the user wrote is lost, and none is sent twice but in one rare case (`outbox_unconfirmed`).

                 send()
                   │
                   v          not connected, or 429: retried automatically
              ┌─ WAITING <───────────────────────────────────────────┐
     cancel() │    │ its turn in its conversation; journal committed │
              │    v                                                 │
              │ SENDING ──────────────────────────────────────────── ┘
              │    │ │ └── rejected by the server ─────────────> FAILED ── cancel() ──> gone
              │    │ │                                           ^  │ │
              │    │ └─ timeout, cut, 5xx, crash: outcome unknown│  │ └ retry(), never tried ──> WAITING
              │    │          │                                  │  │
              │    │          v        looked, not found         │  │ retry(), after a try
              │    │     UNCONFIRMED ───────────────────────────-┘  │   (looked for once more, then WAITING)
              │    │       │   ^────────────────────────────────────┘
              v    v       v
            gone  SENT <───┘    by the event with its local id, by the response, or found on the server,
                                in any order; from FAILED too (late success)

How an unconfirmed message is looked for: `outbox_unconfirmed`.

Order within a conversation is kept: only its first unsettled message is processed, and later ones wait while
it is sent and looked for. A message that was lost in transit holds back later ones a little longer
(`BLOCKS_FOR`), so that it can be sent again in its place. After that, and at once after a rejection by the
server or a restart, they are sent without it: a failure is shown with what to do, and never blocks the
conversation permanently. For the same reason a search that the server cannot carry out is given up after some
attempts. Conversations do not wait for each other; only a missing connection and a rate limit delay all of
them.

An entry leaves SENT when the state has the message itself: `outbox_sent`.

`facts`: POST /messages with `local_id` and `queue_id`; there is no deduplication on the server.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from narrowcast_api.backoff import RetryTime
from narrowcast_api.characters import encodable
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import (
    REJECTED_OR_REDIRECTED,
    InvalidInput,
    NotConnected,
    RateLimited,
)
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.outbox_item import (
    CANCELLED,
    CHECK_EVERY,
    OutboxEntry,
    OutboxItem,
    ShowMessage,
    find_misfit,
    refusal,
)
from narrowcast_api.protocols.outbox_requests import OutboxRequests
from narrowcast_api.protocols.outbox_sent import SentMessages
from narrowcast_api.protocols.outbox_store import FAILED, SENDING, SENT, UNCONFIRMED, WAITING, OutboxStore
from narrowcast_api.protocols.outbox_unconfirmed import UnconfirmedMessages
from narrowcast_api.state.changes import MessagesMoved
from narrowcast_api.storage.journal import JournalChanges, committed, deliver_changes
from narrowcast_api.storage.records import OutboxMessage, OutboxState
from narrowcast_api.tasks import Tasks

__all__ = ["Outbox", "OutboxEntry", "OutboxState"]

PACE = 0.1
"""Seconds between two requests when many messages are waiting, so that a backlog is not sent in a burst."""

_MAX_CONCURRENT = 4


class Outbox:
    """Messages that are being sent. `send` returns at once; `run` is a task of the session.

    `show` fetches a message of the current user for which no event arrived. Call `on_message` for every
    message event, `on_fetched` for messages that were fetched, `on_snapshot` after every registration, `wake`
    when the connection is live again and `on_journal` for what other windows have written.
    """

    def __init__(self, context: SessionContext, requests: OutboxRequests, *, show: ShowMessage) -> None:
        self._context = context
        self._requests = requests
        self._journal = context.journal
        self._clock = clock = context.clock
        self._wakeup = Wakeup(clock)
        self._tasks = Tasks()
        self._retry = RetryTime(clock, 1.0, 30.0, "outbox")
        self._busy: set[tuple[object, ...]] = set()
        self._next_start = 0.0
        self._store = OutboxStore(context)
        self._sent = SentMessages(
            self._store, context, show=show, wakeup=self._wakeup, tasks=self._tasks, retry=self._retry
        )
        self._unconfirmed = UnconfirmedMessages(
            self._store, self._sent, context, requests, wakeup=self._wakeup, retry=self._retry
        )

    # what the app calls

    def send(self, destination: Destination, content: str, *, hold: float = 0.0) -> str:
        """Queues a message; returns its local id. The message is in the journal before any request is made, which
        happens after `hold` seconds at the earliest: until then it can be cancelled.

        A message that the server would surely truncate or reject is FAILED at once, with its text kept.
        Raises InvalidInput for a blank message, or if this window can only read the account (`read_only`).
        """
        if not content.strip():
            raise InvalidInput("There is nothing to send.")
        if self._journal.read_only is not None:
            raise InvalidInput(self._journal.read_only)
        content = encodable(content)
        error = refusal(find_misfit(self._context.state.limits, destination, content))
        record = OutboxMessage(
            local_id=self._context.new_id(),
            position=self._store.next_position(),
            destination=destination,
            content=content,
            state=WAITING if error is None else FAILED,
            created=self._clock.now(),
            error=error,
            floor_id=self._newest_known() or None,
        )
        self._store.put(record)
        if hold and error is None and (item := self._store.get(record.local_id)) is not None:
            item.due = item.held_until = self._clock.monotonic() + hold
        self._wakeup.set()
        return record.local_id

    def cancel(self, local_id: str) -> OutboxEntry | None:
        """Cancels a message; returns the entry with its text, or None if it may be too late, or if another
        window owns the message (see `claim`).

        A request that is in progress cannot be recalled: then the message ends as SENT, or as FAILED with its
        text, but is not tried again.
        """
        item = self._store.get(local_id)
        if item is None or item.state is SENT or item.elsewhere:
            return None
        if item.state is SENDING:
            item.cancel_requested = True
            return None
        self._store.forget(item)
        self._wakeup.set()
        return item.to_entry(None, self._clock.monotonic())

    def retry(self, local_id: str) -> None:
        """Sends a failed message again. If an earlier attempt may have arrived, looks for it on the server first."""
        item = self._store.get(local_id)
        if item is None or item.state is not FAILED or item.elsewhere:
            return
        error = refusal(find_misfit(self._context.state.limits, item.record.destination, item.record.content))
        if error is not None:
            self._store.step(item, FAILED, error)
            return
        item.cancel_requested = item.still_searched = False
        item.searches = item.failures = 0
        item.due = 0.0
        item.resend, item.reason = item.record.tried, None
        self._store.step(item, UNCONFIRMED if item.record.tried else WAITING)
        self._wakeup.set()

    async def claim(self, local_id: str) -> bool:
        """Takes a message over from the window that sends it, to cancel or retry it here; returns whether
        this window owns it.

        Fails while the message is being sent: the other window keeps it until the outcome is known.
        """
        item = self._store.get(local_id)
        if item is not None and item.elsewhere:
            # The response may contain changes for other services too.
            await deliver_changes(self._journal.claim_outbox(local_id), self._context.take_in)
            item = self._store.get(local_id)
        return item is not None and not item.elsewhere

    def entries(self, destination: Destination | None = None) -> list[OutboxEntry]:
        """All entries, or those of one conversation, oldest first.

        A SENT entry stays until its message has arrived as an event, so that it never disappears in between.
        """
        first: dict[tuple[object, ...], str] = {}
        shown = []
        now = self._clock.monotonic()
        for item in self._store.all():
            holder = None
            if item.blocks(now):
                holder = first.setdefault(item.key, item.record.local_id)
            if destination is None or item.key == destination.key:
                shown.append(item.to_entry(holder if holder != item.record.local_id else None, now))
        return shown

    def unsent(self) -> list[OutboxEntry]:
        """The messages that are not confirmed to be on the server, oldest first."""
        return [entry for entry in self.entries() if entry.state is not OutboxState.SENT]

    # what the session calls

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes in what other windows have written to the journal or left to this one."""
        records = changes.outbox()
        self._sent.ids |= changes.numbers("sent")[0]
        if records:
            self._store.take_in(records, self._clock.monotonic())
            self._wakeup.set()

    def on_message(self, message: Message, local_id: str | None) -> None:
        """Handles a message event; `local_id` is its `local_message_id`."""
        item = self._store.get(local_id) if local_id is not None else None
        if item is not None and not item.elsewhere:
            self._confirm(item, message.id)
        self._sent.remove([message.id])
        me = self._context.state.me
        if item is None and message.sender_id == me and message.id not in self._sent.ids:
            self._unconfirmed.search_again(message.destination(me))

    def on_moved(self, moved: MessagesMoved) -> None:
        """Handles a move of messages: if it was a whole topic, what waits for it goes along, as a draft does.
        A message that may have been sent already stays, and is looked for where it was sent.
        """
        if moved.is_whole:
            self._store.readdress(moved.old, moved.new)
            self._wakeup.set()

    def on_fetched(self, ids: Collection[int]) -> None:
        """Removes the entries of these messages, which are in the state now and shown from there."""
        self._sent.remove(ids)

    def on_snapshot(self, newest_id: int) -> None:
        """Handles a registration: it has the messages up to `newest_id`, so no more events about them will arrive."""
        self._sent.events_ended(newest_id)
        self.wake()

    def on_older_server(self, newest_id: int, asked_at: float) -> None:
        """Handles that the server was restored to an older state: it will give the ids above its newest one again.
        The registration was requested at `asked_at` (monotonic seconds).
        """
        self._sent.forget_lost(newest_id, asked_at)
        for item in self._store.own():
            if item.record.floor_id is not None and item.record.floor_id > newest_id:
                item.record = replace(item.record, floor_id=newest_id)

    def wake(self) -> None:
        """Retries at once, because the connection is live again."""
        self._retry.clear()
        self._store.yield_to_other_windows(self._clock.monotonic())
        self._wakeup.set()

    async def run(self) -> None:
        """Sends what is waiting and looks for unconfirmed messages until cancelled."""
        try:
            while True:
                await self._wakeup.wait(self._start_due())
        finally:
            await self._tasks.close()

    # the machine

    def _start_due(self) -> float | None:
        """Starts everything that is due; returns the seconds until more is, None if nothing is waiting."""
        again = self._unconfirmed.search_failed_messages() if self._context.is_live else None
        waits = [self._start_heads(), self._sent.start_fetch(), again]
        return min((wait for wait in waits if wait is not None), default=None)

    def _start_heads(self) -> float | None:
        now = self._clock.monotonic()
        heads = self._store.heads(self._busy, now)
        if not heads:
            return None
        if not self._context.is_live:
            return CHECK_EVERY
        wait = CHECK_EVERY
        for item in heads:
            if item.state is FAILED or item.elsewhere:  # later messages continue when its time is over
                wait = min(wait, item.blocks_until - now)
            if item.state not in (WAITING, UNCONFIRMED) or item.elsewhere:
                continue
            due = max(0.0 if item.extra_search else item.due, self._retry.at, self._next_start)
            if len(self._busy) >= _MAX_CONCURRENT:
                break  # each request that ends sets the wakeup, and the rest is looked at then
            if due > now:
                wait = min(wait, due - now)
                continue
            self._next_start = now + PACE
            # Now, not in the task: until that runs, the next message of the conversation could be started, too.
            self._busy.add(item.key)
            self._tasks.start(self._advance(item), "send a message")
        return wait

    async def _advance(self, item: OutboxItem) -> None:
        key = item.key
        try:
            if not self._store.has(item):
                return
            if item.state is WAITING:
                await self._deliver(item)
            else:
                await self._unconfirmed.search(item)
        except BaseException as error:
            # Cancelled on closing, or a bug in this file: no message may stay in SENDING without a task.
            self._unconfirmed.add(item, error)
            raise
        finally:
            self._busy.discard(key)
            self._wakeup.set()

    async def _deliver(self, item: OutboxItem) -> None:
        tried_before = item.record.tried
        if not tried_before:
            item.record = replace(item.record, floor_id=self._newest_known())
        item.record = replace(item.record, tried=True)
        # The journal records the attempt before the request leaves: after a crash the message is looked for and
        # not sent again automatically.
        await committed(self._store.step(item, SENDING))
        record = item.record
        if self._journal.is_lost("outbox", record.local_id) or not self._store.has(item):
            return  # another window owns it now
        if item.cancel_requested:
            # Nothing has left, so `tried` is again what it was: a retry need not look for the message first.
            self._not_sent(item, FAILED, CANCELLED, tried_before)
            return
        item.got_no_response, item.sent_at = False, self._clock.now()
        try:
            message_id = await self._requests.send(
                record.destination,
                record.content,
                local_id=record.local_id,
                queue_id=self._context.queue_id,
            )
        except (NotConnected, RateLimited) as error:
            self._retry.failed(error)
            self._not_sent(item, WAITING, None, tried_before)
        except REJECTED_OR_REDIRECTED as error:
            self._not_sent(item, FAILED, error.user_message, tried_before)
        except Exception as error:
            self._unconfirmed.add(item, error)
        else:
            self._retry.succeeded()
            self._confirm(item, message_id)

    def _newest_known(self) -> int:
        """The newest message id that is known. Events may arrive later than responses: a sent message is in `ids` even
        if its event has not arrived yet.
        """
        return max([self._context.state.max_message_id, *self._sent.ids])

    def _confirm(self, item: OutboxItem, message_id: int) -> None:
        """Handles the server's report that this entry became that message."""
        if message_id in self._sent.ids and item.state is not SENT:
            # That message already counts as another entry with the same text: one of the two was not sent.
            self._unconfirmed.taken(item)
        else:
            self._sent.confirm(item, message_id)

    def _not_sent(self, item: OutboxItem, state: OutboxState, error: str | None, tried_before: bool) -> None:
        """Leaves SENDING after a request that certainly had no effect."""
        if not self._store.has(item) or item.state is not SENDING:
            return
        if item.cancel_requested:
            state, error = FAILED, CANCELLED
        item.record = replace(item.record, tried=tried_before)
        self._store.step(item, state, error)
