"""Everything that is kept for one account, opened together.

DATA/<account>/journal.db    drafts and messages on their way: precious
DATA/<account>/lock          held by the instance that may write
CACHE/<account>/cache.db     disposable
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from narrowcast_api.storage.cache import DEFAULT_LIMIT, Cache
from narrowcast_api.storage.executors import MakeExecutor, own_thread
from narrowcast_api.storage.folders import account_folder_name, private_folder
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.lock import AccountLock


class AccountStorage:
    """The lock, the journal and the cache of one account. Make one with `open`, end it with `close`."""

    def __init__(self, journal: Journal, cache: Cache, lock: AccountLock | None) -> None:
        self.journal = journal
        self.cache = cache
        self.lock = lock

    @classmethod
    def open(
        cls,
        data_dir: Path,
        cache_dir: Path,
        site: str,
        email: str,
        *,
        cache_limit: int = DEFAULT_LIMIT,
        executor: MakeExecutor = own_thread,
    ) -> AccountStorage:
        """Open the files of the account at `site` with this API email; they are made if need be.

        Never raises for a bad disk: what cannot be kept on it is in memory, and `warnings` say so. If another
        instance has the account open, this one only reads.
        """
        name = account_folder_name(site, email)
        journal_path, lock = None, None
        try:
            folder = private_folder(data_dir / name)
            journal_path = folder / "journal.db"
            lock = AccountLock.acquire(folder / "lock")
        except OSError:
            journal_path = journal_path or data_dir / name / "journal.db"
        second = lock is not None and not lock.held
        journal = Journal.open(journal_path, read_only=second, executor=executor)
        try:
            cache_path: Path | None = private_folder(cache_dir / name) / "cache.db"
        except OSError:
            cache_path = None
        cache = Cache.open(cache_path, limit=cache_limit, read_only=second, executor=executor)
        if cache_path is None:
            cache.file.warn("The cache cannot be used: the cache folder cannot be made.")
        cache.post(cache.verify_after_crash)
        return cls(journal, cache, lock)

    @property
    def read_only(self) -> bool:
        """Whether another instance has this account."""
        return self.lock is not None and not self.lock.held

    @property
    def other_pid(self) -> int | None:
        """The process that has the account, if this one only reads."""
        return self.lock.owner_pid if self.lock is not None and not self.lock.held else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user must be told about the disk, most important first."""
        if self.read_only:
            who = f" (process {self.other_pid})" if self.other_pid else ""
            return (
                f"Narrowcast is already running with this account{who}. This window only reads: "
                "close the other one to write here.",
            )
        return tuple(warning for warning in (self.journal.warning, self.cache.warning) if warning)

    def on_warning(self, warned: Callable[[], None]) -> None:
        """Call `warned` whenever `warnings` changes, in whatever thread found out."""
        self.journal.warned = warned
        self.cache.file.warned = warned

    def close(self) -> None:
        """Write what is left, for a few seconds at most, and let go of the files."""
        self.journal.close()
        self.cache.close()
        if self.lock is not None:
            self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
