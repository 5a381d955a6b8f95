"""The texts that users of a history wrote, and why some of them need not be on the server in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.draft_store import SAVE_AFTER
from narrowcast_api.storage.records import OutboxState
from simulation.disk import SLOWEST
from simulation.window import Typed, Window


@dataclass
class Written:
    """The texts of one window, in order."""

    window: str
    home: Path
    place: Destination
    text: str
    at: float


@dataclass
class Words:
    """All texts, and what happened to some of them."""

    written: list[Written] = field(default_factory=list)
    moved: set[Destination] = field(default_factory=set)
    """Topics from or to which messages were moved."""
    taken_back: list[str] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    left_behind: set[str] = field(default_factory=set)
    """Unsent when their window ended: another window may send them, on a worse network."""
    may_be_lost: list[Written] = field(default_factory=list)
    """Written a moment before a crash."""
    drafts: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Text of a draft to the window where it was written, and when."""
    corrections: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Text that was appended to a message to the window where that was done, and when."""
    done_with: set[str] = field(default_factory=set)
    """Texts of drafts that a user saw and deleted or replaced, or that were written a moment before a crash."""

    def says(self, window: Window, place: Destination, typed: Typed, now: float) -> None:
        """Records that a user sent a message."""
        self.written.append(Written(window.name, window.home.root, place, typed.words, now))
        self.done_with.add(typed.over)

    def drafts_now(self, window: Window, typed: Typed, now: float) -> None:
        """Records that a user started or continued a draft."""
        self.drafts[typed.words] = window.name, now
        self.done_with.add(typed.over)

    def note(self, windows: Sequence[Window]) -> None:
        """Records which texts are offered as unsent now, and which were appended to messages."""
        for window in windows:
            for text, at in window.corrected:
                self.corrections[text] = window.name, at
            window.corrected.clear()
            self.failed |= {
                e.content for e in window.session.outbox.entries() if e.state is OutboxState.FAILED
            }

    def ends(self, window: Window) -> None:
        """Records that a window quits."""
        self.left_behind |= {e.content for e in window.session.outbox.entries() if not e.elsewhere}

    def crashes(self, windows: Sequence[Window], now: float) -> None:
        """Records that windows are killed."""
        for window in windows:
            self.ends(window)
        names = {window.name for window in windows}
        on_its_way_to_the_disk = now - 2 * SLOWEST
        # Another window may be faster with the same draft: the draft is read then, and the text is written once more.
        being_typed = now - 4 * SLOWEST - SAVE_AFTER
        self.done_with |= {
            text for text, (window, at) in self.drafts.items() if window in names and at > being_typed
        }
        for text, (name, at) in list(self.corrections.items()):
            if name in names and at > being_typed:
                del self.corrections[text]
        self.may_be_lost += [
            one for one in self.written if one.window in names and one.at > on_its_way_to_the_disk
        ]
