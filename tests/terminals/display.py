"""A virtual screen, a window on it, and its keyboard: Xvfb, xdotool, xclip and xprop."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

from PIL import Image, ImageGrab

from support.processes import Late, wait_until

NEEDED = ("Xvfb", "xdotool", "xclip", "xprop")
SIZE = (1500, 950)
SECONDS = 20.0
"""Seconds that a program may take to answer."""


def missing() -> list[str]:
    """Returns the programs that are not installed."""
    return [name for name in NEEDED if shutil.which(name) is None]


class Display:
    """The virtual screen; a context manager."""

    def __init__(self, number: int = 93) -> None:
        self.name = f":{number}"
        self.environment = {**os.environ, "DISPLAY": self.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        width, height = SIZE
        self._process = subprocess.Popen(
            ["Xvfb", self.name, "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._answers, "the virtual screen")
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _answers(self) -> bool:
        asked = subprocess.run(
            ["xdotool", "getdisplaygeometry"], env=self.environment, capture_output=True, check=False
        )
        return asked.returncode == 0

    def ask(
        self, *command: str, given: str | None = None, environment: Mapping[str, str] | None = None
    ) -> str:
        """Returns the output of an X program; empty if it fails."""
        done = subprocess.run(
            command,
            env=environment or self.environment,
            input=given,
            stdout=subprocess.PIPE
            if given is None
            else subprocess.DEVNULL,  # the program that owns a selection keeps running
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        return (done.stdout or "").strip() if done.returncode == 0 else ""

    def press(self, *keys: str) -> None:
        """Presses keys by their X names."""
        self.ask("xdotool", "key", "--delay", "40", *keys)

    def type(self, text: str) -> None:
        self.ask("xdotool", "type", "--delay", "25", text)

    def picture(self) -> Image.Image:
        """Takes a screenshot."""
        return ImageGrab.grab(xdisplay=self.name).convert("RGB")


class Program:
    """A process whose output goes to a file; a context manager that ends it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._command = list(command)
        self._environment = dict(environment)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class Window(Protocol):
    """A terminal on the screen, as used by the checks."""

    @property
    def title(self) -> str: ...
    @property
    def is_urgent(self) -> bool:
        """Whether it sets the urgency hint."""

    @property
    def size(self) -> tuple[int, int]:
        """The size in pixels."""

    def focus(self) -> None:
        """Gives it the focus."""

    def leave(self) -> None:
        """Takes the focus away from it."""

    def resize(self, width: int, height: int) -> None:
        """Resizes it to this many pixels."""

    def press(self, *keys: str) -> None:
        """Presses keys by their X names."""

    def type(self, text: str) -> None: ...

    def paste(self, text: str, keys: str) -> None:
        """Puts a text into clipboard and selection, and presses the keys that paste in this terminal."""

    def picture(self) -> Image.Image:
        """Takes a screenshot of it."""


class XWindow:
    """An X terminal; a context manager that ends it and the programs in it."""

    def __init__(
        self, display: Display, command: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> None:
        self._display = display
        self._program = Program(command, {**display.environment, **environment}, log)
        self.id = ""

    def __enter__(self) -> Self:
        self._program.__enter__()
        try:
            wait_until(self._find, "a window")
        except Late:
            self.__exit__()
            raise
        self.move(0, 0)
        self.focus()
        return self

    def __exit__(self, *_: object) -> None:
        self._program.__exit__()

    def _find(self) -> bool:
        # By title and class: titles outside Latin-1 are not matched, and some windows have no class.
        ways = (["--name", "."], ["--class", "."])
        found = [self._display.ask("xdotool", "search", "--onlyvisible", *way).split() for way in ways]
        self.id = next((ids[-1] for ids in found if ids), "")
        return bool(self.id)

    @property
    def title(self) -> str:
        return self._display.ask("xdotool", "getwindowname", self.id)

    @property
    def is_urgent(self) -> bool:
        return "urgency hint bit is set" in self._display.ask("xprop", "-id", self.id, "WM_HINTS")

    def focus(self) -> None:
        """Gives it the focus; there is no window manager to do so."""
        self._display.ask("xdotool", "windowfocus", "--sync", self.id)

    def leave(self) -> None:
        root = self._display.ask("xdotool", "search", "--maxdepth", "0", ".").split()
        self._display.ask("xdotool", "windowfocus", root[0] if root else "1")

    def move(self, x: int, y: int) -> None:
        self._display.ask("xdotool", "windowmove", self.id, str(x), str(y))

    def resize(self, width: int, height: int) -> None:
        self._display.ask("xdotool", "windowsize", self.id, str(width), str(height))

    @property
    def size(self) -> tuple[int, int]:
        shell = self._display.ask("xdotool", "getwindowgeometry", "--shell", self.id)
        values = dict(line.split("=") for line in shell.splitlines() if "=" in line)
        return int(values.get("WIDTH", "0")), int(values.get("HEIGHT", "0"))

    def press(self, *keys: str) -> None:
        self._display.press(*keys)

    def type(self, text: str) -> None:
        self._display.type(text)

    def paste(self, text: str, keys: str) -> None:
        for selection in ("clipboard", "primary"):
            self._display.ask("xclip", "-selection", selection, given=text)
        self.press(keys)

    def picture(self) -> Image.Image:
        width, height = self.size
        return self._display.picture().crop((0, 0, width, height))
