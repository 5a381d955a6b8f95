"""Textual's pilot waits until the loop is idle instead of for a fixed time: see `support.quiet`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from support import quiet, style_sheets

quiet.install()
style_sheets.install()


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop of all tests here."""
    return {"quiet": quiet.QuietLoop}
