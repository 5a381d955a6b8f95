"""Which windows have an account open: a locked file for each window.

DATA/<account>/windows/<id>    locked while its window is open; contains process, machine and purpose
DATA/<account>/lock            a shared lock of all windows here; exclusive for versions that allowed one window only

The system releases a lock when its process ends, however it ends: if a lock can be taken, its window is closed.
If two machines share a home folder, locks may not work between them, and SQLite's shared memory never does.
So a window also records the machine and its boot, and touches its file once a minute.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from narrowcast_api.storage.folders import private_folder

log = logging.getLogger(__name__)

TOUCH_EVERY = 60.0
"""Seconds between two updates of the file's time, which other machines check."""

_GONE_AFTER = 3 * TOUCH_EVERY
_NAME = "windows"
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}

_ELSEWHERE = (
    "This account is open on another machine that shares this home ({host}, process {pid}). Two machines cannot "
    "write the same files: this window is read-only and stores nothing. Close the other one to write here, or set "
    "XDG_DATA_HOME and XDG_CACHE_HOME to folders of this machine."
)
_EARLIER_VERSION = (
    "An earlier version of Narrowcast, which allows one window only, has this account open. This window is "
    "read-only: close the other one to write here."
)
_WITHOUT_LOCKS = (
    "This account is open in another window (process {pid}), and the file system of its folder has no locks. "
    "This window is read-only: close the other one to write here."
)


class Machine(Struct, frozen=True):
    """One boot of one machine."""

    host: str
    boot: str
    computer: str = ""
    """Identifies the machine across boots, if the system provides that: host names are not always unique."""

    @classmethod
    def here(cls) -> Machine:
        """This machine. Containers of a machine share its boot id, and locks work between them."""
        host = socket.gethostname()
        boot = _first_line(Path("/proc/sys/kernel/random/boot_id"))
        return cls(host, boot or host, _first_line(Path("/etc/machine-id")))

    def is_earlier_start_of(self, other: Machine) -> bool:
        """Whether this was an earlier boot of the same machine."""
        same = (self.host, self.computer) == (other.host, other.computer)
        return same and self.boot != other.boot


