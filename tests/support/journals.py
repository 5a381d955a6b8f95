"""Journals in tests: opening, killing, and failing disks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.executors import Inline, MakeExecutor, inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import Draft, OutboxMessage, OutboxState

LUNCH = ChannelDestination(7, "lunch")
MESSAGE = OutboxMessage("m1", 1, LUNCH, "Soup today", OutboxState.WAITING, 1_800_000_000.0)
DRAFT = Draft("d1", DraftVersion(LUNCH, "Soup to"), 1_800_000_000.0)


def journal_at(folder: Path, *, read_only: str | None = None, executor: Executor | None = None) -> Journal:
    """Opens the journal of a folder; it writes synchronously unless there is an executor."""
    make: MakeExecutor = inline if executor is None else lambda _name: executor
    return Journal.open(folder / "journal.db", read_only=read_only, executor=make)


def connection_of(journal: Journal) -> sqlite3.Connection:
    """Returns the connection that writes, for simulating damage to the file."""
    return journal._file.connection


def killed(journal: Journal) -> None:
    """Ends a journal as if its process was killed: what was not yet written is lost."""
    connection_of(journal).close()


def refuse(journal: Journal, is_refused: bool = True) -> None:
    """Makes the disk reject writes from now on, or accept them again."""
    connection_of(journal).execute(f"PRAGMA query_only={int(is_refused)}")


class Held(Executor):
    """A disk that writes only when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        self.waiting.append(lambda: done.set_result(fn(*args, **kwargs)))
        return done

    def take(self, journal: Journal) -> Executor:
        """Replaces the disk of an open journal; returns the previous one."""
        writer = journal._writer
        before, writer.executor = writer.executor, self
        return before

    def write(self) -> None:
        """Writes everything that is pending."""
        while self.waiting:
            self.step()

    def step(self) -> None:
        """Writes the oldest pending item."""
        self.waiting.pop(0)()


def holds(home: Path, text: str) -> bool:
    """Whether a journal below a folder has this text on disk: as a message, a draft, or an unsaved edit."""
    for path in home.rglob("journal.db"):
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            for table in ("outbox", "drafts", "edits"):
                if connection.execute(f"SELECT 1 FROM {table} WHERE content = ?", (text,)).fetchone():
                    return True
    return False


_PLACES = """
SELECT 'outbox' FROM outbox WHERE instr(content, :text)
UNION ALL SELECT 'drafts' FROM drafts WHERE instr(content, :text) AND NOT deleted
UNION ALL SELECT 'edits' FROM edits WHERE instr(content, :text)
UNION ALL SELECT 'uploads' FROM uploads WHERE instr(link, :text)
"""


class EachCommit(Inline):
    """Writes at once, and notes after each commit which tables have a text: what is left if the process ends there."""

    def __init__(self, path: Path, text: str) -> None:
        self._uri = f"{path.as_uri()}?mode=ro"
        self._text = text
        self.found: list[list[str]] = []

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]  # as in the base class
        done = super().submit(fn, *args, **kwargs)  # type: ignore[no-untyped-call]  # as here
        with closing(sqlite3.connect(self._uri, uri=True)) as connection:
            self.found.append([table for (table,) in connection.execute(_PLACES, {"text": self._text})])
        return done


@contextmanager
def each_commit(journal: Journal, text: str) -> Iterator[list[list[str]]]:
    """Collects the tables of an open journal that have a text on disk, after each of its commits."""
    writer = journal._writer
    assert journal.flush(10)
    before, writer.executor = writer.executor, (disk := EachCommit(journal._file.path or Path(), text))
    try:
        yield disk.found
    finally:
        writer.executor = before
