"""A real process in a pseudo-terminal, its screen read by pyte.

    with Terminal([...command...], env=..., size=(120, 40)) as terminal:
        terminal.wait_for("live")
        terminal.type("chello")

Nothing sleeps: `wait_for` reads until the screen satisfies it or the deadline passes, and then shows the screen. The
deadlines are generous because machines are busy; what passes, passes at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte
from pyte.screens import Char
from rich.cells import cell_len

from support.ready_copies import Copy, ready_copies

PATIENCE = 60.0
"""Seconds that a wait may take on a loaded machine."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f6": "\x1b[17~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "delete": "\x1b[3~",
    "alt+left": "\x1b[1;3D",
    "alt+right": "\x1b[1;3C",
    "shift+left": "\x1b[1;2D",
    "shift+down": "\x1b[1;2B",
    "shift+f6": "\x1b[17;2~",
    "ctrl+shift+left": "\x1b[1;6D",
}
MODES = {
    "alternate screen": ("1049", False),
    "mouse": ("1000", False),
    "any mouse": ("1003", False),
    "bracketed paste": ("2004", False),
    "focus reports": ("1004", False),
    "synchronized output": ("2026", False),
}
"""Modes that the app may set and must reset before it ends."""


ALTERNATE_SCREEN = 1049


class QuietScreen(pyte.Screen):
    """pyte's screen, ignoring private sequences that it does not know, but with an alternate screen, which is
    cleared whenever it is entered.
    """

    _normal: tuple[dict[int, Any], tuple[int, int]] | None = None
    """The rows and the cursor of the normal screen, while the alternate one is shown."""

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        super().set_mode(*modes, **kwargs)
        if kwargs.get("private") and ALTERNATE_SCREEN in modes:
            if self._normal is None:
                self._normal = dict(self.buffer), (self.cursor.y, self.cursor.x)
                self.buffer.clear()
            self.erase_in_display(2)
            self.cursor_position()

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and ALTERNATE_SCREEN in modes and self._normal is not None:
            rows, (self.cursor.y, self.cursor.x) = self._normal
            self._normal = None
            self.buffer.clear()
            self.buffer.update(rows)

    def report_device_status(self, mode: int, **kwargs: object) -> None:
        """Ignores queries, as the simplest terminals do."""

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """Ignores private forms, which do not set colours."""
        if not private:
            super().select_graphic_rendition(*attributes)

    def report_device_attributes(self, mode: int = 0, **kwargs: object) -> None:
        """Ignores them, as above."""


