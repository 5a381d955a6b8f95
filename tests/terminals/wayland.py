"""A Wayland terminal: sway draws it in a window of the virtual X screen, and answers queries in place of X."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from PIL import Image

from support.processes import wait_until
from terminals.display import Display, Program

NEEDED = ("sway", "swaymsg", "wl-copy", "setpriv")
NOBODY = 65534
SIZE = (860, 520)
CONFIG = "default_border none\nxwayland disable\nseat * hide_cursor 100\n"


class WaylandWindow:
    """A Wayland terminal, as large as the window of sway; a context manager that ends both."""

    def __init__(
        self, display: Display, command: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> None:
        self._display = display
        self._command = list(command)
        self._environment = {**display.environment, **environment}
        self._log = log
        self._running = ExitStack()
        self._folder = Path()
        self._size = SIZE

    def __enter__(self) -> Self:
        with ExitStack() as running:
            self._folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="sway-")))
            running.enter_context(Program(self._sway(), self._of_sway(), self._log.with_suffix(".sway")))
            wait_until(lambda: self._sockets("wayland-?") and self._sockets("sway-ipc.*"), "sway")
            self._environment["WAYLAND_DISPLAY"] = str(self._sockets("wayland-?")[0])
            self.resize(*SIZE)
            self._display.ask("xdotool", "mousemove", "1", "1")  # keys go to the window under the pointer
            running.enter_context(Program(self._command, self._environment, self._log))
            wait_until(lambda: self._window, "a window")
            self._running = running.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def _sway(self) -> list[str]:
        """The command that starts it. sway refuses to run as root, the only user of many test machines."""
        config = self._folder / "config"
        config.write_text(CONFIG)
        self._folder.chmod(0o700)
        command = ["sway", "-c", str(config)]
        if os.getuid() != 0:
            return command
        for path in (self._folder, config):
            os.chown(path, NOBODY, NOBODY)
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]

    def _of_sway(self) -> dict[str, str]:
        own = {"HOME": str(self._folder), "XDG_RUNTIME_DIR": str(self._folder)}
        return {**self._display.environment, **own, "WLR_BACKENDS": "x11", "WLR_RENDERER": "pixman"}

    def _sockets(self, pattern: str) -> list[Path]:
        return [path for path in self._folder.glob(pattern) if path.is_socket()]

    def _ask(self, *words: str) -> str:
        (socket,) = self._sockets("sway-ipc.*")
        return self._display.ask("swaymsg", "-r", "-s", str(socket), *words)

    @property
    def _window(self) -> Mapping[str, Any]:
        """Returns sway's record of the terminal; empty before it exists."""
        tree = json.loads(self._ask("-t", "get_tree") or "{}")
        return next((node for node in _nodes(tree) if node.get("pid") and node.get("app_id")), {})

    @property
    def title(self) -> str:
        return str(self._window.get("name"))

    @property
    def is_urgent(self) -> bool:
        return bool(self._window.get("urgent"))

    @property
    def size(self) -> tuple[int, int]:
        return self._size

    def focus(self) -> None:
        self._ask("workspace", "1")

    def leave(self) -> None:
        self._ask("workspace", "2")

    def resize(self, width: int, height: int) -> None:
        self._ask("output", "X11-1", "resolution", f"{width}x{height}")
        self._size = (width, height)

    def press(self, *keys: str) -> None:
        self._display.press(*keys)

    def type(self, text: str) -> None:
        self._display.type(text)

    def paste(self, text: str, keys: str) -> None:
        for which in ([], ["--primary"]):
            self._display.ask("wl-copy", *which, given=text, environment=self._environment)
        self.press(keys)

    def picture(self) -> Image.Image:
        return self._display.picture().crop((0, 0, *self._size))


def _nodes(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield tree
    for node in tree.get("nodes", ()):
        yield from _nodes(node)
