"""Everything that is stored for one account, opened together.

DATA/<account>/journal.db    drafts, edits and unsent messages: must not be lost
DATA/<account>/windows/      the open windows of the account
CACHE/<account>/cache.db     disposable

Any number of windows of one machine share them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from narrowcast_api.storage.cache import DEFAULT_LIMIT, Cache
from narrowcast_api.storage.executors import MakeExecutor, own_thread
from narrowcast_api.storage.folders import account_folder_name, private_folder
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.windows import Machine, Window, WindowRecord, open_window


class AccountStorage:
    """The window, the journal and the cache of one account. Create one with `open`, and `close` it."""

    def __init__(self, journal: Journal, cache: Cache, window: Window | None) -> None:
        self.journal = journal
        self.cache = cache
        self.window = window

    @classmethod
    def open(
        cls,
        data_dir: Path,
        cache_dir: Path,
        site: str,
        email: str,
        *,
        kind: str = "app",
        machine: Machine | None = None,
        cache_limit: int = DEFAULT_LIMIT,
        executor: MakeExecutor = own_thread,
    ) -> AccountStorage:
        """Opens the files of the account at `site` with this API email; they are created if necessary.

        This window takes over what closed windows had not sent. `kind` tells other windows what this one is
        for.

        Never raises for a bad disk: what cannot be stored is kept in memory, and `warnings` says so. If
        windows cannot share the files (see `narrowcast_api.storage.windows`), this one only reads.
        """
        name = account_folder_name(site, email)
        journal_path: Path | None = data_dir / name / "journal.db"
        cache_path: Path | None = None
        window = None
        with suppress(OSError):
            window = open_window(private_folder(data_dir / name), kind, machine)
        obstacle = window.obstacle if window is not None else None
        with suppress(OSError):
            cache_path = private_folder(cache_dir / name) / "cache.db"
        no_cache_folder = cache_path is None
        if window is not None and not window.may_read:
            journal_path = cache_path = None
        journal = Journal.open(
            journal_path, window=window.id if window else None, read_only=obstacle, executor=executor
        )
        cache = Cache.open(cache_path, limit=cache_limit, read_only=obstacle is not None, executor=executor)
        if no_cache_folder:
            cache.file.warn("The cache cannot be used: the cache folder cannot be made.")
        storage = cls(journal, cache, window)
        if obstacle is None:
            storage._begin()
        return storage

    def _begin(self) -> None:
        gone = self.closed_windows()
        if gone and self.journal.adopt(gone):
            self.journal.load()
        if not self.other_windows():
            self.cache.post(self.cache.verify_after_crash)

    @property
    def read_only(self) -> bool:
        """Whether nothing is written here, because the account is open in a window that cannot share its files."""
        return self.journal.read_only is not None

    def other_windows(self) -> list[WindowRecord]:
        """The other windows that have the account open."""
        return [] if self.window is None else self.window.others()

    def closed_windows(self) -> set[str | None]:
        """Closed windows that left something unsent."""
        return {owner for owner in self.journal.owners() if self.is_gone(owner)}

    def is_gone(self, owner: str | None) -> bool:
        """Whether a window has closed, so that what it left in the journal may be taken over; None stands for
        a version that allowed one window only.
        """
        window = self.window
        if window is None or window.obstacle is not None:
            return window is None
        return owner is None or window.is_gone(owner)

    def acquire_task(self, task: str) -> bool:
        """Takes a task that only one window does at a time, unless another window has it; returns whether
        this window has it.
        """
        return self.window is None or self.window.acquire_task(task)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Disk problems that the user must be told about, most important first."""
        journal, reason = self.journal.warning, self.journal.read_only
        if reason is not None:
            return (reason, journal) if journal and journal != reason else (reason,)
        return tuple(warning for warning in (journal, self.cache.warning) if warning)

    def on_warning(self, call: Callable[[], None]) -> None:
        """Calls this function whenever `warnings` changes, in any thread."""
        self.journal.on_warning(call)
        self.cache.file.on_warning = call

    def close(self) -> None:
        """Writes what is pending, for a few seconds at most, and closes the files."""
        self.journal.close()
        self.cache.close(in_use=bool(self.other_windows()))
        if self.window is not None:
            self.window.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
