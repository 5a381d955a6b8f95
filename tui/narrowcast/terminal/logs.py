"""The log: a rotating file, because the app uses the screen."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from narrowcast_api.characters import sanitized
from narrowcast_api.regular_files import regular
from narrowcast_api.storage.folders import private_folder

MAX_BYTES = 1_000_000
KEPT_FILES = 3
MAX_RECORD = 20_000
"""Maximum characters of one record, so that a single one does not displace all earlier ones."""

CHATTY = ("httpx2", "httpcore2", "websockets", "asyncio")
"""Loggers of libraries that report every request."""


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
    if path.exists():
        regular(path)
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", errors="backslashreplace"
    )
    path.chmod(0o600)
    return handler