class Terminal:
    """See the module's description. ``size`` is (columns, rows)."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        size: tuple[int, int] = (120, 40),
        cwd: Path | None = None,
        at_once: int = 65536,
        screen: type[QuietScreen] = QuietScreen,
        ready: bool = False,
    ) -> None:
        """``at_once``: the most bytes that are read before the screen is checked. With a small number,
        content that is soon overwritten is never missed, however busy the machine is.

        With ``ready``, a command of `narrowcast` runs in a copy of a process that has imported the app: for tests
        that are not about its start. The app is there before its first view then.
        """
        columns, rows = size
        self._at_once = at_once
        self.screen = screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.output = bytearray()
        """Everything that the process has written."""
        self._master, slave = pty.openpty()
        self._set_size(slave, columns, rows)
        self.modes_before = termios.tcgetattr(slave)
        env = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": os.environ["PATH"], **env}
        self.process: subprocess.Popen[bytes] | Copy
        if ready:
            assert list(command[:_PROGRAM]) == narrowcast()
            self.process = ready_copies().open(command[_PROGRAM:], env, slave, cwd)
        else:
            self.process = subprocess.Popen(
                list(command),
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env=env,
                cwd=cwd,
                start_new_session=True,
                preexec_fn=_take_terminal,
            )
        self._slave: int | None = slave  # kept, so that the modes can be read after the process has ended
        self._partial = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self.hang_up()

    @staticmethod
    def _set_size(fd: int, columns: int, rows: int) -> None:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # reading

    def pump(self, seconds: float = 0.0) -> bool:
        """Reads available output, waiting up to ``seconds`` for it; returns whether there was any."""
        if self._master < 0:
            return False
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, self._at_once)
        except OSError:
            return False
        self.output += data
        self._stream.feed(_plain(data))
        return bool(data)

    @property
    def lines(self) -> list[str]:
        """Returns the rows of the screen."""
        return [_row(self.screen.buffer[row], self.screen.columns) for row in range(self.screen.lines)]

    @property
    def text(self) -> str:
        """Returns the screen as one text."""
        return "\n".join(self.lines)

    def wait_until(self, holds: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Reads until ``holds()``. Fails with the screen after ``patience`` seconds."""
        start = time.monotonic()
        while not holds():
            left = start + patience - time.monotonic()
            if left <= 0:
                raise AssertionError(
                    f"{what} did not happen within {patience:.0f} s; the screen:\n{self.text}"
                )
            if not self.pump(min(left, 0.2)) and self.process.poll() is not None and not self.pump(0.05):
                if holds():
                    break
                raise AssertionError(
                    f"the process ended with {self.process.returncode} before {what}; the screen:\n{self.text}"
                )

    def wait_for(self, pattern: str, patience: float = PATIENCE) -> None:
        """Read until the regular expression ``pattern`` is found on the screen."""
        compiled = re.compile(pattern)
        self.wait_until(lambda: compiled.search(self.text) is not None, f"{pattern!r}", patience)

    def wait_gone(self, pattern: str, patience: float = PATIENCE) -> None:
        """Read until ``pattern`` is no longer on the screen."""
        compiled = re.compile(pattern)
        self.wait_until(lambda: compiled.search(self.text) is None, f"{pattern!r} gone", patience)

    def settle(self, quiet: float = 0.1, patience: float = PATIENCE) -> None:
        """Reads until there was no output for ``quiet`` seconds and the process is idle."""
        end = time.monotonic() + patience
        while (self.pump(quiet) or self.is_at_work()) and time.monotonic() < end:
            pass

    def is_at_work(self) -> bool:
        """Whether a thread of the process is running, runnable, or waiting for a disk. Only known on Linux."""
        return any(state in "RD" for state in self._states())

    def wait_stopped(self) -> None:
        """Reads until the process is stopped by a signal, and what it wrote before. Only works on Linux."""
        self.wait_until(lambda: set(self._states()) == {"T"}, "the app is stopped")
        while self.pump():
            pass

    def _states(self) -> Iterator[str]:
        """The state of each thread of the process, as in proc(5)."""
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):
                yield stat.read_text().rpartition(")")[2].split()[0]

    def count_bytes(self, act: Callable[[], None], quiet: float = 0.4) -> int:
        """Returns how many bytes the process writes for ``act``, until it is idle again."""
        self.settle(quiet)
        before = len(self.output)
        act()
        self.settle(quiet)
        return len(self.output) - before

    # input

    def type(self, text: str) -> None:
        """Type the characters of ``text``."""
        os.write(self._master, text.encode())

    def paste(self, text: str) -> None:
        """Pastes a text, as terminals with bracketed paste do: the app handles it at once."""
        self.send(f"\x1b[200~{text}\x1b[201~".encode())

    def press(self, *keys: str) -> None:
        """Press keys by name (`KEYS`, ``ctrl+x``, ``alt+x``) or character."""
        for key in keys:
            os.write(self._master, _encode(key).encode())

    def send(self, data: bytes) -> None:
        """Sends exactly these bytes, as no keyboard would."""
        os.write(self._master, data)

    def resize(self, columns: int, rows: int) -> None:
        """Resizes the terminal, as a window manager would."""
        self._set_size(self._master, columns, rows)
        self.screen.resize(rows, columns)
        self.signal(signal.SIGWINCH)

    def signal(self, number: int) -> None:
        """Sends the process a signal."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def wait_end(self, patience: float = PATIENCE) -> int:
        """Reads until the process has ended; returns its exit code."""
        end = time.monotonic() + patience
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(
                    f"the process did not end within {patience:.0f} s; the screen:\n{self.text}"
                )
            if not self.pump(0.1) and self._master < 0:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(0.1)
        while self.pump(0.05):
            pass
        return self.process.wait()

    def hang_up(self) -> None:
        """Closes the terminal, as when its window is closed."""
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def kill(self) -> None:
        """Kills the process."""
        if self.process.poll() is None:
            self.process.kill()
            self.wait_end()  # a session ends only when the output of its terminal has been read

    # checks

    def left_clean(self) -> list[str]:
        """Lists what the process has not restored: private modes, the cursor, the line discipline. Empty if
        it is clean.
        """
        problems = []
        for name, (mode, default) in MODES.items():
            switches = re.findall(rb"\x1b\[\?" + mode.encode() + rb"([hl])", bytes(self.output))
            if switches and (switches[-1] == b"h") is not default:
                problems.append(f"{name} is left {'on' if switches[-1] == b'h' else 'off'}")
        cursor = re.findall(rb"\x1b\[\?25([hl])", bytes(self.output))
        if cursor and cursor[-1] == b"l":
            problems.append("the cursor is left hidden")
        if self._slave is not None and termios.tcgetattr(self._slave)[:4] != self.modes_before[:4]:
            problems.append("the line discipline is left changed")
        return problems


def _encode(key: str) -> str:
    if key in KEYS:
        return KEYS[key]
    if key.startswith("ctrl+"):
        return chr(ord(key[5:].upper()) & 0x1F)
    if key.startswith("alt+"):
        return "\x1b" + _encode(key[4:])
    return key


def _row(cells: Mapping[int, Char], columns: int) -> str:
    """The text of a row. pyte's own `display` fails on the second half of a wide character whose first half
    was just overwritten.
    """
    signs = [cells[column].data for column in range(columns)]
    text = "".join(signs)
    if len(text) == cell_len(text) == columns and all(signs):  # most rows have no wide characters
        return text.rstrip()
    shown: list[str] = []
    is_covered = False
    for sign in signs:
        if not is_covered:
            shown.append(sign or " ")
        is_covered = not is_covered and cell_len(sign) == 2
    return "".join(shown).rstrip()


_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p")


def _plain(data: bytes) -> bytes:
    """Removes sequences of newer terminals that pyte would show as text."""
    return _UNKNOWN_TO_PYTE.sub(b"", data)


def narrowcast(*arguments: str) -> list[str]:
    """The command line that runs Narrowcast with this Python."""
    return [sys.executable, "-m", "narrowcast", *arguments]


_PROGRAM = len(narrowcast())


def _take_terminal() -> None:
    """Makes standard input the controlling terminal of a new session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def home(folder: Path) -> dict[str, str]:
    """An environment in which everything is stored below ``folder``, temporary files in its ``tmp``; Python
    finds the same modules as here.
    """
    temporary = folder / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    return {
        **{
            name: os.environ[name] for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE") if name in os.environ
        },
        "HOME": str(folder),
        "TMPDIR": str(temporary),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
    }


