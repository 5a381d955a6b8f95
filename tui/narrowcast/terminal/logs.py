"""The log, a rotating file because the app uses the screen, and the debug log, which `--debug` asks for."""

from __future__ import annotations

import atexit
import logging
import logging.handlers
import platform
import queue
import traceback
from pathlib import Path
from typing import ClassVar

from narrowcast_api import debug_log
from narrowcast_api.characters import sanitized
from narrowcast_api.regular_files import regular
from narrowcast_api.storage.folders import private_folder
from narrowcast_api.version import VERSION

MAX_BYTES = 1_000_000
KEPT_FILES = 3
MAX_RECORD = 20_000
"""Maximum characters of one record, so that a single one does not displace all earlier ones."""

CHATTY = ("httpx2", "httpcore2", "websockets", "asyncio")
"""Loggers of libraries that report every request."""

MAX_DEBUG_BYTES = 20_000_000
LOGGED = ("narrowcast", "narrowcast_api")
"""The loggers whose records are in the debug log."""

STEPS = (debug_log.NAME, "narrowcast.server.requests")
"""The loggers of steps, which write nothing that is secret or a text of people."""


class SafeFormatter(logging.Formatter):
    """Formats records so that they are safe to view in a terminal: many contain texts of servers and other users."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """The record with control characters replaced; lines after the first are indented, so that none looks
        like a separate record.
        """
        text = sanitized(super().format(record))
        if len(text) > MAX_RECORD:
            text = f"{text[:MAX_RECORD]}… ({len(text)} characters)"
        return text.replace("\n", "\n    ")


def start_log(path: Path | None) -> bool:
    """Logs to ``path`` from now on, including warnings of libraries. False if there is no file or it cannot
    be opened.

    Without a file nothing is logged: Python's default handler would write over the screen.
    """
    root = logging.getLogger()
    handler: logging.Handler
    try:
        handler, opened = (logging.NullHandler(), False) if path is None else (_file_handler(path), True)
    except OSError:
        handler, opened = logging.NullHandler(), False
    handler.setFormatter(SafeFormatter())
    handler.setLevel(logging.INFO)
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    return opened


def _file_handler(path: Path) -> logging.Handler:
    private_folder(path.parent)
    return _rotating(path, MAX_BYTES, KEPT_FILES)


def _rotating(path: Path, max_bytes: int, kept_files: int) -> logging.handlers.RotatingFileHandler:
    """Raises OSError if `path` is no regular file or cannot be written."""
    if path.exists():
        regular(path)
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=max_bytes, backupCount=kept_files, encoding="utf-8", errors="backslashreplace"
    )
    path.chmod(0o600)
    return handler


class DebugFormatter(logging.Formatter):
    """Formats records for the debug log: steps as they are; of all others the text without what is filled in, and
    the places of an error without its message, because both may contain keys and texts of people.
    """

    def format(self, record: logging.LogRecord) -> str:
        if record.name in STEPS:
            return record.getMessage()
        lines = [f"{record.levelname.lower()} {record.name} {record.msg}"]
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            lines.append(type(error).__name__)
            frames = traceback.extract_tb(error.__traceback__)
            lines += [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return "\n    ".join(lines)


class DebugLog:
    """Writes the debug log to a file until `close`, in a thread, so that nothing waits for the disk."""

    current: ClassVar[DebugLog | None] = None
    """The one that is written now."""

    def __init__(self, path: Path, what: str) -> None:
        """Appends to `path`; `what` says what runs. Raises OSError if it cannot be written."""
        self.path = path
        file = _rotating(path, MAX_DEBUG_BYTES, 1)
        file.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        records: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
        self._handler = logging.handlers.QueueHandler(records)
        self._handler.setFormatter(DebugFormatter())
        self._handler.addFilter(_is_own)
        self._file = file
        self._writer = logging.handlers.QueueListener(records, file)
        self._writer.start()
        for name in LOGGED:
            logging.getLogger(name).addHandler(self._handler)
            logging.getLogger(name).setLevel(logging.INFO)
        for name in STEPS:
            logging.getLogger(name).setLevel(logging.DEBUG)
        atexit.register(self.close)
        DebugLog.current = self
        debug_log.note("start", what, VERSION, python=platform.python_version(), system=platform.system())

    def close(self) -> None:
        """Writes what is queued and closes the file. Does nothing the second time."""
        if DebugLog.current is not self:
            return
        DebugLog.current = None
        atexit.unregister(self.close)
        for name in LOGGED:
            logging.getLogger(name).removeHandler(self._handler)
            logging.getLogger(name).setLevel(logging.NOTSET)
        for name in STEPS:
            logging.getLogger(name).setLevel(logging.NOTSET)
        self._writer.stop()
        self._file.close()


def _is_own(record: logging.LogRecord) -> bool:
    """Whether a record comes from the program: extensions may write anything into theirs."""
    return not record.name.startswith("narrowcast.extension.")
