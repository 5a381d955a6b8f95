"""The drafts as they are here: in memory, and in the journal at most a fraction of a second later."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from narrowcast_api.clock import Clock
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.state.tables import ServerDraft
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import DraftRecord, DraftVersion

KEEP_AFTER = 0.3
"""Seconds that typed text may be in memory only; the first change after a pause is written at once."""


class Draft(Struct, frozen=True):
    """A draft to show. `edited` is UTC seconds.

    `synced`: the server has this text. `error`: why it is kept here only, for people. `conflict_with`: the
    draft with the other text, where two devices wrote at the same time.
    """

    draft_id: str
    destination: Destination | None
    content: str
    edited: float
    synced: bool = False
    error: str | None = None
    conflict_with: str | None = None


class DraftConflict(Struct, frozen=True):
    """One draft that was written on two devices at once: both texts are kept until the user drops one."""

    mine: Draft
    theirs: Draft


def version_of(draft: ServerDraft) -> DraftVersion:
    """What a draft of the server says."""
    return DraftVersion(draft.destination, draft.content)


class DraftRequests(Protocol):
    """The requests that drafts need: POST, PATCH, DELETE and GET /drafts (DRF rows)."""

    async def create(self, version: DraftVersion, timestamp: float) -> int: ...

    async def edit(self, server_id: int, version: DraftVersion, timestamp: float) -> None: ...

    async def delete(self, server_id: int) -> None: ...

    async def fetch(self) -> Sequence[ServerDraft]: ...


class Sheet(Struct):
    """One draft in memory.

    `expected` are versions that were sent and whose events have not come, oldest first. `busy`: a request
    about it is under way. `refused` is why the server does not take this version. `due` is the monotonic time
    of its next request, `dirty_since` bounds how long typing may put that off. `unsaved`: newer than the
    journal.
    """

    record: DraftRecord
    expected: list[DraftVersion] = field(default_factory=list)
    busy: bool = False
    refused: str | None = None
    due: float = 0.0
    dirty_since: float | None = None
    unsaved: bool = False

    def set(self, **changes: object) -> None:
        """Replace fields of the record."""
        self.record = replace(self.record, **changes)

    @property
    def draft(self) -> Draft:
        record = self.record
        return Draft(
            record.draft_id,
            record.version.destination,
            record.version.content,
            record.edited,
            synced=record.server_id is not None and not record.dirty,
            error=self.refused,
            conflict_with=record.conflict_with,
        )


def same(one: DraftVersion | None, other: DraftVersion | None) -> bool:
    """Whether a server would hold the two for equal: it trims contents and topics."""
    if one is None or other is None:
        return one is other
    return _normal(one) == _normal(other)


def _normal(version: DraftVersion) -> tuple[object, str]:
    where = version.destination
    place: object = where
    if isinstance(where, ChannelDestination):
        place = (where.channel_id, where.topic.strip())
    return (place, version.content.rstrip().lstrip("\n"))


class Sheets:
    """All drafts of the account, with their journal."""

    def __init__(
        self,
        *,
        journal: Journal,
        clock: Clock,
        changed: Callable[[], None],
        new_id: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._changed = changed
        self.new_id = new_id
        self._sheets = {record.draft_id: Sheet(record) for record in journal.load_drafts()}
        self._last_write = -KEEP_AFTER
        # A crash can come between the two rows of a conflict, and never leaves a link to nothing.
        for sheet in self._sheets.values():
            if sheet.record.conflict_with not in self._sheets:
                sheet.set(conflict_with=None)

    def __iter__(self) -> Iterator[Sheet]:
        return iter(list(self._sheets.values()))

    def get(self, draft_id: str) -> Sheet | None:
        """The draft with this id, also if its deletion is not through yet."""
        return self._sheets.get(draft_id)

    def holds(self, sheet: Sheet) -> bool:
        """Whether the draft was not forgotten meanwhile."""
        return self._sheets.get(sheet.record.draft_id) is sheet

    def of_server(self, server_id: int) -> Sheet | None:
        """The draft that is `server_id` on the server."""
        for sheet in self._sheets.values():
            if sheet.record.server_id == server_id:
                return sheet
        return None

    def posted(self, version: DraftVersion) -> Sheet | None:
        """A draft that was, or may have been, created on the server with this text."""
        for sheet in self._sheets.values():
            if sheet.record.posting and same(sheet.record.base, version):
                return sheet
        return None

    def add(self, record: DraftRecord) -> Sheet:
        """Take in a new draft and write it down at once."""
        sheet = Sheet(record)
        self._sheets[record.draft_id] = sheet
        self.keep(sheet)
        return sheet

    def add_from_server(self, draft: ServerDraft) -> Sheet:
        """Take in a draft that another device wrote."""
        return self.add(
            DraftRecord(
                self.new_id(),
                version_of(draft),
                draft.timestamp,
                server_id=draft.id,
                base=version_of(draft),
                dirty=False,
            )
        )

    def keep(self, sheet: Sheet) -> None:
        """Write the draft down at once and tell the app."""
        sheet.unsaved = False
        self._last_write = self._clock.monotonic()
        self._journal.put_draft(sheet.record)
        self._changed()

    def keep_soon(self, sheet: Sheet) -> None:
        """Write the draft down within `KEEP_AFTER` seconds: it is being typed."""
        sheet.unsaved = True
        if self._clock.monotonic() - self._last_write >= KEEP_AFTER:
            self.keep(sheet)
        else:
            self._changed()

    def keep_due(self) -> float | None:
        """Write what is due; seconds until more is, None if all is written."""
        if not any(sheet.unsaved for sheet in self):
            return None
        wait = self._last_write + KEEP_AFTER - self._clock.monotonic()
        if wait > 0:
            return wait
        self.keep_all()
        return None

    def keep_all(self) -> None:
        """Write everything that is newer than the journal."""
        for sheet in self:
            if sheet.unsaved:
                self.keep(sheet)

    def forget(self, sheet: Sheet) -> None:
        """The draft is gone, here and on the server."""
        self.unlink(sheet)
        if self._sheets.pop(sheet.record.draft_id, None) is not None:
            self._journal.delete_draft(sheet.record.draft_id)
            self._changed()

    def drop(self, sheet: Sheet) -> None:
        """After a crash nothing has to be known of this draft any more."""
        sheet.unsaved = False
        self._journal.delete_draft(sheet.record.draft_id)

    def link(self, mine: Sheet, theirs: Sheet) -> None:
        """Two texts of one draft: remember that they belong together."""
        self.unlink(mine)
        mine.set(conflict_with=theirs.record.draft_id)
        theirs.set(conflict_with=mine.record.draft_id)
        self.keep(mine)
        self.keep(theirs)

    def unlink(self, sheet: Sheet) -> None:
        """The conflict is over."""
        other = self._sheets.get(sheet.record.conflict_with or "")
        for side in (sheet, other):
            if side is not None and side.record.conflict_with is not None:
                side.set(conflict_with=None)
                self.keep(side)

    def conflicts(self) -> list[DraftConflict]:
        """Pairs of texts between which the user has to choose."""
        found: dict[frozenset[str], DraftConflict] = {}
        for sheet in self:
            other = self._sheets.get(sheet.record.conflict_with or "")
            if other is None or other.record.deleted or sheet.record.deleted:
                continue
            pair = frozenset({sheet.record.draft_id, other.record.draft_id})
            found.setdefault(pair, DraftConflict(sheet.draft, other.draft))
        return list(found.values())
