"""The pilot of Textual waits until there is nothing left to do, not for time to pass: see `support.quiet`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping

from support import quiet, style_sheets

quiet.install()
style_sheets.install()


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]] | None:
    """The loop of every test here. That of Windows, where the server could start no processes on this one, stays."""
    return None if sys.platform == "win32" else {"quiet": quiet.QuietLoop}
