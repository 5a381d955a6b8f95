"""Synchronization of drafts with the server, one request at a time: the machine in the diagram of `drafts`."""

from __future__ import annotations

import logging

from narrowcast_api.backoff import RetryTime
from narrowcast_api.errors import NO_EFFECT, REJECTED_OR_REDIRECTED, ApiError, NarrowcastError
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.draft_merge import DraftMerge
from narrowcast_api.protocols.draft_requests import DraftRequests
from narrowcast_api.protocols.draft_rows import is_same_version
from narrowcast_api.protocols.draft_store import DraftItem, DraftStore
from narrowcast_api.protocols.outbox_item import find_misfit
from narrowcast_api.storage.journal import committed

log = logging.getLogger(__name__)

SYNC_AFTER = 2.0
"""Seconds without typing before the server is updated."""

_CHECK_EVERY = 30.0

_LOCAL_ONLY = {
    "null": "it has a null character",
    "content": "it is too long for this server",
    "topic": "its topic is too long for this server",
}


class DraftSync:
    """Sends local changes of drafts to the server.

    It does so if `is_leader`. `behind`: the server may have changes that were not received here.
    """

    def __init__(
        self,
        store: DraftStore,
        merge: DraftMerge,
        context: SessionContext,
        requests: DraftRequests,
        *,
        is_leader: bool,
    ) -> None:
        self._store = store
        self._merge = merge
        self._context = context
        self._requests = requests
        self._clock = context.clock
        self.is_leader = is_leader
        self.behind = False
        self.retry = RetryTime(context.clock, 1.0, 60.0, "drafts")

    def check(self, item: DraftItem) -> None:
        """Records why a draft stays local: the server would reject or truncate it, or has rejected this text."""
        version = item.record.version
        misfit = find_misfit(self._context.state.limits, version.destination, version.content)
        here = self._requests.refusal(version) if misfit is None else _LOCAL_ONLY[misfit.kind]
        item.set(error=here or item.refused)

    async def step(self) -> float | None:
        """Makes the request that is due, if any; returns the seconds until the next one."""
        waiting = [item for item in self._store if self._wants_sync(item)]
        if not self.is_leader or not (waiting or self.behind) or not self._requests.enabled:
            return None
        if not self._requests.possible:
            return _CHECK_EVERY
        if self.behind:
            return await self._catch_up()
        item = min(waiting, key=lambda item: item.due)
        wait = max(item.due, self.retry.at) - self._clock.monotonic()
        if wait > 0:
            return wait
        item.busy = True
        try:
            await self._sync(item)
        finally:
            item.busy = False
        return 0.0

    async def _catch_up(self) -> float:
        """Compares with the drafts that the server has now; returns the seconds until the next request."""
        wait = self.retry.at - self._clock.monotonic()
        if wait > 0:
            return wait
        try:
            drafts = await self._requests.fetch()
        except NarrowcastError as error:
            self.retry.failed(error)
            log.info("drafts cannot be compared: %s", error)
            return _CHECK_EVERY if isinstance(error, ApiError) else 0.0
        self.retry.succeeded()
        if self.behind:  # else a registration was faster
            self.behind = False
            self._merge.fetched(drafts, self._requests.known_ids)
        return 0.0

    def _wants_sync(self, item: DraftItem) -> bool:
        record = item.record
        return record.dirty and (record.deleted or item.record.error is None)

    async def _sync(self, item: DraftItem) -> None:
        item.dirty_since = None
        record = item.record
        if not record.deleted:
            self.check(item)
            if item.record.error is not None:
                self._store.save(item)
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
        except REJECTED_OR_REDIRECTED as error:
            self._refuse(item, error)
        except NarrowcastError as error:
            self.retry.failed(error)
            log.info("drafts are not synced: %s", error)
        else:
            self.retry.succeeded()
        if not self._requests.enabled:
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
        except NO_EFFECT:
            item.expected.clear()
            if self._store.has(item) and item.record.server_id is None:
                self._never_created(item)
            raise
        if self._store.has(item):
            self._merge.created(item, server_id, sent)

    async def _written(self, item: DraftItem) -> bool:
        """Writes the draft to the journal before a request is made; returns False if another window has
        written it meanwhile.
        """
        await committed(self._store.put(item))
        if not self._store.has(item):
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
            self._store.save(item)

    async def _look(self, item: DraftItem) -> None:
        """Checks whether an earlier request to create this draft worked, before it is repeated."""
        for draft in await self._requests.fetch():
            if self._store.of_server(draft.id) is None and is_same_version(draft.version, item.record.base):
                self._merge.created(item, draft.id, draft.version)
                return
        if self._store.has(item) and item.record.posting:
            item.expected.clear()
            self._never_created(item)

    async def _compare(self, item: DraftItem, server_id: int) -> None:
        """Takes in what another device wrote before it is overwritten or deleted. Its event may be late, or
        lost with a queue that has expired unnoticed: a half-open connection reports no error for a minute.
        """
        drafts = await self._requests.fetch()
        there = next((draft for draft in drafts if draft.id == server_id), None)
        if there is not None and self._store.has(item) and item.record.server_id == server_id:
            self._merge.compared(item, there)

    async def _edit(self, item: DraftItem, server_id: int) -> None:
        await self._compare(item, server_id)
        if item.record.deleted or item.record.server_id != server_id or not self._store.has(item):
            return
        sent = item.record.version
        # A copy made of a conflicting text is in the journal before the text on the server is overwritten.
        if not await self._written(item):
            return
        if sent not in item.expected:
            item.expected.append(sent)
        item.sent_at = self._clock.now()
        try:
            await self._requests.edit(server_id, sent, item.record.edited)
        except NO_EFFECT as error:
            if sent in item.expected:
                item.expected.remove(sent)
            if not _is_missing(error):
                raise
            if self._store.has(item) and item.record.server_id == server_id:
                self._merge.outlived(item)
            return
        if self._store.has(item) and sent in item.expected:  # else its event arrived first
            record = item.record
            item.set(base=sent, dirty=record.deleted or not is_same_version(record.version, sent))
            self._store.save(item)

    async def _delete(self, item: DraftItem) -> None:
        server_id = item.record.server_id
        if server_id is not None:
            await self._compare(item, server_id)
            # Another device may have edited it meanwhile: new text takes precedence over an earlier decision
            # to delete.
            if not await self._written(item) or not item.record.deleted:
                return
            try:
                await self._requests.delete(server_id)
            except ApiError as error:
                if not _is_missing(error):
                    raise
        if not self._store.has(item):
            return
        if item.record.deleted:
            self._merge.deleted(item)
        elif item.record.server_id == server_id:
            self._merge.detach(item)  # the user continued to edit it while it was being deleted

    def _refuse(self, item: DraftItem, error: NarrowcastError) -> None:
        """Keeps a draft local that the server rejects; repeating the request would not help."""
        log.info("draft is kept here only: %s", error)
        if not self._store.has(item):
            return
        if item.record.deleted:
            self._store.forget(item)
        else:
            item.refused = error.user_message
            item.set(error=item.refused)
            self._store.save(item)


def _is_missing(error: NarrowcastError) -> bool:
    """Whether the server reports that it has no such draft (DRF-15): by status, or in the message of a 400."""
    return isinstance(error, ApiError) and (error.status == 404 or "does not exist" in error.msg)