_MODE = 69


class SideMarginScreen(pyte.Screen):
    """Moves rows only between the margins while the mode is on."""

    columns_moved: range | None = None

    def set_side_margins(self, left: int, right: int) -> None:
        """Both columns count from 1 and are inside the margins."""
        if (_MODE << 5) in self.mode:
            self.columns_moved = range(left - 1, right)
            self.cursor_position()

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        super().reset_mode(*modes, **kwargs)
        if _MODE in modes:
            self.columns_moved = None

    def delete_lines(self, count: int | None = None) -> None:
        if self.columns_moved is None:
            super().delete_lines(count)
        else:
            self._move(count or 1)

    def insert_lines(self, count: int | None = None) -> None:
        if self.columns_moved is None:
            super().insert_lines(count)
        else:
            self._move(-(count or 1))

    def _move(self, by: int) -> None:
        assert self.columns_moved is not None
        bottom = self.margins.bottom if self.margins else self.lines - 1
        rows = range(self.cursor.y, bottom + 1)
        before = {y: {x: self.buffer[y][x] for x in self.columns_moved} for y in rows}
        for y in rows:
            for x in self.columns_moved:
                self.buffer[y][x] = before[y + by][x] if y + by in before else self.cursor.attrs


class SideMarginStream(pyte.Stream):
    """Parses the sequence that sets the margins."""

    def __init__(self, screen: pyte.Screen) -> None:
        self.csi = {**self.csi, "s": "set_side_margins"}
        self.events |= {"set_side_margins"}
        super().__init__(screen)


class SideMarginByteStream(SideMarginStream, pyte.ByteStream):
    """The same for bytes."""
