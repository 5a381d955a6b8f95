"""The simulated disk of a home directory: writes are delayed; a kill drops those of one window, a power loss all."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from narrowcast_api.account import Account
from narrowcast_api.storage.account_storage import AccountStorage
from simulation.loop import SimulatedLoop

SLOWEST = 0.05
"""The longest delay of a write, in seconds."""


class SlowWriter(Executor):
    """Runs jobs in order, each a moment later; at once if `hurry` is set; never after `kill`.

    `before` and `after` are called around each write, and may kill the window.
    """

    def __init__(self, loop: SimulatedLoop, chance: Random) -> None:
        self._loop = loop
        self._chance = chance
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.hurry = False
        self.fastest, self.slowest = 0.0, SLOWEST
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[], None] = lambda: None
        self._killed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, lambda: fn(*args, **kwargs)))
        if self.hurry:
            self.catch_up()
        else:
            self._loop.call_later(self._chance.uniform(self.fastest, self.slowest), self._next)
        return future

    def _next(self) -> None:
        if not self._waiting or self._killed:
            return
        self.before()
        if self._killed:
            return
        future, work = self._waiting.pop(0)
        done = work()
        self.after()
        if not self._killed:
            future.set_result(done)

    def catch_up(self) -> None:
        """Runs all pending jobs now."""
        while self._waiting and not self._killed:
            self._next()

    def kill(self) -> None:
        """Drops all pending jobs."""
        self._killed = True


quoted = lru_cache(maxsize=64)(quote)


@contextmanager
def memory() -> Iterator[Path]:
    """A folder for home directories: in memory if the system supports that, since the disk is simulated.

    All windows are in this process, so that SQLite does not need the system's file locks and shared memory.
    """
    connect = sqlite3.connect

    def connect_here(database: Path | str, *, uri: bool = False, **options: Any) -> sqlite3.Connection:
        if database != ":memory:":
            address = str(database) if uri else f"file:{quoted(str(database))}"
            database, uri = f"{address}{'&' if '?' in address else '?'}vfs=unix-excl", True
        connection: sqlite3.Connection = connect(database, uri=uri, **options)
        return connection

    sqlite3.connect = connect_here  # type: ignore[assignment]
    try:
        with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            yield Path(folder)
    finally:
        sqlite3.connect = connect


@cache
def empty_files(account: Account) -> dict[Path, bytes]:
    """The databases of an account that was opened and closed once, by their path in a home directory."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        AccountStorage.open(home / "data", home / "cache", account.site, account.email).close()
        return {path.relative_to(home): path.read_bytes() for path in home.rglob("*.db")}


class Home:
    """A home directory that windows share, across restarts, on a machine whose clock is `skew` seconds ahead."""

    def __init__(self, folder: Path, chance: Random, skew: float = 0.0) -> None:
        self.root = folder
        self.skew = skew
        self._chance = chance
        self._life = 0

    def start_with(self, files: Mapping[Path, bytes]) -> None:
        """Files that the first start finds: creating databases takes longer than all later writes."""
        for path, content in files.items():
            place = self.folder / path
            place.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
            place.write_bytes(content)

    @property
    def folder(self) -> Path:
        return self.root / f"life-{self._life}"

    def lose_power(self) -> None:
        """Power loss: the next start finds the files as they are now, with a torn last write."""
        before = self.folder
        self._life += 1
        shutil.copytree(before, self.folder)
        for log in self.folder.rglob("*.db-wal"):
            with log.open("ab") as file:
                file.write(self._chance.randbytes(self._chance.randrange(0, 5000)))
        for log in self.folder.rglob("cache.db-wal"):  # not synced: its end may be missing
            with log.open("r+b") as file:
                file.truncate(self._chance.randrange(0, log.stat().st_size + 1))
