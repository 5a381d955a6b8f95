"""Additional API keys of an account, one for each program: hashed, with a scope and an optional expiry."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Final

from narrowcast_server.storage.key_vault import new_key
from narrowcast_server.storage.store import Row, Store

_USED_SECONDS: Final = 3600
"""The resolution of the time of last use: not every request needs a write."""


class Scope(Enum):
    """The actions that an additional API key allows."""

    ALL = "all"
    """Everything that the account may do, except setting a password, and managing keys and bots, whose keys it
    never shows.
    """
    READ = "read"
    """Reading messages, channels and people."""
    SEND = "send"
    """Sending messages and files."""


@dataclass(frozen=True, slots=True)
class ExtraKey:
    """A key's record, without the key; times in UTC seconds."""

    id: int
    user_id: int
    name: str
    scope: Scope
    created: int
    expires: int | None
    last_used: int | None


class ExtraKeys:
    """The additional keys of all accounts. A key is shown once; only a hash is stored, unsalted, as keys are
    long and random.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def make(self, user_id: int, name: str, scope: Scope, now: int, expires: int | None) -> tuple[int, str]:
        """Creates a key; returns its id and the key."""
        key = new_key()
        identity = self._store.insert(
            "INSERT INTO extra_keys (user_id, digest, name, scope, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
            user_id,
            _digest(key),
            name,
            scope.value,
            now,
            expires,
        )
        return identity, key

    def find(self, user_id: int, key: str, now: int) -> ExtraKey | None:
        """The record of an account's key; None if it is unknown or expired."""
        row = self._store.one(
            "SELECT * FROM extra_keys WHERE digest = ? AND user_id = ? AND (expires IS NULL OR expires > ?)",
            _digest(key),
            user_id,
            now,
        )
        if row is None:
            return None
        if row["last_used"] is None or now - row["last_used"] >= _USED_SECONDS:
            self._store.execute("UPDATE extra_keys SET last_used = ? WHERE id = ?", now, row["id"])
        return _of(row)

    def of(self, user_id: int) -> list[ExtraKey]:
        """All keys of an account, including expired ones."""
        rows = self._store.all("SELECT * FROM extra_keys WHERE user_id = ? ORDER BY id", user_id)
        return [_of(row) for row in rows]

    def remove(self, user_id: int, identity: int) -> bool:
        """Deletes a key; returns False if the account has none with this id."""
        return bool(
            self._store.execute("DELETE FROM extra_keys WHERE user_id = ? AND id = ?", user_id, identity)
        )

    def remove_all(self, user_id: int) -> None:
        """Deletes all keys of an account."""
        self._store.execute("DELETE FROM extra_keys WHERE user_id = ?", user_id)


def _of(row: Row) -> ExtraKey:
    return ExtraKey(
        row["id"],
        row["user_id"],
        row["name"],
        Scope(row["scope"]),
        row["created"],
        row["expires"],
        row["last_used"],
    )


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
