"""Checks a data folder for faults without changing it: `narrowcast serve --check`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from types import NoneType
from typing import Final

from narrowcast_api.wire.vocabulary import BotType, Role
from narrowcast_server.organization.organization import DATABASE
from narrowcast_server.organization.realm_settings import DEFAULTS, GROUP_SETTINGS
from narrowcast_server.resources.exports import is_place
from narrowcast_server.storage.schema import MIGRATIONS
from narrowcast_server.storage.schema_check import schema_faults
from narrowcast_server.storage.store import UNUSABLE, unusable
from narrowcast_server.uploads.files import UPLOADS, place

_NUMBERS: Final[tuple[tuple[str, str, Iterable[int]], ...]] = (
    ("users", "role", Role),
    ("users", "bot_type", BotType),
    ("users", "is_active", (0, 1)),
    ("invites", "invite_as", Role),
)
_SMALL_JSON: Final = (
    ("users", "settings", "object"),
    ("channels", "settings", "object"),
    ("groups", "settings", "object"),
    ("settings", "value", ""),
    ("invites", "channel_ids", "array"),
    ("invites", "group_ids", "array"),
    ("second_factors", "recovery", "array"),
)
"""Table, column, JSON type (empty: any)."""
_LARGE_JSON: Final = (
    ("messages", "history", "array"),
    ("drafts", "recipients", "array"),
    ("scheduled_messages", "recipients", ""),
    ("submessages", "content", ""),
)
_MAX_LINES: Final = 100
"""The most lines for one kind of fault."""


def check(data: Path) -> list[str]:
    """One line for each fault; empty if there is none. A server may be using the folder meanwhile."""
    path = data / DATABASE
    if not path.is_file():
        return [f"{data} holds no organization"]
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return list(_faults(database, data))
    except UNUSABLE as error:
        return [str(unusable(path, error))]
    except OSError as error:
        return [f"{path} cannot be read: {error.strerror or error}"]


def row_faults(database: sqlite3.Connection) -> Iterator[str]:
    """Faults that no server writes: unknown numbers, and text that is not JSON. Skips large tables, so that
    it is fast enough for every start.
    """
    for table, column, known in _NUMBERS:
        allowed = ", ".join(str(int(number)) for number in known)
        for identity, value in database.execute(
            f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN ({allowed}) LIMIT ?",
            (_MAX_LINES,),
        ):
            yield f"row {identity} of {table} has the unknown {column} {value!r}"
    yield from _json_faults(database, _SMALL_JSON)
    yield from _setting_faults(database)
    yield from _export_faults(database)
    people = database.execute("SELECT count(*) FROM users").fetchone()[0]
    owners = database.execute(
        "SELECT count(*) FROM users WHERE role = ? AND is_active", (int(Role.OWNER),)
    ).fetchone()[0]
    if people and not owners:
        yield "the organization has no active owner"


def _tables(database: sqlite3.Connection) -> set[str]:
    """The tables that there are: an older folder lacks some."""
    return {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def _json_faults(database: sqlite3.Connection, columns: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    tables = _tables(database)
    for table, column, kind in columns:
        if table not in tables:
            continue
        key = "name" if table == "settings" else "rowid"  # settings has no rowid
        for (identity,) in database.execute(
            f"SELECT {key} FROM {table} WHERE NOT json_valid({column})"
            f" OR (? != '' AND json_type({column}) != ?) LIMIT ?",
            (kind, kind, _MAX_LINES),
        ):
            yield f"row {identity} of {table} has a damaged {column}"


def _setting_faults(database: sqlite3.Connection) -> Iterator[str]:
    """Settings of the organization that are valid JSON of the wrong type."""
    for name, value in database.execute("SELECT name, value FROM settings WHERE json_valid(value)"):
        if name in DEFAULTS and type(json.loads(value)) not in _types_of(name):
            yield f"row {name} of settings has a damaged value"


def _export_faults(database: sqlite3.Connection) -> Iterator[str]:
    """Archives that are not in the folder of exports. The other paths, those of uploads and pictures, are looked
    up by a name in the row, which is no path.
    """
    if "exports" in _tables(database):
        for identity, place in database.execute("SELECT id, place FROM exports WHERE place IS NOT NULL"):
            if not is_place(place):
                yield f"row {identity} of exports has the impossible place {place!r}"


def _types_of(name: str) -> tuple[type, ...]:
    if name in GROUP_SETTINGS:
        return (int, dict)
    if DEFAULTS[name] is None:
        return (str, NoneType)
    # Limits in seconds may be null.
    return (int, NoneType) if name.endswith("_seconds") else (type(DEFAULTS[name]),)


def _faults(database: sqlite3.Connection, data: Path) -> Iterator[str]:
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version < 0:
        yield f"{data / DATABASE} has the unknown schema {version}"
        return
    if version > len(MIGRATIONS):
        yield f"{data / DATABASE} was created by a newer server (schema {version} > {len(MIGRATIONS)})"
        return
    if foreign := list(schema_faults(database)):
        # What else is read could be something else than it seems.
        yield from foreign
        return
    for (text,) in database.execute(f"PRAGMA integrity_check({_MAX_LINES})"):
        if text != "ok":
            yield str(text)
    for row in database.execute("PRAGMA foreign_key_check").fetchmany(_MAX_LINES):
        yield f"row {row[1]} of {row[0]} points to a missing row of {row[2]}"
    if version == 0:
        return
    yield from row_faults(database)
    yield from _json_faults(database, _LARGE_JSON)
    for (identity,) in database.execute(
        "SELECT id FROM messages WHERE id NOT IN (SELECT rowid FROM message_words) LIMIT ?", (_MAX_LINES,)
    ):
        yield f"message {identity} is missing in the search index"
    for path_id, name in database.execute("SELECT path_id, name FROM attachments ORDER BY id"):
        file = place(data / UPLOADS, path_id)
        if file is None or not file.is_file():
            yield f"the file of the upload {name!r} ({path_id}) is missing"
