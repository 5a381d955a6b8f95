"""One window: the app in a pseudo-terminal, with all accounts, controlled by keys."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

from faults.apps.backdrop import PEOPLE
from support.terminal import PATIENCE, Terminal, home, narrowcast

MAIN = r"Combined feed"
FOUND_WITHIN = 10.0
"""Seconds to wait for the response to a key that may not come."""


class AppWindow:
    """Running from `start` to `kill` or `quit`; then it can be started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.terminal: Terminal
        self.typed_at = 0.0
        """When the newest text was last seen on the screen, in monotonic seconds."""

    def start(self) -> None:
        """Opens the app and waits for its main screen."""
        self.terminal = Terminal(narrowcast(), env=home(self._folder))
        self.terminal.wait_for(MAIN)
        self.terminal.settle()

    def reports(self) -> list[dict[str, Any]] | None:
        """Returns its reported state of each account, once it has reported all."""
        folder = self._folder / "data" / "narrowcast" / "extensions" / "reporter"
        found = []
        for name in PEOPLE:
            path = folder / f"{self.terminal.process.pid}-{name}@demo.example.json"
            if not path.exists():
                return None
            found.append({"mtime": path.stat().st_mtime, **json.loads(path.read_text())})
        return found

    def pump(self) -> None:
        """Reads the app's output, so that it never blocks on its terminal."""
        self.terminal.pump()

    # keys

    def _sees(self, pattern: str, patience: float = FOUND_WITHIN) -> bool:
        try:
            self.terminal.wait_for(pattern, patience)
        except AssertionError:
            if self.terminal.process.poll() is not None:
                raise
            return False
        return True

    def to_messages(self) -> None:
        """Closes dialogs and leaves compose, so that keys run commands."""
        for _ in range(2):
            self.terminal.press("escape")
            self.terminal.settle(0.25)

    def go(self, name: str) -> bool:
        """Goes to a conversation by its name; returns whether the app knows it."""
        self.to_messages()
        self.terminal.press("ctrl+k")
        self.terminal.wait_for("Go to")
        self.terminal.type(name)
        found = self._sees(rf"│ ▌[^│]*{name}")
        if found:
            self.terminal.press("enter")
            self.terminal.wait_gone("Enter selects")
        self.to_messages()
        return found

    def write(self, text: str, *, send: bool, wait: bool = True) -> bool:
        """Types a text in compose, then Enter or Esc; returns whether there was a message to reply to."""
        self.terminal.press("r")
        if not self._sees("Esc back"):
            return False
        self.terminal.press("ctrl+e")
        self.terminal.type(f" {text}")
        if wait:
            self._typed(text)
        self.terminal.press("enter" if send else "escape")
        if wait:
            self.terminal.settle(0.25)
        return True

    def edit(self, text: str, *, save: bool) -> bool:
        """Appends a text to the newest message; returns whether it may be edited and its source could be fetched."""
        self.terminal.press("G", "e")
        if not self._sees("Editing message", 5.0):
            return False
        self.terminal.press("ctrl+e")
        self.terminal.type(f" {text}")
        self._typed(text)
        self.terminal.press("enter" if save else "escape")
        self.terminal.settle(0.25)
        return True

    def _typed(self, text: str) -> None:
        self.terminal.wait_for(re.escape(text))
        self.typed_at = time.monotonic()

    def press(self, *keys: str) -> None:
        self.terminal.press(*keys)
        self.terminal.settle(0.1)

    def switch(self, steps: int) -> None:
        """Switches to another account."""
        self.to_messages()
        self.terminal.press("alt+s")
        self.terminal.wait_for(r"Accounts ─+ 3 ")
        self.terminal.press(*["down"] * steps, "enter")
        self.terminal.wait_gone(r"Accounts ─+ 3 ")
        self.terminal.wait_for(MAIN)
        self.terminal.settle()

    # ending

    def kill(self) -> None:
        """SIGKILL."""
        self.terminal.signal(signal.SIGKILL)
        self.terminal.wait_end()
        self.terminal.hang_up()

    def quit(self, *, leave_sender: bool) -> bool:
        """Quits; returns whether the app asked about unsent messages first."""
        self.to_messages()
        self.terminal.press("ctrl+q")
        end = time.monotonic() + PATIENCE
        asked = False
        while self.terminal.process.poll() is None and not asked:
            assert time.monotonic() < end, f"the app does not quit:\n{self.terminal.text}"
            self.terminal.pump(0.1)
            asked = "not sent yet" in self.terminal.text
        if asked and self.terminal.process.poll() is None:
            self.terminal.press(*(["enter"] if leave_sender else ["down", "enter"]))
        self.terminal.wait_end()
        self.terminal.hang_up()
        return asked
