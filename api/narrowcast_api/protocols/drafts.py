"""Drafts: kept here within a second, and the same on all devices of the user.

    typed ──> memory ──0.3 s──> journal ──2 s without a key, 10 s at most──> server
                                   │
       server_id None              │            server_id set
       ┌───────────────────────────┴─────┐      ┌────────────────────────────────────┐
       │ dirty ──POST──> posting ──answer or `add` event──> clean <──PATCH── dirty   │
       │   ^                │            │      │   │                        ^       │
       │   └─not connected──┘            │      │   └── typed, or conflict ──┘       │
       │   outcome unknown: GET, compare │      │ deleted ──DELETE──> gone           │
       └─────────────────────────────────┘      └────────────────────────────────────┘

The journal is the truth, for all windows of the account: each writes drafts down, one of them speaks to the server
about them (`lead`), and the others learn from the journal what came of it. Where the user's setting is off nothing
is sent and drafts are simply local.
Contract: DRF-01 to DRF-18, EVT-04.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

from narrowcast_api.backoff import RetryTime
from narrowcast_api.characters import encodable
from narrowcast_api.clock import Clock
from narrowcast_api.errors import (
    NOT_DONE,
    REFUSED,
    ApiError,
    NarrowcastError,
    RedirectRefused,
)
from narrowcast_api.model.drafts import DraftVersion, ServerDraft
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.alarm import Alarm, log
from narrowcast_api.protocols.draft_merge import DraftMerge
from narrowcast_api.protocols.draft_rows import same
from narrowcast_api.protocols.draft_store import DraftItem, DraftRequests, DraftStore
from narrowcast_api.protocols.outbox_item import MessageLimits, unfit
from narrowcast_api.state.changes import Change, DraftsChanged
from narrowcast_api.storage.journal import Journal, committed
from narrowcast_api.storage.journal_changes import JournalChanges
from narrowcast_api.storage.records import Draft

__all__ = ["Draft", "DraftRequests", "Drafts", "ServerDraft"]

SYNC_AFTER = 2.0
"""Seconds without a key before the server is told."""

SYNC_AT_LATEST = 10.0
"""Seconds after which the server is told although keys keep coming."""

_CHECK_EVERY = 30.0

_LOCAL_ONLY = {
    "null": "Saved on this device only: it has a null character.",
    "content": "Saved on this device only: it is too long for this server.",
    "topic": "Saved on this device only: its topic is too long for this server.",
}


class Drafts:
    """The user's drafts. All methods return at once; `run` is a task of the session.

    `enabled` is the user's setting `enable_drafts_synchronization`; it, `limits` and `online` are read when
    needed. Call `on_*` for events of type drafts, `on_snapshot` after every registration, `on_setting` when
    the setting changes, `wake` when the connection is live again and `flush` before the process ends. `on_journal`
    is for what other windows have written. Without `leads` another window speaks to the server, until `lead`.
    """

    def __init__(
        self,
        *,
        requests: DraftRequests,
        journal: Journal,
        clock: Clock,
        changed: Callable[[Change], None],
        enabled: Callable[[], bool],
        limits: Callable[[], MessageLimits],
        online: Callable[[], bool],
        leads: bool = True,
        heard_of: Callable[[], Collection[int]] = tuple,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        self._requests = requests
        self._journal = journal
        self._clock = clock
        self._enabled = enabled
        self._limits = limits
        self._online = online
        self._leads = leads
        self._heard_of = heard_of
        self._behind = False
        """Whether the server may have said something that nobody here has heard."""
        self._alarm = Alarm(clock)
        self._typed = Alarm(clock)
        self._retry = RetryTime(clock, 1.0, 60.0)

        def published() -> None:
            changed(DraftsChanged())

        if new_id is None:
            self._store = DraftStore(journal=journal, clock=clock, changed=published)
        else:
            self._store = DraftStore(journal=journal, clock=clock, changed=published, new_id=new_id)
        self._merge = DraftMerge(self._store, clock)

    # what the app calls

    def save(self, draft_id: str | None, destination: Destination | None, content: str) -> str:
        """Keep this text; the draft's id, new if None was given. A blank text deletes the draft.

        Call it for every change of the text or the address: it costs no more than a dict entry.
        """
        draft_id = draft_id or self._store.new_id()
        if not content.strip():
            self.delete(draft_id)
            return draft_id
        # What cannot be encoded cannot be stored or sent either.
        version = DraftVersion(destination, encodable(content))
        wall = self._clock.now()
        item = self._store.get(draft_id)
        if item is None:
            item = self._store.add(Draft(draft_id, version, wall))
        elif item.record.version == version and not item.record.deleted:
            return draft_id
        else:
            if item.record.deleted and not item.record.dirty:
                self._merge.detach(item)  # the server has deleted it already
            known = item.record.server_id is not None and same(version, item.record.base)
            in_step = known and not item.expected and not item.record.deleted
            item.set(version=version, edited=wall, deleted=False, dirty=not in_step)
            self._store.keep_soon(item)
            self._typed.ring()
        item.set(error=self._unfit(version))
        self._tell_soon(item)
        return draft_id

    def _tell_soon(self, item: DraftItem) -> None:
        """The server is to hear of it when no more keys come, or after a while of them."""
        now = self._clock.monotonic()
        item.dirty_since = now if item.dirty_since is None else item.dirty_since
        item.due = now if item.record.deleted else min(now + SYNC_AFTER, item.dirty_since + SYNC_AT_LATEST)
        self._alarm.ring()

    def delete(self, draft_id: str) -> None:
        """Drop a draft, here and on the server: sent, or not wanted any more."""
        item = self._store.get(draft_id)
        if item is None or item.record.deleted:
            return
        self._store.unlink(item)
        if item.record.server_id is None and not item.record.posting:
            self._store.forget(item)
            return
        item.set(deleted=True, dirty=True)
        item.due = self._clock.monotonic()
        self._store.keep(item)
        self._alarm.ring()

    def get(self, draft_id: str) -> Draft | None:
        """A draft by its id; None for one that was deleted."""
        item = self._store.get(draft_id)
        return None if item is None or item.record.deleted else item.record

    def all(self) -> list[Draft]:
        """All drafts, the one edited last first."""
        drafts = [item.record for item in self._store if not item.record.deleted]
        return sorted(drafts, key=lambda draft: (draft.edited, draft.draft_id), reverse=True)

    def conflicts(self) -> list[tuple[Draft, Draft]]:
        """Drafts written on two devices at once; `delete` the text that is not wanted, or `settle`."""
        return self._store.conflicts()

    def settle(self, draft_id: str) -> None:
        """The user wants both texts: they are two drafts from now on."""
        item = self._store.get(draft_id)
        if item is not None:
            self._store.unlink(item)

    # what the session calls

    def on_added(self, drafts: Sequence[ServerDraft]) -> None:
        if not self._leads:
            return
        self._merge.added(drafts)
        self._alarm.ring()

    def on_updated(self, drafts: Sequence[ServerDraft]) -> None:
        """Event drafts, op update."""
        if not self._leads:
            return
        self._merge.updated(drafts)
        self._alarm.ring()

    def on_removed(self, server_id: int) -> None:
        """Event drafts, op remove."""
        if not self._leads:
            return
        self._merge.removed(server_id)
        self._alarm.ring()

    def on_snapshot(self, drafts: Sequence[ServerDraft]) -> None:
        """The drafts of a registration."""
        if self._leads:
            self._behind = self._enabled() and self._merge.snapshot(drafts)
            if not self._enabled():
                self._merge.make_local()
        self.wake()

    def on_setting(self) -> None:
        """The user turned syncing on or off."""
        if self._leads and not self._enabled():
            self._merge.make_local()
        for item in self._store:
            item.set(error=self._unfit(item.record.version))
        self.wake()

    def on_journal(self, changes: JournalChanges) -> None:
        """Other windows have written to the journal."""
        if not changes.drafts():
            return
        for item in self._store.take_in(changes, leads=self._leads):
            item.set(error=self._unfit(item.record.version))
            if item.record.dirty:
                self._tell_soon(item)
        self._alarm.ring()  # there may be a copy of what two windows wrote at the same time

    def lead(self) -> None:
        """The window that spoke to the server about drafts has ended: this one does from now on."""
        if not self._leads:
            self._leads = self._behind = True
            self._alarm.ring()

    def wake(self) -> None:
        """The connection is live again: try now."""
        self._retry.clear()
        self._alarm.ring()

    def flush(self, timeout: float | None = 1.0) -> bool:
        """Put everything on the disk and wait for it, at most `timeout` seconds; for endings."""
        self._store.keep_all()
        return self._journal.flush(timeout)

    async def run(self) -> None:
        """Write to the journal and sync with the server, for ever. Neither waits for the other."""
        writing = asyncio.ensure_future(self._write())
        try:
            while True:
                await self._alarm.wait(await self._sync_due())
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            self._store.keep_all()

    async def _write(self) -> None:
        while True:
            await self._typed.wait(self._store.keep_due())

    # syncing: one request at a time

    async def _sync_due(self) -> float | None:
        """Make the request that is due, if any; seconds until the next one."""
        waiting = [item for item in self._store if self._wants_sync(item)]
        if not self._leads or not (waiting or self._behind) or not self._enabled():
            return None
        if not self._online():
            return _CHECK_EVERY
        if self._behind:
            return await self._catch_up()
        item = min(waiting, key=lambda item: item.due)
        wait = max(item.due, self._retry.at) - self._clock.monotonic()
        if wait > 0:
            return wait
        item.busy = True
        try:
            await self._sync(item)
        finally:
            item.busy = False
        return 0.0

    async def _catch_up(self) -> float:
        """Compare with what the server has now; seconds until the next request."""
        wait = self._retry.at - self._clock.monotonic()
        if wait > 0:
            return wait
        try:
            drafts = await self._requests.fetch()
        except NarrowcastError as error:
            self._retry.failed(error)
            log.info("drafts cannot be compared: %s", error)
            return _CHECK_EVERY if isinstance(error, ApiError) else 0.0
        self._retry.worked()
        if self._behind:  # else a registration was faster
            self._behind = False
            self._merge.fetched(drafts, self._heard_of())
        return 0.0

    def _wants_sync(self, item: DraftItem) -> bool:
        record = item.record
        return record.dirty and (record.deleted or item.record.error is None)

    async def _sync(self, item: DraftItem) -> None:
        item.dirty_since = None
        record = item.record
        item.set(error=None if record.deleted else self._unfit(record.version))
        if item.record.error is not None:
            self._store.keep(item)
            return
        try:
            if record.posting:
                await self._look(item)
            elif record.deleted:
                await self._delete(item)
            elif record.server_id is None:
                await self._create(item)
            else:
                await self._edit(item, record.server_id)
        except (*REFUSED, RedirectRefused) as error:
            self._refuse(item, error)
        except NarrowcastError as error:
            self._retry.failed(error)
            log.info("drafts are not synced: %s", error)
        else:
            self._retry.worked()
        if not self._enabled():
            self._merge.make_local()

    async def _create(self, item: DraftItem) -> None:
        sent = item.record.version
        item.set(posting=True, base=sent)
        if not await self._written(item):
            item.set(posting=False, base=None)
            return
        item.expected.append(sent)
        try:
            server_id = await self._requests.create(sent, item.record.edited)
        except NOT_DONE:
            item.expected.clear()
            if self._store.holds(item) and item.record.server_id is None:
                self._never_created(item)
            raise
        if self._store.holds(item):
            self._merge.created(item, server_id, sent)

    async def _written(self, item: DraftItem) -> bool:
        """Have it in the journal before a request leaves; False if another window has written it meanwhile."""
        await committed(self._store.put(item))
        if not self._store.holds(item):
            return False
        if self._store.is_lost(item.record.draft_id):
            item.due = self._clock.monotonic() + SYNC_AFTER  # the journal is read again until then
            return False
        return True

    def _never_created(self, item: DraftItem) -> None:
        item.set(posting=False, base=None)
        if item.record.deleted:
            self._store.forget(item)
        else:
            self._store.keep(item)

    async def _look(self, item: DraftItem) -> None:
        """A request to create this draft may have worked: see before it is made again."""
        for draft in await self._requests.fetch():
            if self._store.of_server(draft.id) is None and same(draft.version, item.record.base):
                self._merge.created(item, draft.id, draft.version)
                return
        if self._store.holds(item) and item.record.posting:
            item.expected.clear()
            self._never_created(item)

    async def _edit(self, item: DraftItem, server_id: int) -> None:
        sent = item.record.version
        # A copy made of a conflicting text is in the journal before the server's is overwritten.
        if not await self._written(item):
            return
        if sent not in item.expected:
            item.expected.append(sent)
        try:
            await self._requests.edit(server_id, sent, item.record.edited)
        except NOT_DONE as error:
            if sent in item.expected:
                item.expected.remove(sent)
            if not _is_missing(error):
                raise
            if self._store.holds(item) and item.record.server_id == server_id:
                self._merge.detach(item)
            return
        if self._store.holds(item) and sent in item.expected:  # else its event was first
            record = item.record
            item.set(base=sent, dirty=record.deleted or not same(record.version, sent))
            self._store.keep(item)

    async def _delete(self, item: DraftItem) -> None:
        server_id = item.record.server_id
        if server_id is not None:
            try:
                await self._requests.delete(server_id)
            except ApiError as error:
                if not _is_missing(error):
                    raise
        if not self._store.holds(item):
            return
        if item.record.deleted:
            self._merge.deleted(item)
        elif item.record.server_id == server_id:
            self._merge.detach(item)  # the user wrote on while it was being deleted

    def _refuse(self, item: DraftItem, error: NarrowcastError) -> None:
        """The server will not have it; asking again changes nothing."""
        log.info("draft is kept here only: %s", error)
        if not self._store.holds(item):
            return
        if item.record.deleted:
            self._store.forget(item)
        else:
            item.set(error=f"Saved on this device only: {error.user_message}")
            self._store.keep(item)

    def _unfit(self, version: DraftVersion) -> str | None:
        """Why a server would refuse or cut this text, so that it is not sent there."""
        misfit = unfit(self._limits(), version.destination, version.content)
        return None if misfit is None else _LOCAL_ONLY[misfit.kind]


def _is_missing(error: NarrowcastError) -> bool:
    """Whether the server says that it has no such draft (DRF-15): by status, or in words with a 400."""
    return isinstance(error, ApiError) and (error.status == 404 or "does not exist" in error.msg)
