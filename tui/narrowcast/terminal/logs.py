"""The log: a rotating file, because the screen belongs to the app."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

MAX_BYTES = 1_000_000
KEPT_FILES = 3


def start_log(path: Path) -> bool:
    """Log to ``path`` from now on, warnings of libraries included. False if the file cannot be opened.

    Without a file nothing is logged: Python's last resort would write over the screen.
    """
    root = logging.getLogger()
    handler: logging.Handler
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", errors="backslashreplace"
        )
        path.chmod(0o600)
        opened = True
    except OSError:
        handler, opened = logging.NullHandler(), False
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for chatty in ("httpx", "httpcore", "websockets", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    return opened
