"""What the server says about drafts, brought together with what was written here.

The server does not detect conflicts: the last edit wins there. So each device looks at what is there before it
overwrites or deletes it, and whoever sees that an edit of another one is being overwritten, or would be, keeps that
text as a draft of its own. A text is dropped here only if
nobody changed it here since the server had it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from narrowcast_api.clock import Clock
from narrowcast_api.model.drafts import DraftVersion, ServerDraft
from narrowcast_api.protocols.draft_rows import same
from narrowcast_api.protocols.draft_store import DraftItem, DraftStore
from narrowcast_api.storage.records import Draft

CAP = 1000
"""Registration gives at most so many drafts: such a long list proves nothing about those not in it."""


_UNREAD_FOR = 3.0
"""Seconds within which nobody reads on another device what was sent here, and deletes it: it was older words that they
deleted."""

_RESCUE_AFTER = 10.0
"""Seconds after which words that were written over go to the server: the other device may have kept them, too."""


class DraftMerge:
    """Applies events and snapshots to the drafts."""

    def __init__(self, store: DraftStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def added(self, drafts: Iterable[ServerDraft]) -> None:
        """Event `add`; it can come before the answer to the request that made the draft."""
        for draft in drafts:
            self._is_there(self._store.of_server(draft.id) or self.adopt(draft), draft, final=False)

    def updated(self, drafts: Iterable[ServerDraft]) -> None:
        for draft in drafts:
            self._is_there(self._store.of_server(draft.id), draft, final=False)

    def removed(self, server_id: int) -> None:
        """Event `remove`: sent or deleted elsewhere, or our own deletion."""
        item = self._store.of_server(server_id)
        if item is not None:
            self._gone(item)

    def snapshot(self, drafts: Sequence[ServerDraft]) -> bool:
        """All drafts of the server, from a registration. Whether some are missing that may be younger than it, or may
        be gone: then fetch all, for `fetched`.
        """
        missing = self._there(drafts, frozenset())
        unsure = False
        for item in missing:
            # Created or edited after the snapshot was taken: its event is still to come. Or another device has
            # deleted it since, and our event was in a queue that is gone.
            if item.expected or item.busy:
                unsure = True
            else:
                self._gone(item)
        return unsure

    def fetched(self, drafts: Sequence[ServerDraft], heard_of: Collection[int]) -> None:
        """All drafts of the server, asked for while no request about one was under way. Events may have told of
        others meanwhile (`heard_of`).
        """
        for item in self._there(drafts, heard_of):
            item.expected.clear()
            self._gone(item)

    def compared(self, item: DraftItem, draft: ServerDraft) -> None:
        """What the server has before a request of ours changes it. Events of our own requests are still to come."""
        ours = (item.record.version, *item.expected)
        if not any(same(draft.version, version) for version in ours):
            self._news(item, draft, final=True)

    def _there(self, drafts: Sequence[ServerDraft], heard_of: Collection[int]) -> list[DraftItem]:
        """These are on the server; those of ours that are not any more."""
        present = {draft.id for draft in drafts}.union(heard_of)
        by_server_id = {item.record.server_id: item for item in self._store}
        for draft in drafts:
            self._is_there(by_server_id.get(draft.id) or self.adopt(draft), draft, final=True)
        if len(drafts) >= CAP:
            return []
        return [
            item
            for item in self._store
            if item.record.server_id is not None and item.record.server_id not in present
        ]

    def _is_there(self, item: DraftItem | None, draft: ServerDraft, *, final: bool) -> None:
        """The server has this draft, which is `item` here, or is another device's. `final` as for `_news`."""
        if item is not None:
            self._news(item, draft, final=final)
        else:
            self._store.add_from_server(draft)

    def adopt(self, draft: ServerDraft) -> DraftItem | None:
        """A draft of the server that we created, though no answer said so, or were about to: both sides of two requests
        that cross keep the words that were written over.
        """
        item = self._store.posted(draft.version) or self._store.rescued(draft.version)
        if item is not None:
            self.created(item, draft.id, draft.version)
        return item

    def created(self, item: DraftItem, server_id: int, sent: DraftVersion) -> None:
        """Our draft is `server_id` on the server, with the text `sent`."""
        twin = self._store.of_server(server_id)
        if twin is not None and twin is not item:
            # The event came while our text was already another one, so it looked like somebody else's.
            if twin.record.dirty:
                self.detach(twin)
            else:
                self._store.forget(twin)
        before = item.record.server_id
        if before is not None and before != server_id:
            # Its event looked like ours: another device wrote the same words at the same moment.
            self._store.add_from_server(ServerDraft(before, sent, self._clock.now()))
        item.set(
            server_id=server_id,
            base=sent,
            posting=False,
            dirty=item.record.deleted or not same(item.record.version, sent),
        )
        self._store.keep(item)

    def deleted(self, item: DraftItem) -> None:
        """The server has deleted our draft. Until its event says so, edits of other devices may still come
        that were made before: those words were never seen here.
        """
        if item.record.server_id is None:
            self._store.forget(item)
        else:
            item.set(dirty=False)
            self._store.drop(item)

    def make_local(self) -> None:
        """Syncing is off, and the server has dropped all drafts without a word: ours become local."""
        for item in self._store:
            if item.record.deleted:
                self._store.forget(item)
            elif item.record.server_id is not None or item.record.posting:
                self.detach(item)

    def detach(self, item: DraftItem) -> None:
        """The server does not have this draft any more, but its text is wanted: make it anew there."""
        item.expected.clear()
        item.set(server_id=None, base=None, posting=False, dirty=True)
        item.due = self._clock.monotonic()
        self._store.keep(item)

    def _gone(self, item: DraftItem) -> None:
        now = self._clock.now()
        just_sent = item.sent_at is not None and now - item.sent_at < _UNREAD_FOR
        if not item.record.deleted and (item.record.dirty or item.expected or just_sent):
            self.detach(item)
        else:
            self._store.forget(item)

    def _news(self, item: DraftItem, draft: ServerDraft, *, final: bool) -> None:
        """The server has, or had, this version. `final`: it is the present one, not one of a history."""
        record, version = item.record, draft.version
        echo = next((i for i, sent in enumerate(item.expected) if same(sent, version)), None)
        if echo is not None:
            del item.expected[: echo + 1]
            if not item.expected:  # else it is history: later words of ours are there or on their way
                self._based_on(item, version)
        elif same(version, record.base):
            return
        elif record.deleted:
            self._edited_while_deleted(item, draft)
        elif same(version, record.version):
            self._based_on(item, version)
        elif record.dirty or item.expected:
            self._conflict(item, draft, final=final)
        else:
            self._take_over(item, draft)

    def _take_over(self, item: DraftItem, draft: ServerDraft) -> None:
        """Theirs is this draft now. Words of ours that they wrote over unseen become a draft of their own."""
        ours, unseen = item.record, _unseen(item, draft)
        item.sent_at = None
        item.set(version=draft.version, base=draft.version, edited=draft.timestamp)
        if unseen and (kept := self._store.with_text(ours.version)) is not None:
            self._store.link(item, kept)  # by the other device, of which was heard before
        elif unseen:
            copy = self._store.add(Draft(self._store.new_id(), ours.version, ours.edited))
            copy.due = self._clock.monotonic() + _RESCUE_AFTER
            self._store.link(item, copy)
        else:
            self._store.keep(item)

    def _based_on(self, item: DraftItem, version: DraftVersion) -> None:
        record = item.record
        item.set(base=version, dirty=record.deleted or not same(record.version, version))
        self._store.keep(item)

    def _edited_while_deleted(self, item: DraftItem, draft: ServerDraft) -> None:
        """Another device wrote on while this one deleted: its words are newer than the decision."""
        if item.busy or not item.record.dirty:
            self._copy(draft)
            return
        item.sent_at = None
        item.set(deleted=False, dirty=False)
        self._take_over(item, draft)

    def _conflict(self, item: DraftItem, draft: ServerDraft, *, final: bool) -> None:
        """Ours stays this draft and will be the server's; theirs becomes a draft of its own."""
        if item.record.dirty or final:
            item.set(base=draft.version, dirty=True)
        kept = self._store.get(item.record.conflict_with or "")
        if kept is not None and same(kept.record.version, draft.version):
            self._store.keep(item)  # it was asked for before its event came
        else:
            self._store.link(item, self._copy(draft))

    def _copy(self, draft: ServerDraft) -> DraftItem:
        return self._store.add(Draft(self._store.new_id(), draft.version, draft.timestamp))


def _unseen(item: DraftItem, draft: ServerDraft) -> bool:
    """Whether another device's text was typed before ours was sent, so that nobody there can have seen ours: requests
    of both have crossed. Times of drafts are whole seconds of the server's clock. A text that holds all of ours was
    written on from it, whatever they say.
    """
    if item.sent_at is None or item.record.content.strip() in draft.content:
        return False
    return 0 < draft.timestamp <= item.sent_at - 1
