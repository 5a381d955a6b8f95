"""Messages that the server may have: looked for there until the outcome is known.

A connection that falls silent (`NoResponse`) has most likely lost the request: a message that is still not
found after the server has responded to three searches is sent again automatically, unless it may be a message
that was edited since and whose first text the server does not show. It then arrives twice if the server had
the request after all and carries it out only after the last search, at least 40 seconds after it was sent.
After an interrupted connection or a server fault the server may still be processing it: then the user
decides. After some searches that the server could not carry out, the user is told that it is not known
whether the message arrived, and it is looked for from time to time until that is known. Messages that failed
after an attempt are also looked for once when the app starts.
"""

from __future__ import annotations

import asyncio
import logging

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import REJECTED, NarrowcastError, NoResponse, NotConnected, RateLimited
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.outbox_item import (
    BLOCKS_FOR,
    CANCELLED,
    SEARCH_AFTER,
    OutboxItem,
    matching,
)
from narrowcast_api.protocols.outbox_requests import OutboxRequests
from narrowcast_api.protocols.outbox_sent import SentMessages
from narrowcast_api.protocols.outbox_store import FAILED, SENDING, UNCONFIRMED, WAITING, OutboxStore
from narrowcast_api.storage.journal import deliver_changes

log = logging.getLogger(__name__)

SEARCH_AFTER_NO_RESPONSE = (1.0, 3.0, 6.0)
"""The same for a message on a connection that fell silent, which is sent again automatically after the last search."""

MAX_FAILED_SEARCHES = 6
"""Searches that may fail, over half a minute, before the message counts as failed."""

SEARCH_AGAIN_EVERY = 30.0
"""Seconds between two searches from then on."""

_TAKEN = "The same message from another window was sent. Checking whether this one was."
_NOT_THERE = "No response, and the message is not on the server. Resend or cancel it."
_MAY_BE_EDITED = "No response. It may be your message here that was edited since. Resend or cancel it."


