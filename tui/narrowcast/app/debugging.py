"""The debug log of a running app: turned on and off by a command, with the times at which the app was busy."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from textual.app import App

from narrowcast.runtime.context import app_of
from narrowcast.terminal.logs import DebugLog
from narrowcast_api import debug_log
from narrowcast_api.storage.folders import private_folder

__all__ = ["Debugging"]

FILE = "debug.log"
"""The file in the folder of the log, if `--debug` names no other."""

EVERY = 0.05
"""Seconds between two checks whether the loop is free."""

SLOW = 0.03
"""Seconds that the loop may be busy without a line in the debug log: two frames."""


class Debugging:
    """Starts with what `--debug` asked for."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._watch: asyncio.Task[None] | None = None
        self._before: Path | None = None
        """The file that was written before: that which `--debug` named goes on."""

    def begin(self) -> None:
        """Watches the loop if the debug log is written."""
        if debug_log.is_on():
            self._watch = app_of(self._app).spawn(_watch_loop(), "watch the loop")

    async def toggle(self) -> None:
        """Starts writing the debug log, or ends it, and says where it is. Raises OSError."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        app = app_of(self._app)
        if (written := DebugLog.current) is not None:
            self._before = written.path
            await asyncio.to_thread(written.close)
            app.tell(f"Debug log: off. It is in {written.path}")
            return
        path = self._before or app.paths.state / FILE
        await asyncio.to_thread(_start, path)
        self.begin()
        app.tell(f"Debug log: on. Each request, event and command is written to {path}")


def _start(path: Path) -> None:
    private_folder(path.parent)
    DebugLog(path, "app")


async def _watch_loop() -> None:
    """Notes when keys and events had to wait, because something took long."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + EVERY
        await asyncio.sleep(EVERY)
        if (late := loop.time() - due) > SLOW:
            debug_log.note("slow", "loop", ms=late * 1000)
