"""Whether a database has the tables of this server, and nothing else: a trigger, a view or a changed table could
do what the server never does.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import lru_cache
from typing import Final

from narrowcast_server.storage.schema import MIGRATIONS

_SPACE: Final = re.compile(r"\s+")
_SEARCH_PARTS: Final = "message_words_"
"""Tables of the search index, whose text depends on the version of SQLite."""
_STATISTICS: Final = re.compile(r"sqlite_stat\d")


def schema_faults(database: sqlite3.Connection) -> Iterator[str]:
    """One line for each object that this server has not created at the file's version, or not so.

    Raises IndexError for a version that this server does not know.
    """
    expected = _schema(database.execute("PRAGMA user_version").fetchone()[0])
    found = _objects(database)
    for name in sorted(found.keys() | expected.keys()):
        if name not in found:
            yield f"the {expected[name][0]} {name} is missing"
        elif name not in expected:
            yield f"the {found[name][0]} {name} does not belong to this server"
        elif found[name] != expected[name]:
            yield f"the {found[name][0]} {name} is not as this server creates it"


@lru_cache(maxsize=len(MIGRATIONS) + 1)
def _schema(version: int) -> Mapping[str, tuple[str, str, str]]:
    if not 0 <= version <= len(MIGRATIONS):
        raise IndexError(version)
    with closing(sqlite3.connect(":memory:")) as database:
        for script in MIGRATIONS[:version]:
            database.executescript(script)
        return _objects(database)


def _objects(database: sqlite3.Connection) -> dict[str, tuple[str, str, str]]:
    """Kind, table and definition of all objects by name."""
    rows = database.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")
    return {
        name: (kind, table, "" if name.startswith(_SEARCH_PARTS) else _SPACE.sub("", definition))
        for kind, name, table, definition in rows
        if not _STATISTICS.fullmatch(name)
    }
