"""A process in a pseudo-terminal whose output is timed, and whose work and memory are read from /proc.

The work of a process is the CPU time of all its threads: other programs on the machine hardly affect it.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from re import compile as pattern

from support.terminal import (
    PATIENCE,
    QuietScreen,
    SideMarginByteStream,
    SideMarginScreen,
    Terminal,
    home,
    narrowcast,
)

TESTS = Path(__file__).resolve().parent.parent


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process whose home is below ``folder``; it imports the same modules as here,
    compiled once as in an installation.
    """
    path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH", ""))))
    found = {**home(folder), "PATH": os.environ["PATH"], "PYTHONPATH": path}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def cpu_seconds(pid: int) -> float:
    """Total CPU time of all threads of a process."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):  # the thread has just ended
            continue
    return total / 1e9


def main_thread_seconds(pid: int) -> float:
    """CPU time of its first thread, which handles keys."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def resident_bytes(pid: int | str) -> int:
    """Memory in use (RSS)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise LookupError("VmRSS")


MARGINS_ASKED = b"\x1b[?69$p"


class WatchedMargins(SideMarginScreen, QuietScreen):
    """A screen that ignores unknown sequences, with side margins."""


class Watched(Terminal):
    """A terminal that records when each piece of output arrived, and parses the screen later."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        *,
        size: tuple[int, int] = (120, 40),
        side_margins: bool = False,
    ) -> None:
        self.started = time.monotonic()
        env = {**environment(folder), "COLORTERM": "truecolor"}
        super().__init__(command, env=env, size=size)
        self._answered = 0 if side_margins else None
        """The end of the output in which each question for side margins was answered; None: none is."""
        if side_margins:
            self.screen = WatchedMargins(*size)
            self._stream = SideMarginByteStream(self.screen)
        self.pid = self.process.pid
        self.pieces: list[tuple[float, float, bytes]] = []
        """(seconds since the start, CPU seconds, bytes)"""

    def take(self, seconds: float) -> bytes:
        """Reads the output of the next ``seconds``, without parsing it."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return b""
        try:
            data = os.read(self._master, 1 << 20)
        except OSError:
            return b""
        self.output += data
        self._answer()
        self.pieces.append((time.monotonic() - self.started, cpu_seconds(self.pid), data))
        return data

    def pump(self, seconds: float = 0.0) -> bool:
        """Answers queries as any terminal does; one with side margins reports them."""
        came = super().pump(seconds)
        self._answer()
        return came

    def _answer(self) -> None:
        if self._answered is None:
            return
        while (found := self.output.find(MARGINS_ASKED, self._answered)) >= 0:
            self._answered = found + len(MARGINS_ASKED)
            os.write(self._master, b"\x1b[?69;2$y")
        self._answered = max(self._answered, len(self.output) - len(MARGINS_ASKED))

    def take_until_quiet(self, quiet: float = 0.5, patience: float = PATIENCE) -> bytes:
        """Reads until there was no output for ``quiet`` seconds."""
        end = time.monotonic() + patience
        taken = bytearray()
        while time.monotonic() < end:
            data = self.take(quiet)
            if not data:
                break
            taken += data
        return bytes(taken)

    def when(self, *holds: Callable[[str], bool], patience: float = 30.0) -> list[tuple[float, float]]:
        """Reads until all ``holds(screen)`` and it is quiet, on a busy machine for up to ``patience`` seconds.
        Returns (seconds, CPU seconds) of the first piece at which each held.
        """
        found: dict[int, tuple[float, float]] = {}
        fed, end = 0, time.monotonic() + patience
        while True:
            self.take_until_quiet(1.5)
            for seconds, cpu, data in self.pieces[fed:]:
                self._stream.feed(data)
                text = self.text
                for index, wanted in enumerate(holds):
                    if index not in found and wanted(text):
                        found[index] = (seconds, cpu)
            fed = len(self.pieces)
            if len(found) == len(holds):
                return [found[index] for index in range(len(holds))]
            if time.monotonic() > end:
                raise AssertionError(f"it was never on the screen:\n{self.text}")

    def forget(self) -> None:
        """Feeds all output so far to the screen, and clears the records."""
        for _, _, data in self.pieces:
            self._stream.feed(data)
        self.pieces.clear()

    def key_work(self, key: str, quiet: float = 0.06) -> tuple[float, int]:
        """CPU seconds and bytes of output for a key, until the process is idle again."""
        before = cpu_seconds(self.pid)
        self.press(key)
        taken = self.take(1.0) + self.take_until_quiet(quiet)
        return cpu_seconds(self.pid) - before, len(taken)

    def key_answer(self, key: str) -> tuple[float, float]:
        """Seconds and CPU seconds of the main thread until the first bytes of the response to a key."""
        start, before = time.monotonic(), main_thread_seconds(self.pid)
        self.press(key)
        if not self.take(10.0):
            raise AssertionError(f"{key!r} was not answered")
        return time.monotonic() - start, main_thread_seconds(self.pid) - before


LIVE = pattern(r"● live")


def open_app(rc: Path, folder: Path, *, size: tuple[int, int] = (120, 40)) -> Watched:
    """Starts the app of an account, and waits until it is live and idle."""
    app = Watched(narrowcast("--rc", str(rc)), folder, size=size)
    try:
        app.wait_for(LIVE.pattern)
        app.take_until_quiet(1.0)
        app.forget()
    except BaseException:
        app.kill()
        raise
    return app


def end(app: Watched) -> None:
    """Quits the app as a user does."""
    app.signal(15)
    app.wait_end(20)
    app.hang_up()


def python(*arguments: str) -> list[str]:
    """Returns the command line that runs a module of the bench."""
    return [sys.executable, "-m", *arguments]
