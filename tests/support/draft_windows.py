"""Windows of one account in tests, sharing one journal of drafts."""

from __future__ import annotations

from pathlib import Path

from support.clock import VirtualClock
from support.draft_server import LUNCH, DraftClient, DraftServer


class Window(DraftClient):
    """One of several windows that share the journal of drafts."""

    def __init__(
        self, server: DraftServer, folder: Path, clock: VirtualClock, name: str, *, is_leader: bool
    ) -> None:
        super().__init__(server, folder, clock, "shared")
        self.window, self.is_leader = name, is_leader

    def look(self) -> None:
        """Reads what the other window has written."""
        if self.journal.changed_elsewhere():
            self.drafts.on_journal(self.journal.refresh().result())


def pair(folder: Path) -> tuple[Window, Window]:
    """Returns the window that syncs drafts with the server, and another one."""
    server, clock = DraftServer(), VirtualClock()
    return tuple(Window(server, folder, clock, name, is_leader=name == "a") for name in "ab")  # type: ignore[return-value]


def known_to_both(one: Window, other: Window) -> str:
    """Writes the draft "Soup" in one window and reads it in the other; returns its id."""
    draft_id = one.drafts.save(None, LUNCH, "Soup")
    other.look()
    return draft_id
