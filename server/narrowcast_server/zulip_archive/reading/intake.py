"""What all tables of one archive share while they are taken in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from narrowcast_server.organization.core import Core
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, rows
from narrowcast_server.zulip_archive.reading.texts import Texts
from narrowcast_server.zulip_archive.reading.unpacking import Archive

Ids = dict[int, int]
"""Our ids by the archive's."""


@dataclass(slots=True)
class Intake:
    """One archive, and the organization that is made of it."""

    core: Core
    archive: Archive
    tables: Mapping[str, object]
    own: Mapping[str, object]
    """What an archive of this program has beside."""
    texts: Texts = field(default_factory=Texts)
    left_out: Counter[str] = field(default_factory=Counter)
    users: Ids = field(default_factory=dict)
    system_bots: Ids = field(default_factory=dict)
    """Those of `users` that are bots of the system."""
    groups: Ids = field(default_factory=dict)
    """Our ids of the groups that have a name."""
    unnamed: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)
    """The others: members and subgroups, by our ids."""
    folders: Ids = field(default_factory=dict)
    channels: Ids = field(default_factory=dict)
    emoji: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Our id and name of custom emoji by the archive's id."""
    clients: dict[int, str] = field(default_factory=dict)
    messages: Ids = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    """Our path ids of uploads by the archive's, where they differ."""

    def rows(self, table: str) -> Iterator[ArchiveRow]:
        return rows(self.tables, table)

    def own_rows(self, table: str) -> Iterator[ArchiveRow]:
        """The same of what only this program writes."""
        return rows(self.own, table)

    def execute(self, sql: str, *values: str | int | float | None) -> None:
        self.core.store.execute(sql, *values)

    @contextmanager
    def passing_over(self, words: str) -> Iterator[None]:
        """What the server's own rules refuse is left out, and counted."""
        try:
            yield
        except ServiceError:
            self.left_out[words] += 1

    @contextmanager
    def refusing(self, row: ArchiveRow) -> Iterator[None]:
        """What the server's own rules refuse ends the import."""
        try:
            yield
        except ServiceError as error:
            row.fault(error.message)
