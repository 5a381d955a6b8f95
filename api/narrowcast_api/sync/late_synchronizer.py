"""The part of a session that speaks to the server, loaded when it is first needed."""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.sync.synchronizer import SyncHost, Synchronizer

MODULE = "narrowcast_api.sync.synchronizer"


class LateSynchronizer:
    """Makes the one synchronizer of a session. `loaded` is it, once there is one."""

    def __init__(self, session: SyncHost) -> None:
        self._session = session
        self._held: asyncio.Event | None = None
        self.loaded: Synchronizer | None = None

    def hold_back(self, until: asyncio.Event) -> None:
        """Loads nothing before then."""
        self._held = until

    async def ready(self) -> Synchronizer:
        """The synchronizer; loading it takes a while, so that keys must go on being answered."""
        if self._held is not None:
            await self._held.wait()
        if self.loaded is None:
            made_by = getattr(sys.modules.get(MODULE), "Synchronizer", None)
            if made_by is None:  # also where another thread is loading the module now
                made_by = (await asyncio.to_thread(importlib.import_module, MODULE)).Synchronizer
            if self.loaded is None:
                self.loaded = made_by(self._session)
        return self.loaded
