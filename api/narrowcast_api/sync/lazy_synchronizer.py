"""Loads the part of a session that talks to the server when it is first needed."""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.sync.synchronizer import SyncHost, Synchronizer

MODULE = "narrowcast_api.sync.synchronizer"


class LazySynchronizer:
    """Creates the only synchronizer of a session. `loaded` is None until then."""

    def __init__(self, session: SyncHost) -> None:
        self._session = session
        self._until: asyncio.Event | None = None
        self.loaded: Synchronizer | None = None

    def delay(self, until: asyncio.Event) -> None:
        """Delays loading until `until` is set."""
        self._until = until

    async def ready(self) -> Synchronizer:
        """Returns the synchronizer. Its module is imported in a thread, since that takes a while and would
        block input.
        """
        if self._until is not None:
            await self._until.wait()
        if self.loaded is None:
            made_by = getattr(sys.modules.get(MODULE), "Synchronizer", None)
            if made_by is None:  # not imported yet, or another thread is importing it now
                made_by = (await asyncio.to_thread(importlib.import_module, MODULE)).Synchronizer
            if self.loaded is None:
                self.loaded = made_by(self._session)
        return self.loaded