def _first_line(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").partition("\n")[0].strip()
    return ""


class WindowRecord(Struct, frozen=True):
    """The information about a window in its file. `kind` is its purpose: "app", "sender" or "command"."""

    window_id: str
    pid: int
    machine: Machine
    kind: str


class Window:
    """An open window of this process. `obstacle` says why it may not write, or is None; `may_read` is whether
    it may at least read the files of the account.
    """

    def __init__(
        self,
        folder: Path,
        record: WindowRecord,
        *locks: int,
        obstacle: str | None = None,
        may_read: bool = True,
    ) -> None:
        self.record = record
        self.obstacle = obstacle
        self.may_read = may_read
        self._folder = folder
        self._locks = list(locks)
        self._tasks: set[str] = set()

    @property
    def id(self) -> str:
        """The unique id of this window, which is never used again."""
        return self.record.window_id

    def others(self) -> list[WindowRecord]:
        """The other open windows, on this machine and on others."""
        living = _living(self._folder, self.record.machine)
        return [record for record in living if record.window_id != self.id]

    def is_gone(self, window_id: str) -> bool:
        """Whether that window has closed, so that what it left behind may be taken over."""
        if window_id == self.id:
            return False
        path = self._folder / window_id
        record = _read(path)
        if record is not None and _is_alive(path, record, self.record.machine):
            return False
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return True

    def acquire_task(self, name: str) -> bool:
        """Takes a task that only one window of the account does at a time, until this window closes; returns
        whether this window has it.
        """
        if self.obstacle is not None or name in self._tasks:
            return name in self._tasks
        try:
            self._locks.append(_locked(self._folder.parent / name, fcntl.LOCK_EX))
        except BlockingIOError:
            return False
        except OSError:
            log.warning("%s cannot be locked; without locks there is one window only", name)
        self._tasks.add(name)
        return True

    def touch(self) -> None:
        """Shows other machines that this window is still open."""
        with suppress(OSError):
            os.utime(self._folder / self.id)

    def close(self) -> None:
        """Closes the window; others take over what it leaves behind. May be called again."""
        if self.obstacle is None:
            with suppress(OSError):
                (self._folder / self.id).unlink(missing_ok=True)
        self.release_locks()

    def release_locks(self) -> None:
        """Releases the locks but leaves the file, as when a process is killed."""
        self._tasks.clear()
        while self._locks:
            os.close(self._locks.pop())


def open_window(account_folder: Path, kind: str, machine: Machine | None = None) -> Window:
    """Opens a window on an account. Raises OSError if its files cannot be created."""
    folder = private_folder(account_folder / _NAME)
    here = machine or Machine.here()
    record = WindowRecord(f"{os.getpid():x}-{os.urandom(6).hex()}", os.getpid(), here, kind)
    living = list(_living(folder, here, sweep=True))
    foreign = next((other for other in living if other.machine.boot != here.boot), None)
    if foreign is not None:
        obstacle = _ELSEWHERE.format(host=foreign.machine.host, pid=foreign.pid)
        return Window(folder, record, obstacle=obstacle, may_read=False)
    try:
        shared = _locked(account_folder / "lock", fcntl.LOCK_SH)
    except BlockingIOError:
        return Window(folder, record, obstacle=_EARLIER_VERSION)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        if living:
            return Window(folder, record, obstacle=_WITHOUT_LOCKS.format(pid=living[0].pid))
        return Window(folder, record, _own_file(folder, record, locked=False))
    try:
        return Window(folder, record, _own_file(folder, record), shared)
    except BaseException:  # an open file would keep its lock
        os.close(shared)
        raise


def living_windows(account_folder: Path) -> list[WindowRecord]:
    """The open windows of an account, for other programs; no file is created."""
    return list(_living(account_folder / _NAME, Machine.here()))


def _own_file(folder: Path, record: WindowRecord, *, locked: bool = True) -> int:
    """Creates the window's file, locked before other windows can see it."""
    hidden = folder / f".{record.window_id}"
    descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        if locked:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(descriptor, msgspec.json.encode(record))
        hidden.rename(folder / record.window_id)
    except BaseException:  # an open file would keep its lock, and look like a window
        os.close(descriptor)
        hidden.unlink(missing_ok=True)
        raise
    return descriptor


def _locked(path: Path, how: int) -> int:
    """Opens and locks a file. Raises BlockingIOError if another process has the lock, OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _living(folder: Path, here: Machine, *, sweep: bool = False) -> Iterator[WindowRecord]:
    """The open windows. With `sweep` the files of killed windows of this machine are removed; their rows in
    the journal still contain their ids.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        record = None if path.name.startswith(".") else _read(path)
        if record is None:
            continue
        if _is_alive(path, record, here):
            yield record
        elif sweep and (record.machine == here or record.machine.is_earlier_start_of(here)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _read(path: Path) -> WindowRecord | None:
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=WindowRecord)
    return None


def _is_alive(path: Path, record: WindowRecord, here: Machine) -> bool:
    if record.machine.boot == here.boot:
        return _is_locked(path, record)
    # All windows of an earlier boot of this machine have ended; locks of another machine may not be visible
    # here.
    return not record.machine.is_earlier_start_of(here) and _is_fresh(path)


def _is_locked(path: Path, record: WindowRecord) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return _is_running(record.pid)
    finally:
        os.close(descriptor)
    return False


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's process, perhaps with a reused id: assume that the window is open
    return True


def _is_fresh(path: Path) -> bool:
    """Whether the file was touched recently, by the clock of its file system."""
    probe = path.with_name(f".probe-{os.urandom(4).hex()}")
    try:
        probe.touch(mode=0o600)
        return probe.stat().st_mtime - path.stat().st_mtime < _GONE_AFTER
    except OSError:
        return True
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
