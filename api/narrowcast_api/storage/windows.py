"""Who has an account open: a locked file for each window.

DATA/<account>/windows/<id>    locked while its window lives; tells process, machine and purpose
DATA/<account>/lock            held together by all windows here; alone by versions that knew one writer only

The system gives a lock up when its process ends, however it ends: whoever can take it knows that its window is
gone. A home that two machines share is another matter. Locks may not reach from one to the other, and SQLite's
shared memory never does. So a window also tells on which start of which machine it runs, and touches its file
once a minute.
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
"""Seconds between two signs of life, for other machines."""

_GONE_AFTER = 3 * TOUCH_EVERY
_NAME = "windows"
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}

_ELSEWHERE = (
    "This account is open on another machine that shares this home ({host}, process {pid}). Two machines cannot "
    "write the same files: this window only reads and keeps nothing. Close the other one to write here, or set "
    "XDG_DATA_HOME and XDG_CACHE_HOME to folders of this machine."
)
_EARLIER_VERSION = (
    "An earlier version of Narrowcast, which allows one window only, has this account open. This window only "
    "reads: close the other one to write here."
)
_WITHOUT_LOCKS = (
    "This account is open in another window (process {pid}), and the file system of its folder has no locks. "
    "This window only reads: close the other one to write here."
)


class Machine(Struct, frozen=True):
    """One start of one machine."""

    host: str
    boot: str
    computer: str = ""
    """What is the same after each start, where the system says so: names are not always different."""

    @classmethod
    def here(cls) -> Machine:
        """This one. Containers of a machine have its boot id, and locks reach from one to the other."""
        host = socket.gethostname()
        boot = _first_line(Path("/proc/sys/kernel/random/boot_id"))
        return cls(host, boot or host, _first_line(Path("/etc/machine-id")))

    def is_earlier_start_of(self, other: Machine) -> bool:
        """Whether this was the same machine before it was started again."""
        same = (self.host, self.computer) == (other.host, other.computer)
        return same and self.boot != other.boot


def _first_line(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").partition("\n")[0].strip()
    return ""


class WindowRecord(Struct, frozen=True):
    """What a window says of itself. `kind` is what it is for: "app", "sender" or "command"."""

    window_id: str
    pid: int
    machine: Machine
    kind: str


class Window:
    """A window that is open here. `obstacle` says why it may not write, or is None; `may_read` tells whether it may
    at least read the files of the account.
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
        """Its own for ever; nobody else has had it."""
        return self.record.window_id

    def others(self) -> list[WindowRecord]:
        """The other windows that live, on this machine and on others."""
        living = _living(self._folder, self.record.machine)
        return [record for record in living if record.window_id != self.id]

    def is_gone(self, window_id: str) -> bool:
        """Whether that window has ended, so that what it left behind may be taken over."""
        if window_id == self.id:
            return False
        path = self._folder / window_id
        record = _read(path)
        if record is not None and _lives(path, record, self.record.machine):
            return False
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return True

    def take(self, name: str) -> bool:
        """Take a task that one window of the account does at a time, until this one ends; whether it is ours."""
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
        """Show other machines that this window lives."""
        with suppress(OSError):
            os.utime(self._folder / self.id)

    def close(self) -> None:
        """Others take over what this window leaves. May be called again."""
        if self.obstacle is None:
            with suppress(OSError):
                (self._folder / self.id).unlink(missing_ok=True)
        self.let_go()

    def let_go(self) -> None:
        """Give the locks up and leave the file: what the system does for a process that is killed."""
        self._tasks.clear()
        while self._locks:
            os.close(self._locks.pop())


def open_window(account_folder: Path, kind: str, machine: Machine | None = None) -> Window:
    """Open a window on an account. Raises OSError where its files cannot be made."""
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
    except BaseException:
        os.close(shared)
        raise


def living_windows(account_folder: Path) -> list[WindowRecord]:
    """The windows of an account, looked at from outside; no file is made."""
    return list(_living(account_folder / _NAME, Machine.here()))


def _own_file(folder: Path, record: WindowRecord, *, locked: bool = True) -> int:
    """The window's file, locked before anybody can see it."""
    hidden = folder / f".{record.window_id}"
    descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        if locked:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(descriptor, msgspec.json.encode(record))
        hidden.rename(folder / record.window_id)
    except BaseException:
        os.close(descriptor)
        hidden.unlink(missing_ok=True)
        raise
    return descriptor


def _locked(path: Path, how: int) -> int:
    """A file with a lock. Raises BlockingIOError if it is somebody else's, OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _living(folder: Path, here: Machine, *, sweep: bool = False) -> Iterator[WindowRecord]:
    """The windows that live. With `sweep` the files of those of this machine that were killed are removed; what they
    left in the journal names them still.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        record = None if path.name.startswith(".") else _read(path)
        if record is None:
            continue
        if _lives(path, record, here):
            yield record
        elif sweep and (record.machine == here or record.machine.is_earlier_start_of(here)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _read(path: Path) -> WindowRecord | None:
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=WindowRecord)
    return None


def _lives(path: Path, record: WindowRecord, here: Machine) -> bool:
    if record.machine.boot == here.boot:
        return _is_locked(path, record)
    # An earlier start of this machine ended with all its windows; the locks of another may not be seen here.
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
        return _runs(record.pid)
    finally:
        os.close(descriptor)
    return False


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, with the number of ours that has ended, or not: rather believe that it lives
    return True


def _is_fresh(path: Path) -> bool:
    """Whether the file was touched lately, by the clock of the file system that keeps it."""
    probe = path.with_name(f".probe-{os.urandom(4).hex()}")
    try:
        probe.touch(mode=0o600)
        return probe.stat().st_mtime - path.stat().st_mtime < _GONE_AFTER
    except OSError:
        return True
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
