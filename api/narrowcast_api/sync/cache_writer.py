"""Writes new, changed and deleted messages to the cache, in batches of half a second.

Most messages change soon after they arrive, because they are read. Writing them one at a time took a sixth of
all work that arriving messages cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.apply_messages import updated
from narrowcast_api.state.changes import Change, MessagesAdded, MessagesChanged, MessagesRemoved
from narrowcast_api.wire.events import UpdateMessageEvent

WRITE_AFTER = 0.5
"""Seconds in which changes are collected. Changes that are lost when the app is killed are fetched again at
its next start.
"""


class CacheWriter:
    """`note` collects changes. Call `write` before messages leave the state, before the cache is searched,
    and at the end.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._touched: dict[int, None] = {}
        self._removed: dict[int, None] = {}
        self._is_due = False

    def note(self, changes: Sequence[Change]) -> None:
        """Collects the messages that were added, changed or removed."""
        for change in changes:
            if isinstance(change, MessagesAdded | MessagesChanged):
                _move(change.ids, self._removed, self._touched)
            elif isinstance(change, MessagesRemoved):
                _move(change.ids, self._touched, self._removed)
        if (self._touched or self._removed) and not self._is_due:
            self._is_due = True
            self._context.tasks.start(self._write_soon(), "write messages to the cache")

    def note_update(self, event: UpdateMessageEvent) -> None:
        """Changes the cached ones of the messages that were edited or moved and are not in memory."""
        state, cache = self._context.state, self._context.storage.cache
        ids = [i for i in {event.message_id, *event.message_ids} if i not in state.messages]

        def change() -> None:
            cache.save_messages([updated(message, event) for message in cache.load_messages(ids)])

        if ids:
            cache.post(change)

    async def _write_soon(self) -> None:
        await self._context.clock.sleep(WRITE_AFTER)
        self._is_due = False
        self.write()

    def write(self) -> None:
        """Queues all collected changes for the cache's thread."""
        cache = self._context.storage.cache
        if messages := self._context.state.messages.known(self._touched):
            cache.post(cache.save_messages, messages)
        if self._removed:
            cache.post(cache.delete_messages, list(self._removed))
        self._touched.clear()
        self._removed.clear()


def _move(message_ids: Iterable[int], source: dict[int, None], target: dict[int, None]) -> None:
    for message_id in message_ids:
        source.pop(message_id, None)
        target[message_id] = None
