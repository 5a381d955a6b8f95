"""Drafts: written to disk within a second, and synchronized between all devices of the user.

    typed ──> memory ──0.3 s──> journal ──2 s without a key, 10 s at most──> server
                                   │
       server_id None              │            server_id set
       ┌───────────────────────────┴─────┐      ┌────────────────────────────────────┐
       │ dirty ──POST──> posting ─response or `add` event─> clean <──PATCH── dirty   │
       │   ^                │            │      │   │                        ^       │
       │   └─not connected──┘            │      │   └── typed, or conflict ──┘       │
       │   outcome unknown: GET, compare │      │ deleted ──DELETE──> gone           │
       └─────────────────────────────────┘      └────────────────────────────────────┘

The journal is authoritative for all windows of the account: each writes drafts to it, one of them
synchronizes them with the server (`become_leader`, `draft_sync`), and the others read the results from the
journal. If the user's setting is off, nothing is sent and drafts are only local.
Contract: DRF-01 to DRF-18, EVT-04.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from narrowcast_api.characters import encodable
from narrowcast_api.clock import Wakeup
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.draft_merge import DraftMerge
from narrowcast_api.protocols.draft_requests import DraftRequests
from narrowcast_api.protocols.draft_rows import is_same_version
from narrowcast_api.protocols.draft_store import DraftItem, DraftStore
from narrowcast_api.protocols.draft_sync import SYNC_AFTER, DraftSync
from narrowcast_api.resources.drafts import DraftVersion, ServerDraft
from narrowcast_api.state.changes import DraftsChanged
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.storage.records import Draft

__all__ = ["Draft", "Drafts", "ServerDraft"]

SYNC_AT_LATEST = 10.0
"""Seconds after which the server is updated even while typing continues."""

FLUSH_SECONDS = 1.0
"""How long closing waits for the disk."""

_ROUNDS = 3
"""How often closing a window repeats its writes when other windows write the same drafts first."""


class Drafts:
    """The user's drafts. All methods but the two that flush return at once; `run` is a task of the session.

    Call `on_*` for events of type drafts, `on_snapshot` after every registration, `on_setting` when the setting
    changes, `recheck` when what the server would reject may have changed, `wake` when the connection is live
    again and `flush` before the process ends. `on_journal` is for what other windows have written. Unless
    `is_leader`, another window synchronizes drafts with the server, until `become_leader` is called.
    """

    def __init__(self, context: SessionContext, requests: DraftRequests, *, is_leader: bool) -> None:
        self._context = context
        self._requests = requests
        self._journal = context.journal
        self._clock = context.clock
        self._written_here: set[str] = set()
        self._wakeup = Wakeup(context.clock)
        self._typed = Wakeup(context.clock)
        self._store = DraftStore(context)
        self._missing = {draft.draft_id for draft in self._store.missing()}
        self._merge = DraftMerge(self._store, context.clock)
        self._sync = DraftSync(self._store, self._merge, context, requests, is_leader=is_leader)

    # what the app calls

    def save(self, draft_id: str | None, destination: Destination | None, content: str) -> str:
        """Keeps this text; returns the draft's id, a new one if None was given. A blank text deletes the
        draft.

        May be called for every change of the text or the destination: it costs no more than a dict entry.
        """
        draft_id = draft_id or self._store.new_id()
        if not content.strip():
            self.delete(draft_id)
            return draft_id
        # Text that cannot be encoded can neither be stored nor sent.
        version = DraftVersion(destination, encodable(content))
        wall = self._clock.now()
        item = self._store.get(draft_id)
        if item is None:
            self._written_here.add(draft_id)
            item = self._store.add(Draft(draft_id, version, wall))
        elif item.record.version == version and item.record.is_listed:
            return draft_id
        else:
            if item.record.deleted and not item.record.dirty:
                self._merge.detach(item)  # the server has deleted it already
            on_server = item.record.server_id is not None and is_same_version(version, item.record.base)
            in_step = on_server and not item.expected and not item.record.deleted
            item.set(version=version, edited=wall, deleted=False, dirty=not in_step, missing_since=None)
            self._store.save_soon(item)
            self._typed.set()
        item.refused = None
        self._sync.check(item)
        self._sync_soon(item)
        return draft_id

    def _sync_soon(self, item: DraftItem) -> None:
        """Schedules the request: when typing pauses, or after a while of continuous typing."""
        now = self._clock.monotonic()
        item.dirty_since = now if item.dirty_since is None else item.dirty_since
        item.due = now if item.record.deleted else min(now + SYNC_AFTER, item.dirty_since + SYNC_AT_LATEST)
        self._wakeup.set()

    def delete(self, draft_id: str) -> None:
        """Deletes a draft, here and on the server, because it was sent or is not wanted any more."""
        item = self._store.get(draft_id)
        if item is None or item.record.deleted:
            return
        self._written_here.add(draft_id)
        self._store.unlink(item)
        if item.record.server_id is None and not item.record.posting:
            self._store.forget(item)
            return
        item.set(deleted=True, dirty=True)
        item.due = self._clock.monotonic()
        self._store.save(item)
        self._wakeup.set()

    def get(self, draft_id: str) -> Draft | None:
        """A draft by its id; None for one that was deleted."""
        item = self._store.get(draft_id)
        return item.record if item is not None and item.record.is_listed else None

    def all(self) -> list[Draft]:
        """All drafts, the one edited last first."""
        drafts = [item.record for item in self._store if item.record.is_listed]
        return sorted(drafts, key=lambda draft: (draft.edited, draft.draft_id), reverse=True)

    def missing(self) -> list[Draft]:
        """The texts that the server was found not to have any more, the last one first: another device sent, deleted
        or replaced them while this one was away, or the server was restored to an older state. `save` restores one
        as a draft, `delete` forgets it.
        """
        return self._store.missing()

    def newly_missing(self) -> int:
        """The number of those since the last call, or since this process began."""
        before, self._missing = self._missing, {draft.draft_id for draft in self._store.missing()}
        return len(self._missing - before)

    def was_removed(self, draft_id: str) -> bool:
        """Whether the draft was sent or deleted elsewhere while its text was changed here, so that it is a new
        draft now; true only once.
        """
        item = self._store.get(draft_id)
        if item is None or not item.removed:
            return False
        item.removed = False
        return True

    def is_from_elsewhere(self, draft_id: str) -> bool:
        """Whether this process has neither created nor deleted the draft: another device or window wrote it, or an
        earlier process did.
        """
        return draft_id not in self._written_here

    def conflicts(self) -> list[tuple[Draft, Draft]]:
        """Drafts written on two devices at once; `delete` the unwanted text, or `keep_both`."""
        return self._store.conflicts()

    def keep_both(self, draft_id: str) -> None:
        """Keeps both texts of a conflict, as two separate drafts."""
        item = self._store.get(draft_id)
        if item is not None:
            self._store.unlink(item)

    # what the session calls

    def on_added(self, drafts: Sequence[ServerDraft]) -> None:
        if not self._sync.is_leader:
            return
        self._merge.added(drafts)
        self._wakeup.set()

    def on_updated(self, drafts: Sequence[ServerDraft]) -> None:
        """Event drafts, op update."""
        if not self._sync.is_leader:
            return
        self._merge.updated(drafts)
        self._wakeup.set()

    def on_removed(self, server_id: int) -> None:
        """Event drafts, op remove."""
        if not self._sync.is_leader:
            return
        self._merge.removed(server_id)
        self._wakeup.set()

    def on_snapshot(self, drafts: Sequence[ServerDraft]) -> None:
        """Handles the drafts of a registration."""
        if self._sync.is_leader:
            self._sync.behind = self._requests.enabled and self._merge.snapshot(drafts)
            self._store.forget_old_missing()
            if not self._requests.enabled:
                self._merge.make_local()
        self.recheck()
        self.wake()

    def on_setting(self) -> None:
        """Handles a change of the setting that enables synchronization."""
        if self._sync.is_leader and not self._requests.enabled:
            self._merge.make_local()
        for item in self._store:
            item.refused = None
        self.recheck()
        self.wake()

    def recheck(self) -> None:
        """Checks again which drafts the server would reject, after channels were added, removed or archived."""
        before = [item.record for item in self._store]
        for item in self._store:
            self._sync.check(item)
        if before != [item.record for item in self._store]:
            self._context.publish(DraftsChanged())
            self._wakeup.set()

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes in what other windows have written to the journal."""
        if not changes.drafts():
            return
        for item in self._store.take_in(changes, is_leader=self._sync.is_leader):
            self._sync.check(item)
            if item.record.dirty:
                self._sync_soon(item)
        self._wakeup.set()  # there may be a copy of a text that two windows wrote at the same time

    def become_leader(self) -> None:
        """Synchronizes drafts from now on: the window that did so has closed."""
        if not self._sync.is_leader:
            self._sync.is_leader = self._sync.behind = True
            self._wakeup.set()

    def wake(self) -> None:
        """Retries at once, because the connection is live again."""
        self._sync.retry.clear()
        self._wakeup.set()

    def queue_writes(self) -> None:
        """Queues all unsaved drafts for writing to the journal; they are on disk a moment later."""
        self._store.save_all()

    async def flush(self, within: float = FLUSH_SECONDS) -> None:
        """Writes everything to disk before closing, waiting at most `within` seconds in all."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                for step in self._to_disk():
                    await asyncio.wrap_future(step)

    def flush_blocking(self, within: float = FLUSH_SECONDS) -> None:
        """Like `flush`, where nothing can be awaited any more: blocks the caller's thread."""
        deadline = self._clock.monotonic() + within
        with suppress(TimeoutError):
            for step in self._to_disk():
                step.result(max(0.0, deadline - self._clock.monotonic()))

    def _to_disk(self) -> Iterator[Future[Any]]:
        """Yields futures to wait for, one after the other, until everything is on disk."""
        self.queue_writes()
        for _ in range(_ROUNDS):
            yield (written := self._journal.retry())
            if not written.result() or not any(
                self._store.is_lost(item.record.draft_id) for item in self._store
            ):
                return
            # Another window wrote one of them first: its text and the one written here are kept side by side.
            yield (read := self._journal.refresh())
            self._context.take_in(read.result())

    async def run(self) -> None:
        """Writes to the journal and synchronizes with the server until cancelled. Neither waits for the other."""
        writing = asyncio.ensure_future(self._write())
        try:
            while True:
                await self._wakeup.wait(await self._sync.step())
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            self._store.save_all()

    async def _write(self) -> None:
        while True:
            await self._typed.wait(self._store.save_due())
