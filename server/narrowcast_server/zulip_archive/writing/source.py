"""A snapshot of the organization, read while a server may be using it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from narrowcast_api.wire.vocabulary import EmailVisibility, ExportType
from narrowcast_server.organization.models import Channel, Group, User
from narrowcast_server.organization.organization import DATABASE
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.organization.realm_settings import DEFAULTS
from narrowcast_server.queries.users import shows_presence
from narrowcast_server.rules.addresses import email_visibility
from narrowcast_server.storage.schema import MIGRATIONS
from narrowcast_server.storage.store import Row, Value
from narrowcast_server.zulip_archive.layout import ArchiveError
from narrowcast_server.zulip_archive.writing.visibility import restrict


class Source:
    """One read transaction on its own connection: it does not see later writes, and does not block them."""

    def __init__(self, data: Path, kind: ExportType = ExportType.FULL_WITHOUT_CONSENT) -> None:
        self.folder = data
        path = (data / DATABASE).absolute()
        if not path.is_file():
            raise ArchiveError(f"{data} holds no organization")
        self._connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        try:
            self._begin()
            if kind is not ExportType.FULL_WITHOUT_CONSENT:
                self._restrict(kind)
        except BaseException:  # an open transaction would keep the log from being folded in
            self.close()
            raise

    def _begin(self) -> None:
        self._connection.execute("BEGIN")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version != len(MIGRATIONS):
            raise ArchiveError(
                f"{self.folder} was last used by another version (schema {version}, not {len(MIGRATIONS)}):"
                " serve it once with this one"
            )
        # The snapshot is taken by the first read.
        if self._connection.execute("SELECT 1 FROM groups").fetchone() is None:
            raise ArchiveError(f"{self.folder} holds no organization")

    def _restrict(self, kind: ExportType) -> None:
        everybody = [
            User.of(row, _sealed) for row in self.rows("SELECT * FROM users WHERE NOT is_system_bot")
        ]
        agreed = (
            {
                user.id
                for user in everybody
                if not user.is_bot and switched_on(user, "allow_private_data_export")
            }
            if kind is ExportType.FULL_WITH_CONSENT
            else set()
        )
        hidden = {
            user.id
            for user in everybody
            if user.id not in agreed and email_visibility(user) is EmailVisibility.NOBODY and not user.is_bot
        }
        absent = {user.id for user in everybody if user.id not in agreed and not shows_presence(user)}
        restrict(self._connection, agreed=agreed, hidden=hidden, absent=absent)

    def rows(self, sql: str, *values: Value) -> Iterator[Row]:
        """The rows of a query, fetched one by one."""
        return iter(self._connection.execute(sql, values))

    def count(self, table: str) -> int:
        """The number of rows in a table."""
        return int(self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def newest(self, table: str) -> int:
        """The largest id of a table, 0 if it is empty."""
        return int(self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0)

    @cached_property
    def users(self) -> dict[int, User]:
        """All users; keys stay sealed."""
        return {row["id"]: User.of(row, _sealed) for row in self.rows("SELECT * FROM users ORDER BY id")}

    @cached_property
    def people(self) -> list[User]:
        """All users except system bots."""
        return [user for user in self.users.values() if not user.is_system_bot]

    @cached_property
    def system_bots(self) -> list[User]:
        """The system bots; each Zulip server has its own."""
        return [user for user in self.users.values() if user.is_system_bot]

    @cached_property
    def channels(self) -> list[Channel]:
        return [Channel.of(row) for row in self.rows("SELECT * FROM channels ORDER BY id")]

    @cached_property
    def groups(self) -> list[Group]:
        """All groups, including system groups."""
        return [Group.of(row) for row in self.rows("SELECT * FROM groups ORDER BY id")]

    @cached_property
    def settings(self) -> dict[str, object]:
        """The organization's settings."""
        stored = {row["name"]: json.loads(row["value"]) for row in self.rows("SELECT * FROM settings")}
        return {**DEFAULTS, **stored}

    @cached_property
    def conversations(self) -> dict[int, tuple[int, ...]]:
        """The members of each direct conversation."""
        members: dict[int, list[int]] = {}
        for row in self.rows("SELECT * FROM conversation_members ORDER BY conversation_id, user_id"):
            members.setdefault(row["conversation_id"], []).append(row["user_id"])
        return {identity: tuple(ids) for identity, ids in members.items()}

    def close(self) -> None:
        self._connection.close()


def _sealed(stored: str) -> str | None:
    return None