class UnconfirmedMessages:
    """The transitions of the outbox from UNCONFIRMED to SENT, to FAILED, or back to WAITING."""

    def __init__(
        self,
        store: OutboxStore,
        sent: SentMessages,
        context: SessionContext,
        requests: OutboxRequests,
        *,
        wakeup: Wakeup,
        retry: RetryTime,
    ) -> None:
        self._store = store
        self._sent = sent
        self._context = context
        self._requests = requests
        self._journal = context.journal
        self._clock = context.clock
        self._wakeup = wakeup
        self._retry = retry

    def add(self, item: OutboxItem, error: BaseException) -> None:
        """Handles a request that ended with this error, although the message may have arrived."""
        if not self._store.has(item) or item.state is not SENDING:
            return
        if not isinstance(error, NarrowcastError | asyncio.CancelledError):
            log.error("sending failed in an unforeseen way", exc_info=error)
        item.searches = item.failures = 0
        item.got_no_response, item.sent_at = isinstance(error, NoResponse), None
        item.due = self._clock.monotonic() + SEARCH_AFTER[0]
        text = error.user_message if isinstance(error, NarrowcastError) else "Sending was interrupted."
        self._store.step(item, UNCONFIRMED, f"{text} Checking whether it was sent.")

    def taken(self, item: OutboxItem) -> None:
        """Handles an item whose message another window has claimed for an item with the same text: one of the
        two was not sent.
        """
        if self._store.has(item) and item.state is SENDING:
            item.searches = item.failures = 0
            item.due = self._clock.monotonic() + SEARCH_AFTER[0]
            self._store.step(item, UNCONFIRMED, _TAKEN)

    async def search(self, item: OutboxItem) -> None:
        """Looks for the message on the server once. Before the time of the next search, it only can be found."""
        record = item.record
        item.extra_search, counts = False, item.due <= self._clock.monotonic()
        try:
            candidates = await self._requests.find(record.destination, record.floor_id or 0)
        except (NotConnected, RateLimited) as error:
            self._retry.failed(error)
            return
        except NarrowcastError as error:
            if counts:
                self._search_failed(item, error)
            return
        self._retry.succeeded()
        await self._read_journal()  # another window with the same text may know which message is its own
        if not self._store.has(item) or item.state is not UNCONFIRMED:
            return
        match = matching(record.content, candidates, self._sent.ids)
        if match is not None and self._store.has_rival(item):
            item.due = self._clock.monotonic() + SEARCH_AFTER[0]
            return
        if match is not None:
            self._sent.confirm(item, match)
        elif counts:
            others = [found for found in candidates if found.message_id not in self._sent.ids]
            self._not_found(item, may_be_edited=not all(found.is_original for found in others))

    def search_again(self, destination: Destination) -> None:
        """Looks at once in a conversation where a message of the current user arrived without an entry: an
        attempt that counts as failed may have succeeded late. The searches whose turn is later take place too.
        """
        for item in self._store.own():
            if item.key != destination.key or not item.record.tried:
                continue
            if item.state is FAILED:
                self._search_once_more(item)
                item.due = 0.0
            elif item.state is UNCONFIRMED:
                item.extra_search = True
            self._wakeup.set()

    def search_failed_messages(self) -> float | None:
        """Looks once more for failed messages that may have arrived; returns the seconds until the next
        search is due.
        """
        now = self._clock.monotonic()
        searched = [item for item in self._store.own() if item.state is FAILED and item.still_searched]
        for item in searched:
            if item.due <= now:
                item.failures = MAX_FAILED_SEARCHES + 1
                self._search_once_more(item)
        return min((item.due - now for item in searched if item.state is FAILED), default=None)

    def _search_once_more(self, item: OutboxItem) -> None:
        """Looks once for a message that had failed. If it is not found, it fails again for the same reason."""
        error = item.record.error
        item.reason = None if item.record.unknown else error
        item.searches = len(SEARCH_AFTER) - 1
        self._store.step(item, UNCONFIRMED, error)

    async def _read_journal(self) -> None:
        if self._journal.changed_elsewhere():
            await deliver_changes(self._journal.refresh(), self._context.take_in)

    def _search_failed(self, item: OutboxItem, error: NarrowcastError) -> None:
        """Handles a search that failed: retries after a pause, unless the server rejects it or has failed often."""
        if not self._store.has(item) or item.state is not UNCONFIRMED:
            return
        item.failures += 1
        item.still_searched = not isinstance(error, REJECTED) and item.failures >= MAX_FAILED_SEARCHES
        if item.still_searched:
            item.got_no_response = False  # it is reported as unknown, so the user decides
            item.due = self._clock.monotonic() + SEARCH_AGAIN_EVERY
        if isinstance(error, REJECTED) or item.still_searched:
            told = item.reason or f"It is not known whether this arrived: {error.user_message}"
            self._lost(item, told, unknown=not item.reason)
        else:
            item.due = self._clock.monotonic() + 2.0 ** (item.failures - 1)

    def _not_found(self, item: OutboxItem, *, may_be_edited: bool) -> None:
        item.searches += 1
        item.still_searched = False
        pauses = SEARCH_AFTER_NO_RESPONSE if item.got_no_response else SEARCH_AFTER
        if item.resend and not item.cancel_requested:
            item.resend = False
            self._store.step(item, WAITING)
        elif item.searches < len(pauses):
            item.due = self._clock.monotonic() + pauses[item.searches]
        elif item.cancel_requested:
            self._lost(item, CANCELLED)
        elif may_be_edited:
            self._lost(item, item.reason or _MAY_BE_EDITED)
        elif item.got_no_response:
            self._store.step(item, WAITING)
        else:
            self._lost(item, item.reason or _NOT_THERE)

    def _lost(self, item: OutboxItem, error: str, *, unknown: bool = False) -> None:
        """Fails a message that was not found: it holds back later ones for a while, since the user may want
        it sent first.
        """
        if item.failures <= MAX_FAILED_SEARCHES:  # otherwise later messages have waited already
            item.blocks_until = 0.0 if item.cancel_requested else self._clock.monotonic() + BLOCKS_FOR
        self._store.step(item, FAILED, error, unknown=unknown)
