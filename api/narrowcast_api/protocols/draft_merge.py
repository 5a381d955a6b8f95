"""Merges the server's drafts with those written here.

The server does not detect conflicts: the last edit wins there. So each device fetches the current text before
it overwrites or deletes it, and a device that finds that the edit of another one is being overwritten, or
would be, keeps that text as a separate draft. A text is only dropped here if it has not changed here since
the server had it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from narrowcast_api.clock import Clock
from narrowcast_api.protocols.draft_rows import is_same_version
from narrowcast_api.protocols.draft_store import DraftItem, DraftStore
from narrowcast_api.resources.drafts import DraftVersion, ServerDraft
from narrowcast_api.storage.records import Draft

SNAPSHOT_LIMIT = 1000
"""A registration contains at most this many drafts: drafts missing from such a long list may still exist."""


_DELETION_GRACE = 3.0
"""Seconds after a text was sent from here in which a deletion on another device is taken to be of the older text."""

_RESCUE_AFTER = 10.0
"""Seconds after which overwritten text is sent to the server: the other device may have kept it, too."""


class DraftMerge:
    """Applies events and snapshots to the drafts."""

    def __init__(self, store: DraftStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def added(self, drafts: Iterable[ServerDraft]) -> None:
        """Handles event `add`, which may arrive before the response to the request that created the draft."""
        for draft in drafts:
            self._is_there(self._store.of_server(draft.id) or self.adopt(draft), draft, final=False)

    def updated(self, drafts: Iterable[ServerDraft]) -> None:
        for draft in drafts:
            self._is_there(self._store.of_server(draft.id), draft, final=False)

    def removed(self, server_id: int) -> None:
        """Handles event `remove`: sent or deleted on another device, or the deletion of this one."""
        item = self._store.of_server(server_id)
        if item is not None and not self._outlives(item):
            self._store.forget(item)

    def snapshot(self, drafts: Sequence[ServerDraft]) -> bool:
        """Merges all drafts of the server, from a registration. Returns whether some are missing that may be
        newer than the registration, or may be deleted: then the caller fetches all, for `fetched`.
        """
        missing = self._there(drafts, frozenset())
        unsure = False
        for item in missing:
            # Created or edited after the snapshot was taken, so that its event is still to come; or deleted
            # by another device since, with the event lost in a queue that has expired.
            if item.expected or item.busy:
                unsure = True
            else:
                self._not_there(item)
        return unsure

    def fetched(self, drafts: Sequence[ServerDraft], known_ids: Collection[int]) -> None:
        """Merges all drafts of the server, fetched while no request about one was in progress. `known_ids`:
        ids from events received meanwhile.
        """
        for item in self._there(drafts, known_ids):
            item.expected.clear()
            self._not_there(item)

    def compared(self, item: DraftItem, draft: ServerDraft) -> None:
        """Merges the server's version before a request from here changes it. Events of earlier requests are
        still to come.
        """
        ours = (item.record.version, *item.expected)
        if not any(is_same_version(draft.version, version) for version in ours):
            self._merge_version(item, draft, final=True)

    def _there(self, drafts: Sequence[ServerDraft], known_ids: Collection[int]) -> list[DraftItem]:
        """Merges drafts that are on the server; returns the synchronized drafts that are not there any more."""
        present = {draft.id for draft in drafts}.union(known_ids)
        by_server_id = {item.record.server_id: item for item in self._store}
        for draft in drafts:
            self._is_there(by_server_id.get(draft.id) or self.adopt(draft), draft, final=True)
        if len(drafts) >= SNAPSHOT_LIMIT:
            return []
        return [
            item
            for item in self._store
            if item.record.server_id is not None and item.record.server_id not in present
        ]

    def _is_there(self, item: DraftItem | None, draft: ServerDraft, *, final: bool) -> None:
        """Merges a draft of the server with `item`, or adds it if `item` is None. `final` as for `_merge_version`."""
        if item is not None:
            self._merge_version(item, draft, final=final)
        else:
            self._store.add_from_server(draft)

    def adopt(self, draft: ServerDraft) -> DraftItem | None:
        """Returns the local draft that corresponds to a draft of the server: one whose creation was not
        confirmed, or one about to be created, because both devices of two crossing requests keep the
        overwritten text. None if there is none.
        """
        item = self._store.posted(draft.version) or self._store.rescued(draft.version)
        if item is not None:
            self.created(item, draft.id, draft.version)
        return item

    def created(self, item: DraftItem, server_id: int, sent: DraftVersion) -> None:
        """Records that the draft has this id on the server, with the text `sent`."""
        twin = self._store.of_server(server_id)
        if twin is not None and twin is not item:
            # The event arrived when the local text had changed already, so it looked like another device's
            # draft.
            if twin.record.dirty:
                self.detach(twin)
            else:
                self._store.forget(twin)
        before = item.record.server_id
        if before is not None and before != server_id:
            # The event of its former id looked like this draft's: another device wrote the same text at the
            # same time.
            self._store.add_from_server(ServerDraft(before, sent, self._clock.now()))
        item.set(
            server_id=server_id,
            base=sent,
            posting=False,
            dirty=item.record.deleted or not is_same_version(item.record.version, sent),
        )
        self._store.save(item)

    def deleted(self, item: DraftItem) -> None:
        """Records that the server has deleted the draft. Until the event about that, earlier edits of other
        devices may still arrive, with text that was never seen here.
        """
        if item.record.server_id is None:
            self._store.forget(item)
        else:
            item.set(dirty=False)
            self._store.drop(item)

    def make_local(self) -> None:
        """Makes all drafts local: synchronization is off, and the server has deleted its drafts without events."""
        for item in self._store:
            if item.record.deleted:
                self._store.forget(item)
            elif item.record.server_id is not None or item.record.posting:
                self.detach(item)

    def detach(self, item: DraftItem) -> None:
        """Makes a draft local that the server has deleted but whose text is wanted, so that it is created
        there again.
        """
        item.expected.clear()
        item.set(server_id=None, base=None, posting=False, dirty=True)
        item.due = self._clock.monotonic()
        self._store.save(item)

    def outlived(self, item: DraftItem) -> None:
        """Keeps a text that was changed here since another device sent or deleted its draft."""
        item.removed = True
        item.set(generation=item.record.generation + 1)
        self.detach(item)

    def _not_there(self, item: DraftItem) -> None:
        """Handles a draft that the server does not have any more, without an event about it: another device may have
        sent or deleted it, or the server was restored to an older state, which it may not show.
        """
        if item.record.deleted:
            self._store.forget(item)
        elif not self._outlives(item):
            self._store.keep_missing(item)

    def _outlives(self, item: DraftItem) -> bool:
        """Makes a draft that the server does not have any more a new one, if its text was changed here since; returns
        whether it was.
        """
        now = self._clock.now()
        just_sent = item.sent_at is not None and now - item.sent_at < _DELETION_GRACE
        outlives = not item.record.deleted and (item.record.dirty or bool(item.expected) or just_sent)
        if outlives:
            self.outlived(item)
        return outlives

    def _merge_version(self, item: DraftItem, draft: ServerDraft, *, final: bool) -> None:
        """Merges a version that the server has, or had. `final`: it is the current one, not an earlier one
        from an event.
        """
        record, version = item.record, draft.version
        echo = next((i for i, sent in enumerate(item.expected) if is_same_version(sent, version)), None)
        if echo is not None:
            # Events come in the order of the requests, so those before it will not come any more.
            del item.expected[: echo + 1]
            if not item.expected:  # else it is outdated: a later text was sent from here or is being sent
                self._based_on(item, version)
        elif is_same_version(version, record.base):
            return
        elif record.deleted:
            self._edited_while_deleted(item, draft)
        elif is_same_version(version, record.version):
            self._based_on(item, version)
        elif record.dirty or item.expected:
            self._conflict(item, draft, final=final)
        else:
            self._take_over(item, draft)
            if final and record.content.strip() not in draft.content:
                # Edited elsewhere, or another draft: a server that was restored to an older state gives ids again.
                self._store.keep_replaced(record)

    def _take_over(self, item: DraftItem, draft: ServerDraft) -> None:
        """Replaces the draft's text by that of another device. Local text that they overwrote unseen becomes
        a separate draft.
        """
        ours, unseen = item.record, _is_unseen(item, draft)
        item.sent_at = None
        item.set(version=draft.version, base=draft.version, edited=draft.timestamp)
        if unseen and (kept := self._store.with_text(ours.version)) is not None:
            self._store.link(item, kept)  # from the other device, received earlier
        elif unseen:
            # The other device may keep and create it, too: then it is this draft, even if it is written on here.
            copy = self._store.add(
                Draft(self._store.new_id(), ours.version, ours.edited, base=ours.version, posting=True)
            )
            copy.due = self._clock.monotonic() + _RESCUE_AFTER
            self._store.link(item, copy)
        else:
            self._store.save(item)

    def _based_on(self, item: DraftItem, version: DraftVersion) -> None:
        record = item.record
        item.set(base=version, dirty=record.deleted or not is_same_version(record.version, version))
        self._store.save(item)

    def _edited_while_deleted(self, item: DraftItem, draft: ServerDraft) -> None:
        """Handles an edit by another device during the deletion here: new text takes precedence over the deletion."""
        if item.busy or not item.record.dirty:
            self._copy(draft)
            return
        item.sent_at = None
        item.set(deleted=False, dirty=False)
        self._take_over(item, draft)

    def _conflict(self, item: DraftItem, draft: ServerDraft, *, final: bool) -> None:
        """Keeps the local text as this draft, to be sent to the server; the other text becomes a separate draft."""
        if item.record.dirty or final:
            item.set(base=draft.version, dirty=True)
        kept = self._store.get(item.record.conflict_with or "")
        if kept is not None and is_same_version(kept.record.version, draft.version):
            self._store.save(item)  # it was fetched before its event arrived
        else:
            self._store.link(item, self._copy(draft))

    def _copy(self, draft: ServerDraft) -> DraftItem:
        return self._store.add(Draft(self._store.new_id(), draft.version, draft.timestamp))


def _is_unseen(item: DraftItem, draft: ServerDraft) -> bool:
    """Whether another device's text was typed before the local one was sent, so that nobody there can have
    seen it: the requests of both have crossed. Times of drafts are whole seconds of the server's clock. A
    text that contains the whole local text was based on it, whatever the times are.
    """
    if item.sent_at is None or item.record.content.strip() in draft.content:
        return False
    return 0 < draft.timestamp <= item.sent_at - 1
