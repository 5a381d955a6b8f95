"""The shared state of one import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.organization import Organization
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, rows
from narrowcast_server.zulip_archive.reading.texts import Texts
from narrowcast_server.zulip_archive.reading.unpacking import Archive

Ids = dict[int, int]
"""Our ids by the archive's ids."""


@dataclass(slots=True)
class Intake:
    """One archive, and the organization that is made from it."""

    organization: Organization
    archive: Archive
    tables: Mapping[str, object]
    own: Mapping[str, object]
    """The additional tables of an archive written by this program."""
    texts: Texts = field(default_factory=Texts)
    left_out: Counter[str] = field(default_factory=Counter)
    users: Ids = field(default_factory=dict)
    system_bots: Ids = field(default_factory=dict)
    """The system bots among `users`."""
    groups: Ids = field(default_factory=dict)
    """Ids of the named groups."""
    unnamed: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)
    """The unnamed groups: members and subgroups, by our ids."""
    folders: Ids = field(default_factory=dict)
    channels: Ids = field(default_factory=dict)
    emoji: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Our id and name of custom emoji, by the archive's id."""
    clients: dict[int, str] = field(default_factory=dict)
    messages: Ids = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    """Our path ids of uploads by the archive's, if they differ."""

    def rows(self, table: str) -> Iterator[ArchiveRow]:
        return rows(self.tables, table)

    def own_rows(self, table: str) -> Iterator[ArchiveRow]:
        """The rows of a table that only this program writes."""
        return rows(self.own, table)

    def execute(self, sql: str, *values: str | int | float | None) -> None:
        self.organization.store.execute(sql, *values)

    @contextmanager
    def skipping_rejected(self, words: str) -> Iterator[None]:
        """Leaves out and counts what the server's own rules reject."""
        try:
            yield
        except ServiceError:
            self.left_out[words] += 1

    @contextmanager
    def aborting(self, row: ArchiveRow) -> Iterator[None]:
        """Aborts the import if the server's own rules reject something."""
        try:
            yield
        except ServiceError as error:
            row.fault(error.message)
