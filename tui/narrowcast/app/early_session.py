"""The session with which the app starts: it is opened, and asks for its first view, while the app is imported."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from narrowcast.config import account_files
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.session import Session

__all__ = ["Early", "RunningSession", "begin"]


class RunningSession(NamedTuple):
    """A session, and the task that keeps it live."""

    session: Session
    running: asyncio.Task[None]


Early: TypeAlias = Awaitable[RunningSession]
"""A session that is being opened. Raises NarrowcastError if it cannot be."""


async def begin(file: Path, paths: Paths) -> RunningSession:
    """Opens the session of the account in ``file`` and runs it. Raises NarrowcastError."""
    account = await asyncio.to_thread(account_files.read, file)  # the keyring may ask the user for permission
    session = await Session.open(account, data_dir=paths.data, cache_dir=paths.cache)
    view = session.view(session.last_narrow or Narrow.all())
    session.spawn(view.open(), "fetch the first view")
    return RunningSession(session, asyncio.create_task(session.run()))
