"""The local drafts: in memory, and in the journal at most a fraction of a second later."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future

from msgspec import Struct, field
from msgspec.structs import replace

from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.draft_rows import is_same_version, merge_rows
from narrowcast_api.resources.drafts import DraftVersion, ServerDraft
from narrowcast_api.state.changes import DraftsChanged
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.storage.records import Draft

MOST_MISSING = 50
"""The texts of missing drafts that are kept, the newest ones."""

MISSING_FOR = 30 * 86_400.0
"""Seconds for which they are kept."""

SAVE_AFTER = 0.3
"""The maximum number of seconds that typed text is only in memory; the first change after a pause is written
at once.
"""


class DraftItem(Struct):
    """One draft in memory.

    `expected` are versions that were sent and whose events have not arrived, oldest first. `busy`: a request
    about it is in progress. `due` is the monotonic time of its next request, `dirty_since` limits how long
    typing may delay that. `unsaved`: newer than the journal. `agreed` is the text that the journal had when
    it was last read or written here. `apart`: this text does not follow from that one, even if it equals it,
    because both windows have typed. `sent_at` is when the text was sent to the server as an edit of an older
    one (UTC seconds); None if the text is from another device, or is the first one of this draft, which any
    device that changes it has seen. `refused`: why the server rejected this text for this destination.
    `removed`: the draft was sent or deleted elsewhere while its text was changed here, and nobody was told yet.
    """

    record: Draft
    expected: list[DraftVersion] = field(default_factory=list)
    busy: bool = False
    due: float = 0.0
    dirty_since: float | None = None
    unsaved: bool = False
    agreed: DraftVersion | None = None
    apart: bool = False
    sent_at: float | None = None
    refused: str | None = None
    removed: bool = False

    def set(self, **changes: object) -> None:
        """Replaces fields of the record."""
        self.record = replace(self.record, **changes)


def _read(record: Draft, before: DraftItem | None = None) -> DraftItem:
    """Returns the item for a journal record; an existing item is updated."""
    if before is None:
        return DraftItem(record, agreed=record.version)
    before.record = replace(record, error=before.record.error)
    before.agreed, before.apart = record.version, False
    return before


class DraftStore:
    """All drafts of the account, with their journal."""

    def __init__(
        self,
        context: SessionContext,
    ) -> None:
        self._context = context
        self._journal = context.journal
        self._clock = context.clock
        self.new_id = context.new_id
        self._items = {record.draft_id: _read(record) for record in self._journal.load_drafts()}
        self._forgotten: dict[str, DraftItem] = {}
        """Deleted drafts that may come back: another window may have written them before they were deleted here."""
        self._last_write = -SAVE_AFTER
        self._save_at = 0.0
        # A crash between writing the two rows of a conflict must not leave a link to a missing draft.
        for item in self._items.values():
            if item.record.conflict_with not in self._items:
                item.set(conflict_with=None)

    def __iter__(self) -> Iterator[DraftItem]:
        return iter(list(self._items.values()))

    def get(self, draft_id: str) -> DraftItem | None:
        """The draft with this id, even if it is being deleted on the server."""
        return self._items.get(draft_id)

    def has(self, item: DraftItem) -> bool:
        """Whether the draft is still in the store."""
        return self._items.get(item.record.draft_id) is item

    def of_server(self, server_id: int) -> DraftItem | None:
        """The draft that has this id on the server."""
        for item in self._items.values():
            if item.record.server_id == server_id:
                return item
        return None

    def rescued(self, version: DraftVersion) -> DraftItem | None:
        """A draft with this text that was created from overwritten text and is not on the server yet: the other device
        may create it there, too.
        """
        for item in self._items.values():
            record = item.record
            is_here_only = record.server_id is None and not (item.busy or record.posting or record.deleted)
            if record.conflict_with and is_here_only and is_same_version(record.version, version):
                return item
        return None

    def with_text(self, version: DraftVersion) -> DraftItem | None:
        """A draft on the server with this text."""
        for item in self._items.values():
            if (
                item.record.synced
                and not item.record.deleted
                and is_same_version(item.record.version, version)
            ):
                return item
        return None

    def posted(self, version: DraftVersion) -> DraftItem | None:
        """A draft that was, or may have been, created on the server with this text."""
        for item in self._items.values():
            if item.record.posting and is_same_version(item.record.base, version):
                return item
        return None

    def add(self, record: Draft) -> DraftItem:
        """Adds a new draft and writes it at once."""
        item = DraftItem(record)
        self._items[record.draft_id] = item
        self.save(item)
        return item

    def add_from_server(self, draft: ServerDraft) -> DraftItem:
        """Adds a draft that another device wrote."""
        return self.add(
            Draft(
                self.new_id(),
                draft.version,
                draft.timestamp,
                server_id=draft.id,
                base=draft.version,
                dirty=False,
            )
        )

    def save(self, item: DraftItem) -> None:
        """Writes the draft at once and notifies the app."""
        self.put(item)
        self._context.publish(DraftsChanged())

    def put(self, item: DraftItem) -> Future[bool]:
        """Writes the draft; the future resolves with whether that worked. Another window may be first: see
        `take_in`.
        """
        item.unsaved = False
        self._last_write = self._clock.monotonic()
        before = item.record.revision
        item.set(revision=self._journal.next_revision())
        written = self._journal.put_draft(item.record, over=before)
        version, draft_id = item.record.version, item.record.draft_id

        def done(write: Future[bool]) -> None:
            if write.result() and not self.is_lost(draft_id):
                item.agreed, item.apart = version, False

        written.add_done_callback(done)
        return written

    def is_lost(self, draft_id: str) -> bool:
        """Whether another window wrote the draft before this one could."""
        return self._journal.is_lost("drafts", draft_id)

    def save_soon(self, item: DraftItem) -> None:
        """Writes the draft within `SAVE_AFTER` seconds, because it is being typed."""
        if not any(other.unsaved for other in self):
            self._save_at = self._last_write + SAVE_AFTER  # other writes until then do not delay it
        item.unsaved = True
        if self._clock.monotonic() >= self._save_at:
            self.save(item)
        else:
            self._context.publish(DraftsChanged())

    def save_due(self) -> float | None:
        """Writes what is due; returns the seconds until more is, None if everything is written."""
        if not any(item.unsaved for item in self):
            return None
        wait = self._save_at - self._clock.monotonic()
        if wait > 0:
            return wait
        self.save_all()
        return None

    def save_all(self) -> None:
        """Writes everything that is newer than the journal."""
        for item in self:
            if item.unsaved:
                self.save(item)

    def forget(self, item: DraftItem) -> None:
        """Removes a draft that is deleted here and on the server."""
        self.unlink(item)
        record = item.record
        if self._items.pop(record.draft_id, None) is None:
            return
        # Without a revision its row was deleted before: a row in the journal now is another window's.
        if record.revision is not None:
            self._forgotten[record.draft_id] = item
            deletion = self._journal.delete_draft(record.draft_id, over=record.revision)
            deletion.add_done_callback(lambda write: self._deleted(item, is_on_disk=write.result()))
        elif self._journal.is_pending("drafts", record.draft_id) or self.is_lost(record.draft_id):
            self._forgotten[record.draft_id] = item
        self._context.publish(DraftsChanged())

    def _deleted(self, item: DraftItem, *, is_on_disk: bool) -> None:
        """In any thread: if no other window was faster, the draft does not come back."""
        draft_id = item.record.draft_id
        is_gone = is_on_disk and not self.is_lost(draft_id)
        if is_gone and self._forgotten.get(draft_id) is item:
            self._forgotten.pop(draft_id, None)

    def keep_missing(self, item: DraftItem) -> None:
        """Keeps the text of a draft that the server does not have any more, for the user to restore."""
        self.unlink(item)
        if self._has_other(item.record):
            self.forget(item)
            return
        item.expected.clear()
        item.set(server_id=None, base=None, posting=False, dirty=False, missing_since=self._clock.now())
        self.save(item)

    def keep_replaced(self, record: Draft) -> None:
        """Keeps the text that a draft had before the server's replaced it, in the same way."""
        if not self._has_other(record):
            now = self._clock.now()
            self.add(Draft(self.new_id(), record.version, record.edited, dirty=False, missing_since=now))

    def _has_other(self, record: Draft) -> bool:
        """Whether another draft has the same text."""
        return any(
            item.record.is_listed
            and item.record.draft_id != record.draft_id
            and is_same_version(item.record.version, record.version)
            for item in self
        )

    def missing(self) -> list[Draft]:
        """The texts that are kept in this way, the last one first."""
        found = [item.record for item in self if item.record.missing_since is not None]
        return sorted(found, key=lambda draft: (draft.missing_since or 0.0, draft.edited), reverse=True)

    def forget_old_missing(self) -> None:
        """Removes those that are kept no longer."""
        since = self._clock.now() - MISSING_FOR
        for number, record in enumerate(self.missing()):
            item = self._items[record.draft_id]
            if number >= MOST_MISSING or (record.missing_since or 0.0) < since:
                self.forget(item)

    def drop(self, item: DraftItem) -> None:
        """Deletes the draft's row in the journal: after a crash it is not needed any more."""
        self._journal.delete_draft(item.record.draft_id, over=item.record.revision)
        item.set(revision=None)  # if it is edited after all, it is a new row

    def take_in(self, changes: JournalChanges, *, is_leader: bool) -> list[DraftItem]:
        """Takes in what other windows have written; returns the drafts that changed. Text written here at the
        same time is merged with it (see `narrowcast_api.protocols.draft_rows`). `is_leader`: this window
        synchronizes drafts with the server.
        """
        lost = changes.lost_of("drafts")
        taken = []
        for draft_id, theirs in changes.drafts().items():
            item = self._items.get(draft_id)
            before = item.record.generation if item is not None else 0
            if self._journal.is_pending("drafts", draft_id):
                continue  # written here since the journal was read: it will be reported again, as lost
            if theirs is not None and item is not None and theirs.revision == item.record.revision:
                continue
            if item is None:
                gone = self._forgotten.get(draft_id) if draft_id in lost else None
                item = self._appeared(theirs, gone, is_leader=is_leader)
            elif theirs is None:
                self._vanished(item, written_here=item.unsaved or draft_id in lost)
            elif item.unsaved or draft_id in lost:
                self._merge_in(item, theirs, is_leader=is_leader)
            else:
                self._items[draft_id] = item = _read(theirs, item)
            if item is not None and self.has(item):
                item.removed = item.removed or item.record.generation > before
                taken.append(item)
        self._forgotten.clear()
        self._context.publish(DraftsChanged())
        return taken

    def _appeared(self, theirs: Draft | None, gone: DraftItem | None, *, is_leader: bool) -> DraftItem | None:
        """Adds a draft that another window wrote, possibly one that was being deleted here: `gone`."""
        if theirs is None:
            return None
        item = self._items[theirs.draft_id] = _read(theirs)
        if gone is not None and theirs.version in (gone.record.version, gone.agreed):
            item.set(deleted=True, dirty=True)
            self.save(item)
        elif gone is not None and item.record.is_listed:
            item.set(generation=theirs.generation + 1)
            if is_leader:
                item.set(server_id=None, base=None, posting=False, dirty=True)
            self.save(item)
        return item

    def _vanished(self, item: DraftItem, *, written_here: bool) -> None:
        """Removes a draft that another window deleted. Text that the other window had not seen is kept as a
        new draft.
        """
        if written_here and not item.record.deleted and item.record.version != item.agreed:
            item.expected.clear()
            item.removed = True
            item.set(server_id=None, base=None, posting=False, dirty=True, revision=None)
            self.save(item)
        else:
            self._items.pop(item.record.draft_id, None)

    def _merge_in(self, item: DraftItem, theirs: Draft, *, is_leader: bool) -> None:
        written_here = item.apart or item.record.version != item.agreed
        merged, both = merge_rows(
            item.record, theirs, item.agreed, written_here=written_here, is_leader=is_leader
        )
        item.record, item.agreed, item.apart = merged, theirs.version, written_here
        if merged.deleted and not merged.dirty:
            self.drop(item)
        elif both:
            other = Draft(self.new_id(), theirs.version, theirs.edited)
            self.link(item, self.add(other))
        else:
            self.save(item)

    def link(self, mine: DraftItem, theirs: DraftItem) -> None:
        """Links the two texts of a conflict."""
        self.unlink(mine)
        mine.set(conflict_with=theirs.record.draft_id)
        theirs.set(conflict_with=mine.record.draft_id)
        self.save(mine)
        self.save(theirs)

    def unlink(self, item: DraftItem) -> None:
        """Ends a conflict: removes the links between its two drafts."""
        other = self._items.get(item.record.conflict_with or "")
        for side in (item, other):
            if side is not None and side.record.conflict_with is not None:
                side.set(conflict_with=None)
                self.save(side)

    def conflicts(self) -> list[tuple[Draft, Draft]]:
        """Pairs of drafts, mine and theirs, between which the user has to choose."""
        pairs: dict[frozenset[str], tuple[Draft, Draft]] = {}
        for item in self:
            other = self._items.get(item.record.conflict_with or "")
            if other is None or other.record.deleted or item.record.deleted:
                continue
            pair = frozenset({item.record.draft_id, other.record.draft_id})
            pairs.setdefault(pair, (item.record, other.record))
        return list(pairs.values())
