"""The views in which messages stay unread although they are on the screen, because the user marked them as unread."""

from __future__ import annotations

import json
from contextlib import suppress

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.cache import Cache

PART = "kept-unread"


class KeptUnread:
    """Kept in the cache, so that a restart, which opens the same view again, marks nothing there as read."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._narrows: set[Narrow] = set()
        with suppress(ValueError, TypeError):
            self._narrows.update(Narrow.load(text) for text in json.loads(cache.load_part(PART) or b"[]"))

    def __contains__(self, narrow: Narrow) -> bool:
        return narrow in self._narrows

    def add(self, narrow: Narrow) -> None:
        """Keeps the messages of a view unread until `discard`."""
        if narrow not in self._narrows:
            self._narrows.add(narrow)
            self._save()

    def discard(self, narrow: Narrow) -> None:
        """Lets messages of the view be marked as read again, because the user has left it."""
        if narrow in self._narrows:
            self._narrows.discard(narrow)
            self._save()

    def _save(self) -> None:
        text = json.dumps([narrow.dump() for narrow in self._narrows])
        self._cache.post(self._cache.save_part, PART, text.encode())
