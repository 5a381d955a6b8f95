"""What other windows have written to the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from narrowcast_api.storage.journal_file import Key
from narrowcast_api.storage.journal_rows import (
    JournalRow,
    act_record,
    draft_record,
    outbox_record,
    status_end_record,
    upload_record,
)
from narrowcast_api.storage.records import ActRecord, Draft, OutboxRecord, StatusEndRecord, UploadRecord

Record = TypeVar("Record")


class JournalChanges(Struct, frozen=True):
    """The current rows of the file, None for those that were deleted; `lost` are writes of this window that
    came too late.
    """

    rows: Mapping[Key, JournalRow | None]
    lost: frozenset[Key] = frozenset()

    def outbox(self) -> dict[str, OutboxRecord | None]:
        """Messages by their local ids."""
        return dict(self._of("outbox", outbox_record))

    def drafts(self) -> dict[str, Draft | None]:
        return dict(self._of("drafts", draft_record))

    def uploads(self) -> dict[str, UploadRecord | None]:
        return dict(self._of("uploads", upload_record))

    def acts(self) -> dict[str, ActRecord | None]:
        """Actions on messages by their ids."""
        return dict(self._of("acts", act_record))

    def status_end(self) -> list[StatusEndRecord | None]:
        """The changed time at which the user's status is to be cleared, empty if unchanged; None if it is not
        to be cleared any more.
        """
        return [record for _, record in self._of("status_end", status_end_record)]

    def numbers(self, table: str) -> tuple[set[int], set[int]]:
        """Message ids that were added to `table`, and those that were removed."""
        new = {int(key) for (name, key), row in self.rows.items() if name == table and row is not None}
        gone = {int(key) for (name, key), row in self.rows.items() if name == table and row is None}
        return new, gone

    def lost_of(self, table: str) -> frozenset[str]:
        """Keys of this window's writes to `table` that came too late."""
        return frozenset(key for name, key in self.lost if name == table)

    def _of(
        self, table: str, read: Callable[[JournalRow], Record | None]
    ) -> Iterator[tuple[str, Record | None]]:
        for (name, key), row in self.rows.items():
            if name == table:
                yield key, None if row is None else read(row)
