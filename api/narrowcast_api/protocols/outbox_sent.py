"""Messages that the server has: kept in the outbox until they are in the state, so that none disappears in
between.

Usually the message's event arrives. There is none in a channel to which the user is not subscribed: then the
message is fetched after a while, one at a time.
"""

from __future__ import annotations

from collections.abc import Collection

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import NarrowcastError, NotConnected, RateLimited
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.outbox_item import CHECK_EVERY, OutboxItem, ShowMessage
from narrowcast_api.protocols.outbox_store import SENT, OutboxStore
from narrowcast_api.tasks import Tasks

EVENT_TIMEOUT = 3.0
"""Seconds to wait for the event about a message that was sent, before it is fetched."""

MAX_PAUSE = 60.0
"""The maximum number of seconds between two attempts to fetch a message."""


class SentMessages:
    """The last step of the outbox. `ids` are the ids of the messages that its entries became."""

    def __init__(
        self,
        store: OutboxStore,
        context: SessionContext,
        *,
        show: ShowMessage,
        wakeup: Wakeup,
        tasks: Tasks,
        retry: RetryTime,
    ) -> None:
        self._store = store
        self._context = context
        self._show = show
        self._clock = context.clock
        self._wakeup = wakeup
        self._tasks = tasks
        self._retry = retry
        self._fetching = False
        self.ids = set(context.journal.load_sent())
        self._confirmed_at: dict[int, float] = {}

    def confirm(self, item: OutboxItem, message_id: int) -> None:
        """Records that the server has this entry as a message."""
        self.ids.add(message_id)
        self._confirmed_at[message_id] = self._clock.monotonic()
        if not self._store.has(item) or item.state is SENT:
            return
        item.message_id = message_id
        # Events up to the newest id have arrived: the message is in the state already, or has to be fetched.
        is_past = message_id <= self._context.state.max_message_id
        item.due = 0.0 if is_past else self._clock.monotonic() + EVENT_TIMEOUT
        self._store.step(item, SENT)
        if message_id in self._context.state.messages:
            self._drop(item)
        self._wakeup.set()

    def remove(self, message_ids: Collection[int]) -> None:
        """Removes the entries of these messages, which are in the state now."""
        for item in self._store.all():
            if item.message_id in message_ids:
                self._drop(item)

    def events_ended(self, newest_id: int) -> None:
        """Records that no more events about messages up to this id will arrive."""
        for item in self._store.all():
            if item.message_id is not None and item.message_id <= newest_id:
                item.due = 0.0

    def forget_lost(self, newest_id: int, asked_at: float) -> None:
        """Forgets messages that the server has lost: others will have their ids. A snapshot with `newest_id` that was
        requested at `asked_at` (monotonic seconds) may lack those that were confirmed since.
        """
        lost = {
            one for one in self.ids if one > newest_id and self._confirmed_at.get(one, asked_at) <= asked_at
        }
        self.ids -= lost
        self._context.journal.delete_sent(lost)

    def start_fetch(self) -> float | None:
        """Fetches a message for which no event arrived; returns the seconds until more is due, None if
        nothing is waiting.
        """
        sent = [item for item in self._store.all() if item.state is SENT]
        if not sent or self._fetching:
            return None
        if not self._context.is_live:
            return CHECK_EVERY
        first = min(sent, key=lambda item: item.due)
        wait = max(first.due, self._retry.at) - self._clock.monotonic()
        if wait > 0:
            return wait
        self._fetching = True
        self._tasks.start(self._fetch(first), "fetch a sent message")
        return None

    async def _fetch(self, item: OutboxItem) -> None:
        item.due = self._clock.monotonic() + EVENT_TIMEOUT
        try:
            if item.message_id is not None:
                await self._show(item.message_id)
            self._drop(item)
        except (NotConnected, RateLimited) as error:
            self._retry.failed(error)
        except NarrowcastError:
            item.failures += 1
            item.due = self._clock.monotonic() + min(MAX_PAUSE, EVENT_TIMEOUT * 2.0**item.failures)
        finally:
            self._fetching = False
            self._wakeup.set()

    def _drop(self, item: OutboxItem) -> None:
        if self._store.drop(item):
            self._wakeup.set()
