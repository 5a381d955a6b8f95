"""What is wrong with a data folder, found without changing it: `narrowcast serve --check`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from narrowcast_server.core import DATABASE
from narrowcast_server.schema import MIGRATIONS
from narrowcast_server.uploads.files import UPLOADS, place

_MOST_LINES: Final = 100
"""Of one kind of fault."""


def check(data: Path) -> list[str]:
    """Nothing, or one line for each fault. A server may be using the folder meanwhile."""
    path = data / DATABASE
    if not path.is_file():
        return [f"{data} holds no organization"]
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return list(_faults(database, data))
    except sqlite3.DatabaseError as error:
        return [f"{path} is not a usable database: {error}"]


def _faults(database: sqlite3.Connection, data: Path) -> Iterator[str]:
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        yield f"{data / DATABASE} was made by a newer server (schema {version} > {len(MIGRATIONS)})"
        return
    for (text,) in database.execute(f"PRAGMA integrity_check({_MOST_LINES})"):
        if text != "ok":
            yield str(text)
    for row in database.execute("PRAGMA foreign_key_check").fetchmany(_MOST_LINES):
        yield f"row {row[1]} of {row[0]} points to a missing row of {row[2]}"
    if version == 0:
        return
    for (identity,) in database.execute(
        "SELECT id FROM messages WHERE id NOT IN (SELECT rowid FROM message_words) LIMIT ?", (_MOST_LINES,)
    ):
        yield f"message {identity} cannot be found by its words"
    for path_id, name in database.execute("SELECT path_id, name FROM attachments ORDER BY id"):
        file = place(data / UPLOADS, path_id)
        if file is None or not file.is_file():
            yield f"the upload {name!r} ({path_id}) has lost its file"
