"""Edits of messages that are not saved yet: kept in the journal, like drafts, so that they survive a `kill -9`.

    typed ──> memory ──0.3 s──> journal ──Enter──> request in progress ──accepted──> gone
                ^                                         │
                └──────────────── rejected ───────────────┘

Each belongs to the window in which it was written. Edits of a closed window are taken over by the next one
that calls `take_over`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from narrowcast_api.clock import Clock, Wakeup
from narrowcast_api.protocols.draft_store import SAVE_AFTER
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import Edit
from narrowcast_api.wire.events import UpdateMessageEvent

__all__ = ["Edit", "UnsavedEdits"]


class _Save(Struct):
    """An edit that was sent and whose event has not come; `theirs` is the text that its message got before it."""

    edit: Edit
    theirs: str | None = None


class UnsavedEdits:
    """At most one unsaved edit of each message. `is_gone` returns whether a window has closed; `run` is a
    task of the session.
    """

    def __init__(self, *, journal: Journal, clock: Clock, is_gone: Callable[[str | None], bool]) -> None:
        self._journal = journal
        self._clock = clock
        self._is_gone = is_gone
        self._edits: dict[int, Edit] = {}
        self._unwritten: set[int] = set()
        self._in_progress: dict[int, asyncio.Event] = {}
        """For each message with a save in progress: set when that ends."""
        self._sent: dict[int, _Save] = {}
        self._wakeup = Wakeup(clock)
        self._last_write = -SAVE_AFTER

    def all(self) -> list[Edit]:
        """Edits that were not saved, of this window or of one that has closed."""
        return list(self._edits.values())

    def get(self, message_id: int) -> Edit | None:
        """The unsaved edit of a message."""
        return self._edits.get(message_id)

    def update(self, edit: Edit) -> None:
        """Replaces the edit of its message. May be called for every key: it costs no more than a dict entry."""
        self._end_save(edit.message_id)
        if self._edits.get(edit.message_id) == edit:
            return
        self._edits[edit.message_id] = edit
        self._unwritten.add(edit.message_id)
        if self._clock.monotonic() - self._last_write >= SAVE_AFTER:
            self.write()
        else:
            self._wakeup.set()

    def forget(self, message_id: int) -> None:
        """Discards the edit of a message."""
        self._unwritten.discard(message_id)
        self._sent.pop(message_id, None)
        if (edit := self._edits.pop(message_id, None)) is not None:
            self._journal.delete_edit(edit)

    def saving(self, edit: Edit) -> None:
        """To be called when the request leaves: the edit stays in the journal until `saved`, or `update` if
        it is rejected.
        """
        self._edits.pop(edit.message_id, None)
        self._unwritten.discard(edit.message_id)
        self._journal.put_edit(edit)
        self._in_progress[edit.message_id] = asyncio.Event()
        self._sent[edit.message_id] = _Save(edit)

    def saved(self, edit: Edit) -> None:
        """The server has this version: it leaves the journal, unless the message is being changed again."""
        self._end_save(edit.message_id)
        if edit.message_id not in self._edits:  # else the message is being changed again
            self._journal.delete_edit(edit)

    def on_update(self, event: UpdateMessageEvent) -> Edit | None:
        """Follows a message whose edit was sent. Returns the edit if it has replaced a text that nobody has seen
        here, with that text as its content.

        TODO(server-379): before, servers do not compare, and what another device saves between the comparison
        here and the request is replaced. Its event then comes before that of the edit.
        """
        save = self._sent.get(event.message_id)
        if save is None or event.content is None or event.rendering_only:
            return None
        if event.content.strip() != save.edit.content.strip():
            save.theirs = event.content
            return None
        del self._sent[event.message_id]
        if save.theirs is None or save.theirs.strip() == save.edit.original.strip():
            return None
        return replace(save.edit, content=save.theirs)

    def on_snapshot(self) -> None:
        """Follows no more what was sent before: the events about it are lost."""
        self._sent.clear()

    def is_saving(self, message_id: int) -> bool:
        """Whether a save of this message is in progress."""
        return message_id in self._in_progress

    async def save_ended(self, message_id: int) -> None:
        """Waits until no save of this message is in progress."""
        if (end := self._in_progress.get(message_id)) is not None:
            await end.wait()

    def _end_save(self, message_id: int) -> None:
        if (end := self._in_progress.pop(message_id, None)) is not None:
            end.set()

    def take_over(self) -> list[Edit]:
        """Takes over edits of closed windows, except of messages that are being edited here; returns those taken."""
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
        """Queues all unwritten edits for the journal."""
        for message_id in self._unwritten:
            self._journal.put_edit(self._edits[message_id])
        self._unwritten.clear()
        self._last_write = self._clock.monotonic()

    async def run(self) -> None:
        """Writes typed text to the journal until cancelled."""
        while True:
            await self._wakeup.wait(
                self._last_write + SAVE_AFTER - self._clock.monotonic() if self._unwritten else None
            )
            if self._clock.monotonic() >= self._last_write + SAVE_AFTER:
                self.write()
