"""Pending writes to the journal, and whether another window was faster."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from msgspec import Struct

from narrowcast_api.storage.journal_file import Key, insert
from narrowcast_api.storage.journal_rows import COLUMNS, GUARDS, JournalRow


class Write(Struct, frozen=True):
    """One row to write, or None to delete it.

    If `guarded`, it is only written over a row whose guard (`GUARDS`) is `expects`; if `fresh`, there is no
    row yet.
    """

    row: JournalRow | None
    fresh: bool = False
    guarded: bool = False
    expects: object = None

    def after(self, earlier: Write) -> Write:
        """Returns the write that replaces an earlier pending one of the same row."""
        if earlier.row is None or not self.guarded:
            return self
        if self.expects != earlier.row[-1]:
            return self  # it is based on a row that was read since
        fresh = earlier.fresh and self.row is not None
        return Write(self.row, fresh, earlier.guarded, earlier.expects)


def combined(earlier: Mapping[Key, Write], later: Mapping[Key, Write]) -> dict[Key, Write]:
    """Returns both, as long as none of the earlier ones has been executed."""
    both = dict(earlier)
    for key, write in later.items():
        before = both.pop(key, None)
        both[key] = write if before is None else write.after(before)
    return both


def carry_out(connection: sqlite3.Connection, key: Key, write: Write) -> bool:
    """Executes one write; returns False if another window was faster."""
    table, name = key
    if write.row is not None and (write.fresh or not write.guarded):
        connection.execute(*insert(table, write.row))
        return True
    columns = COLUMNS[table]
    where = f"{columns[0]} = ?"
    if not write.guarded:
        connection.execute(f"DELETE FROM {table} WHERE {where}", (name,))
        return True
    guard = f"{where} AND {GUARDS[table]} IS ?"
    if write.row is None:
        connection.execute(f"DELETE FROM {table} WHERE {guard}", (name, write.expects))
        left = connection.execute(f"SELECT 1 FROM {table} WHERE {where}", (name,)).fetchone()
        return left is None
    values = ", ".join(f"{column} = ?" for column in columns)
    made = connection.execute(f"UPDATE {table} SET {values} WHERE {guard}", (*write.row, name, write.expects))
    return made.rowcount == 1
