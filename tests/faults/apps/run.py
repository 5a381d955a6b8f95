"""The actions of one seed: windows of three accounts write, read, react, are killed and disconnected."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from pathlib import Path
from random import Random

from faults.apps import reporter
from faults.apps.backdrop import PEOPLE, TOPICS, Backdrop, backdrop
from faults.apps.checks import Checks, Written, settled
from faults.apps.window import AppWindow
from narrowcast.config import account_files
from support.fault_proxy import Fault

ACTS = {
    "send": 8,
    "draft": 4,
    "edit": 5,
    "star": 2,
    "react": 2,
    "retry": 1,
    "switch": 3,
    "kill": 4,
    "quit": 1,
    "outage": 3,
    "say": 4,
}
SAFE_AFTER = 1.0
"""Seconds after which typed text is on disk, whatever happens (docs/writing.md)."""
NOTES = "Notes to yourself"


class Run:
    """`acts` counts the actions."""

    def __init__(self, stage: Backdrop, folder: Path, seed: int) -> None:
        self._stage = stage
        self._folder = folder
        self._chance = Random(seed)
        self._windows: list[AppWindow] = []
        self._number = 0
        self.written: list[Written] = []
        self.acts: Counter[str] = Counter()

    def act(self, windows: int, names: Iterable[str], seconds: float) -> None:
        """Opens the windows and runs the given actions, for a limited time; then the network works."""
        for _ in range(windows):
            window = AppWindow(self._folder)
            window.start()
            self._windows.append(window)
        end = time.monotonic() + seconds
        for name in names:
            if time.monotonic() > end:
                break
            self.acts[name] += 1
            getattr(self, f"_{name}")(self._chance.choice(self._windows))
            for window in self._windows:
                window.pump()
        self._stage.do(self._stage.proxy.heal())

    @property
    def windows(self) -> list[AppWindow]:
        """The open windows."""
        return self._windows

    def _text(self, kind: str, window: AppWindow) -> Written:
        """Returns words that occur nowhere else."""
        self._number += 1
        written = Written(f"{kind}{self._number}z", window)
        self.written.append(written)
        return written

    def _place(self) -> str:
        return self._chance.choice((*TOPICS, NOTES))

    def _send(self, window: AppWindow) -> None:
        if window.go(self._place()):
            self._write("sent", window, send=True)

    def _draft(self, window: AppWindow) -> None:
        if window.go(self._place()):
            self._write("draft", window, send=False)

    def _write(self, kind: str, window: AppWindow, *, send: bool, wait: bool = True) -> Written:
        written = self._text(kind, window)
        if not window.write(written.text, send=send, wait=wait):
            self.written.remove(written)
        return written

    def _edit(self, window: AppWindow) -> None:
        if window.go(NOTES):
            written = self._text("edit", window)
            if not window.edit(written.text, save=self._chance.random() < 0.6):
                self.written.remove(written)

    def _star(self, window: AppWindow) -> None:
        window.to_messages()
        window.press("G", *["up"] * self._chance.randrange(3), "*")

    def _react(self, window: AppWindow) -> None:
        window.to_messages()
        window.press("G", *["up"] * self._chance.randrange(3), "+")

    def _retry(self, window: AppWindow) -> None:
        window.to_messages()
        window.press("f8")

    def _switch(self, window: AppWindow) -> None:
        window.switch(self._chance.randrange(1, 3))

    def _kill(self, window: AppWindow) -> None:
        """Waits until idle; or a moment after typing; or while a message is being sent."""
        how = self._chance.choice(("rest", "now", "amid"))
        if how == "rest":
            window.terminal.settle(SAFE_AFTER + 0.2)
        elif how == "amid" and window.go(self._place()):
            written = self._write("sent", window, send=True, wait=False)
            window.terminal.settle(self._chance.choice((0.01, 0.05, 0.2)))
            written.may_be_lost = True
        if how == "now" and time.monotonic() - window.typed_at < SAFE_AFTER:
            for written in self.written[-1:]:
                written.may_be_lost |= written.window is window
        window.kill()
        window.start()

    def _quit(self, window: AppWindow) -> None:
        window.quit(leave_sender=self._chance.random() < 0.5)
        window.start()

    def _outage(self, window: AppWindow) -> None:
        proxy = self._stage.proxy
        how = self._chance.choice(("refuse", "cut", "hang", "lost", "heal", "heal", "heal"))
        self.acts[f"outage: {how}"] += 1
        if how == "hang":
            self._stage.do(_soon(proxy.hang))
        elif how == "lost":
            self._stage.do(
                _soon(lambda: proxy.fail(Fault.LOST_AFTERWARDS, "POST", "/api/v1/messages", times=1))
            )
        else:
            self._stage.do(getattr(proxy, how)())

    def _say(self, window: AppWindow) -> None:
        self._number += 1
        words = f"said {self._number}"
        self._stage.do(self._stage.server.send("elif", "general", self._chance.choice(TOPICS), words))


async def _soon(act: object) -> None:
    act()  # type: ignore[operator]


def prepare(folder: Path, stage: Backdrop) -> None:
    """A home directory with the accounts, and with the reporting extension."""
    config = folder / "config" / "narrowcast"
    for name in PEOPLE:
        account_files.store(stage.account(name), config / "accounts")
    extensions = config / "extensions"
    extensions.mkdir(mode=0o700, parents=True)
    shutil.copy(str(reporter.__file__), extensions / "reporter.py")
    (extensions / "reporter.py").chmod(0o600)


@contextmanager
def no_process_left(folder: Path) -> Iterator[None]:
    """Ends the background process that a window left to send messages."""
    try:
        yield
    finally:
        for pid in senders(folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def senders(folder: Path) -> list[int]:
    """Processes that use this home directory and have no terminal."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            process = Path(f"/proc/{name}")
            at_home = f"HOME={folder}".encode() in (process / "environ").read_bytes().split(b"\0")
            if at_home and b"outbox" in (process / "cmdline").read_bytes().split(b"\0"):
                found.append(int(name))
    return found


def any_acts(seed: int, count: int) -> list[str]:
    """Returns this many random actions."""
    return Random(seed).choices(list(ACTS), list(ACTS.values()), k=count)


def run(folder: Path, seed: int, acts: Iterable[str], *, windows: int, seconds: float = inf) -> str:
    """One run; returns the counts of its actions. Raises AssertionError."""
    home = folder / "home"
    home.mkdir()
    with ExitStack() as stack:
        stage = stack.enter_context(backdrop(folder))
        prepare(home, stage)
        stack.enter_context(no_process_left(home))
        one = Run(stage, home, seed)
        try:
            one.act(windows, acts, seconds)
            reports = settled(one.windows, stage, lambda: senders(home))
            checks = Checks(stage, home)
            checks.agree(reports)
            checks.nothing_lost(one.written, reports)
            for window in one.windows:
                window.quit(leave_sender=False)
            checks.journals_agree(reports[0])
        except BaseException:
            _keep_screens(one.windows)
            raise
        finally:
            for window in one.windows:
                window.terminal.kill()
                window.terminal.hang_up()
    return ", ".join(f"{count} {name}" for name, count in sorted(one.acts.items()))


def _keep_screens(windows: list[AppWindow]) -> None:
    """Saves the screens of all windows, for debugging."""
    if (place := os.environ.get("NARROWCAST_SCREENS")) is not None:
        for number, window in enumerate(windows):
            Path(place, f"window-{number}.txt").write_text(window.terminal.text)
