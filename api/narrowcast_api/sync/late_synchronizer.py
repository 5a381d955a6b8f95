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
            module = sys.modules.get(MODULE)
            if module is None or not hasattr(module, "Synchronizer"):  # another thread may be loading it now
                module = await asyncio.to_thread(importlib.import_module, MODULE)
            if self.loaded is None:
                self.loaded = module.Synchronizer(self._session)
        return self.loaded
