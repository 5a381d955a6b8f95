"""The saved screen, painted at start before anything else is loaded.

It takes a few tenths of a second until the framework can draw; reading the saved screen takes a few
milliseconds. `show` therefore runs first: if the saved screen matches this start exactly (arguments, account
file, configuration, size and type of terminal, version), it sets up the terminal and paints it, marked with
the time at which it was saved. Keys typed meanwhile stay in the terminal's own queue, in order. The driver
then takes over the terminal as it is, and the first frame is painted over it.

If the process ends before that for any reason, `give_back` restores the terminal. Only small modules of the
standard library are imported here; `narrowcast.terminal.screen_store` writes the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

MAGIC = b"narrowcast last screen 2\n"
"""The first line of a file, with the number of its format; others are ignored."""
FOLDER = "last-screens"
MAX_BYTES = 2 * 2**20
"""Maximum size in bytes of a file that is read."""
ENTER = "\x1b[?1049h"
LEAVE = (
    "\x1b[m\x1b[?2026l\x1b[?2004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2048l\x1b[<u\x1b[?7h"
    "\x1b[?69l\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Undoes all modes that the app or `show` may have set."""
_TERMINAL_VARIABLES = ("TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "LANG", "LC_ALL", "LC_CTYPE")

_attributes: list[object] | None = None
"""The result of `termios.tcgetattr` before `show` changed it; None if the terminal need not be restored."""


def show(arguments: Sequence[str]) -> None:
    """Paints the saved screen of a start with these arguments, if there is one. Never raises."""
    try:
        _show(arguments)
    except Exception:  # without it, the start only looks slower
        give_back()


def attributes() -> list[object] | None:
    """The attributes that the terminal had before the saved screen was painted; None if there is none, or after
    `forget`.
    """
    return _attributes


def forget() -> None:
    """Called after the driver has restored the terminal itself."""
    global _attributes
    _attributes = None


def give_back() -> None:
    """Restores the terminal as `show` found it. Does nothing if `show` did not change it, or if it is restored."""
    before = attributes()
    forget()
    if before is None:
        return
    import termios

    try:
        os.write(2, LEAVE.encode())
        termios.tcsetattr(0, termios.TCSANOW, before)  # type: ignore[arg-type]
    except (OSError, termios.error):
        return


def _show(arguments: Sequence[str]) -> None:
    if not (os.isatty(0) and os.isatty(2)):
        return
    columns, rows = os.get_terminal_size(2)
    wanted = signature(arguments, (columns, rows))
    paint = None if wanted is None else read(path_for(arguments), wanted)
    if paint is None:
        return
    import atexit
    import signal
    import termios
    import tty

    global _attributes
    before = termios.tcgetattr(0)
    _attributes = list(before)
    atexit.register(give_back)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    mode = list(before)
    mode[tty.LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    mode[tty.IFLAG] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    termios.tcsetattr(0, termios.TCSANOW, mode)
    data = ENTER.encode() + b"\x1b[?25l" + paint
    while data:
        data = data[os.write(2, data) :]


def _end(number: int, _frame: object) -> None:
    """Handles signals before the app has its own handlers: restores the terminal, then takes the default action."""
    import signal

    give_back()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def read(path: str, wanted: str) -> bytes | None:
    """The output for the terminal, if the file at ``path`` is complete, was saved for ``wanted``, belongs to the user
    and is private.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_uid != os.getuid() or status.st_mode & 0o177:
            return None
        data = file.read(MAX_BYTES)
    paint = data.rpartition(b"\n")[2]
    return paint if data == file_content(wanted, paint) else None


def file_content(wanted: str, paint: bytes) -> bytes:
    """The content of a file that `read` reads. ``paint`` has no line feeds."""
    import zlib

    return MAGIC + b"%s\n%d\n%s" % (wanted.encode(), zlib.crc32(paint), paint)


def path_for(arguments: Sequence[str]) -> str:
    """The file for the screen of a start with these arguments."""
    import zlib

    name = zlib.crc32("\0".join([*arguments, *_folder_now(arguments)]).encode("utf-8", "replace"))
    return os.path.join(cache_folder(), FOLDER, f"{name:08x}.screen")  # noqa: PTH118 - pathlib takes as long as all of this


def _folder_now(arguments: Sequence[str]) -> list[str]:
    """The folder to which relative paths in the arguments refer."""
    return [os.getcwd()] if arguments else []  # noqa: PTH109


def signature(arguments: Sequence[str], size: tuple[int, int]) -> str | None:
    """Everything on which a saved screen depends, as one line; None if the arguments do more than open an account."""
    files = [os.path.join(config_folder(), "config.toml"), os.path.join(config_folder(), "accounts")]  # noqa: PTH118
    if len(arguments) == 2 and arguments[0] == "--rc":
        files.append(os.path.expanduser(arguments[1]))  # noqa: PTH111
    elif len(arguments) == 2 and arguments[0] == "--account":
        files.append(os.path.join(files[1], f"{arguments[1]}.zuliprc"))  # noqa: PTH118
    elif arguments:
        return None
    else:
        files += sorted(entry.path for entry in _entries(files[1]))
    files.append(__file__)
    parts = (
        *arguments,
        *size,
        *(os.environ.get(name) for name in _TERMINAL_VARIABLES),
        "TMUX" in os.environ,  # its value differs between sessions, which show the same
        *map(state_of, files),
    )
    return repr(parts)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def state_of(path: str) -> tuple[object, ...]:
    """Values that change when a file is changed."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return (path,)
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def cache_folder() -> str:
    """As `Paths.of_user().cache`, without the library for it, which takes longer than everything else here."""
    return _folder("XDG_CACHE_HOME", ".cache", "Caches")


def config_folder() -> str:
    """As `Paths.of_user().config`."""
    return _folder("XDG_CONFIG_HOME", ".config", "Application Support")


def _folder(variable: str, usual: str, mac: str) -> str:
    base = os.environ.get(variable, "").strip()
    if not base:
        parts = ("~", "Library", mac) if sys.platform == "darwin" else ("~", usual)
        base = os.path.expanduser(os.path.join(*parts))  # noqa: PTH111, PTH118
    return os.path.join(base, "narrowcast")  # noqa: PTH118
