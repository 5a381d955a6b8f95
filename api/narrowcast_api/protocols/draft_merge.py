"""What the server says about drafts, brought together with what was written here.

The server does not detect conflicts: the last edit wins there. So whoever sees that an edit of another device
is being overwritten, or would be, keeps that text as a draft of its own. A text is dropped here only if
nobody changed it here since the server had it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from narrowcast_api.clock import Clock
from narrowcast_api.protocols.draft_store import Sheet, Sheets, same, version_of
from narrowcast_api.state.tables import ServerDraft
from narrowcast_api.storage.records import DraftRecord, DraftVersion

CAP = 1000
"""Registration gives at most so many drafts: such a long list proves nothing about those not in it."""


class DraftMerge:
    """Applies events and snapshots to the sheets."""

    def __init__(self, sheets: Sheets, clock: Clock) -> None:
        self._sheets = sheets
        self._clock = clock

    def added(self, drafts: Iterable[ServerDraft]) -> None:
        """Event `add`; it can come before the answer to the request that made the draft."""
        for draft in drafts:
            known = self._sheets.of_server(draft.id)
            if known is None:
                known = self.adopt(draft)
            if known is not None:
                self._news(known, draft, final=False)
            else:
                self._sheets.add_from_server(draft)

    def updated(self, drafts: Iterable[ServerDraft]) -> None:
        """Event `update`."""
        for draft in drafts:
            known = self._sheets.of_server(draft.id)
            if known is not None:
                self._news(known, draft, final=False)
            else:
                self._sheets.add_from_server(draft)

    def removed(self, server_id: int) -> None:
        """Event `remove`: sent or deleted elsewhere, or our own deletion."""
        sheet = self._sheets.of_server(server_id)
        if sheet is not None:
            self._gone(sheet)

    def snapshot(self, drafts: Sequence[ServerDraft]) -> None:
        """All drafts of the server, from a registration."""
        present = {draft.id for draft in drafts}
        known = {sheet.record.server_id: sheet for sheet in self._sheets}
        for draft in drafts:
            sheet = known.get(draft.id) or self.adopt(draft)
            if sheet is not None:
                self._news(sheet, draft, final=True)
            else:
                self._sheets.add_from_server(draft)
        if len(drafts) >= CAP:
            return
        for sheet in self._sheets:
            missing = sheet.record.server_id is not None and sheet.record.server_id not in present
            # Created or edited after the snapshot was taken: its event is still to come.
            if missing and not sheet.expected and not sheet.busy:
                self._gone(sheet)

    def adopt(self, draft: ServerDraft) -> Sheet | None:
        """A draft of the server that we created, though no answer said so."""
        sheet = self._sheets.posted(version_of(draft))
        if sheet is not None:
            self.created(sheet, draft.id, version_of(draft))
        return sheet

    def created(self, sheet: Sheet, server_id: int, sent: DraftVersion) -> None:
        """Our draft is `server_id` on the server, with the text `sent`."""
        twin = self._sheets.of_server(server_id)
        if twin is not None and twin is not sheet:
            # The event came while our text was already another one, so it looked like somebody else's.
            if twin.record.dirty:
                self.detach(twin)
            else:
                self._sheets.forget(twin)
        before = sheet.record.server_id
        if before is not None and before != server_id:
            # Its event looked like ours: another device wrote the same words at the same moment.
            self._sheets.add_from_server(
                ServerDraft(before, sent.destination, sent.content, self._clock.now())
            )
        sheet.set(
            server_id=server_id,
            base=sent,
            posting=False,
            dirty=sheet.record.deleted or not same(sheet.record.version, sent),
        )
        self._sheets.keep(sheet)

    def deleted(self, sheet: Sheet) -> None:
        """The server has deleted our draft. Until its event says so, edits of other devices may still come
        that were made before: those words were never seen here.
        """
        if sheet.record.server_id is None:
            self._sheets.forget(sheet)
        else:
            sheet.set(dirty=False)
            self._sheets.drop(sheet)

    def make_local(self) -> None:
        """Syncing is off, and the server has dropped all drafts without a word: ours become local."""
        for sheet in self._sheets:
            if sheet.record.deleted:
                self._sheets.forget(sheet)
            elif sheet.record.server_id is not None or sheet.record.posting:
                self.detach(sheet)

    def detach(self, sheet: Sheet) -> None:
        """The server does not have this draft any more, but its text is wanted: make it anew there."""
        sheet.expected.clear()
        sheet.set(server_id=None, base=None, posting=False, dirty=True)
        sheet.due = self._clock.monotonic()
        self._sheets.keep(sheet)

    def _gone(self, sheet: Sheet) -> None:
        if not sheet.record.deleted and (sheet.record.dirty or sheet.expected):
            self.detach(sheet)
        else:
            self._sheets.forget(sheet)

    def _news(self, sheet: Sheet, draft: ServerDraft, *, final: bool) -> None:
        """The server has, or had, this version. `final`: it is the present one, not one of a history."""
        record, version = sheet.record, version_of(draft)
        echo = next((i for i, sent in enumerate(sheet.expected) if same(sent, version)), None)
        if echo is not None:
            del sheet.expected[: echo + 1]
            if not sheet.expected:  # else it is history: later words of ours are there or on their way
                self._based_on(sheet, version)
        elif same(version, record.base):
            return
        elif record.deleted:
            self._edited_while_deleted(sheet, draft)
        elif same(version, record.version):
            self._based_on(sheet, version)
        elif record.dirty or sheet.expected:
            self._conflict(sheet, draft, final=final)
        else:
            self._take_over(sheet, draft)

    def _take_over(self, sheet: Sheet, draft: ServerDraft) -> None:
        sheet.set(version=version_of(draft), base=version_of(draft), edited=draft.timestamp)
        self._sheets.keep(sheet)

    def _based_on(self, sheet: Sheet, version: DraftVersion) -> None:
        record = sheet.record
        sheet.set(base=version, dirty=record.deleted or not same(record.version, version))
        self._sheets.keep(sheet)

    def _edited_while_deleted(self, sheet: Sheet, draft: ServerDraft) -> None:
        """Another device wrote on while this one deleted: its words are newer than the decision."""
        if sheet.busy or not sheet.record.dirty:
            self._copy(draft)
            return
        sheet.set(deleted=False, dirty=False)
        self._take_over(sheet, draft)

    def _conflict(self, sheet: Sheet, draft: ServerDraft, *, final: bool) -> None:
        """Ours stays this draft and will be the server's; theirs becomes a draft of its own."""
        if sheet.record.dirty or final:
            sheet.set(base=version_of(draft), dirty=True)
        self._sheets.link(sheet, self._copy(draft))

    def _copy(self, draft: ServerDraft) -> Sheet:
        return self._sheets.add(DraftRecord(self._sheets.new_id(), version_of(draft), draft.timestamp))
