"""Changes of messages that are being written and were not saved: in the journal as drafts are, for a `kill -9`.

    typed ──> here ──0.3 s──> journal ──Enter──> request under way ──accepted──> gone
               ^                                        │
               └───────────────── refused ──────────────┘

Each belongs to the window in which it was written. What a window that has ended left behind is taken over by the next
one that asks.
"""

from __future__ import annotations

from collections.abc import Callable

from narrowcast_api.clock import Clock
from narrowcast_api.protocols.alarm import Alarm
from narrowcast_api.protocols.draft_store import KEEP_AFTER
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import Edit

__all__ = ["Edit", "UnsavedEdits"]


class UnsavedEdits:
    """At most one change of each message. `is_gone` tells whether a window has ended; `run` is a task of the
    session.
    """

    def __init__(self, *, journal: Journal, clock: Clock, is_gone: Callable[[str | None], bool]) -> None:
        self._journal = journal
        self._clock = clock
        self._is_gone = is_gone
        self._edits: dict[int, Edit] = {}
        self._unwritten: set[int] = set()
        self._alarm = Alarm(clock)
        self._last_write = -KEEP_AFTER

    def all(self) -> list[Edit]:
        """What was changed and not saved, in this window or in one that has ended."""
        return list(self._edits.values())

    def get(self, message_id: int) -> Edit | None:
        """What was made of a message."""
        return self._edits.get(message_id)

    def keep(self, edit: Edit) -> None:
        """This is the change of its message now. Costs no more than a dict entry: call it for every key."""
        if self._edits.get(edit.message_id) == edit:
            return
        self._edits[edit.message_id] = edit
        self._unwritten.add(edit.message_id)
        if self._clock.monotonic() - self._last_write >= KEEP_AFTER:
            self.write()
        else:
            self._alarm.ring()

    def forget(self, message_id: int) -> None:
        """It is not wanted any more."""
        self._unwritten.discard(message_id)
        if (edit := self._edits.pop(message_id, None)) is not None:
            self._journal.delete_edit(edit)

    def saving(self, edit: Edit) -> None:
        """Its request leaves: it stays in the journal until `saved`, or `keep` if it is refused."""
        self._edits.pop(edit.message_id, None)
        self._unwritten.discard(edit.message_id)
        self._journal.put_edit(edit)

    def saved(self, edit: Edit) -> None:
        """The server has this version: it leaves the journal, unless the message is being changed again."""
        if edit.message_id not in self._edits:  # else the message is being changed again
            self._journal.delete_edit(edit)

    def take_over(self) -> list[Edit]:
        """Take what windows that have ended left behind, except of messages that are changed here; what was taken."""
        taken = []
        for edit in self._journal.edits() if self._journal.read_only is None else ():
            is_own = edit.owner == self._journal.window
            if is_own or edit.message_id in self._edits or not self._is_gone(edit.owner):
                continue
            self._edits[edit.message_id] = edit
            self._journal.put_edit(edit)
            taken.append(edit)
        return taken

    def write(self) -> None:
        """Hand everything that is newer than the journal to it."""
        for message_id in self._unwritten:
            self._journal.put_edit(self._edits[message_id])
        self._unwritten.clear()
        self._last_write = self._clock.monotonic()

    async def run(self) -> None:
        """Write what was typed, for ever."""
        while True:
            await self._alarm.wait(
                self._last_write + KEEP_AFTER - self._clock.monotonic() if self._unwritten else None
            )
            if self._clock.monotonic() >= self._last_write + KEEP_AFTER:
                self.write()
