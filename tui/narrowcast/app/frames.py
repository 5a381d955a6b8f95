"""Showing changes of a session at most once a frame, whoever shows them.

A single change is shown at once. While changes go on coming, the frames get rarer: what nobody can follow with their
eyes costs little, and the next key finds an idle app.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from narrowcast.app.context import in_app
from narrowcast_api.state.changes import Change

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["FRAME", "Frames", "Kinds"]

FRAME = 1 / 30
"""Seconds between two frames at least."""
STEADY = 0.4
"""Seconds between frames while changes come without end."""
SOON = 0.001
"""Seconds to the first frame after a rest: what changes in the same moment is shown with it."""
RESERVE = 6.0
"""So many frames may follow each other closely before they get rarer; rest fills it again."""

AFTER_KEY = 2.0
"""As many frames may follow a key, whatever else comes."""

Kinds = set[type[Change]]
Show = Callable[[Kinds], None]


class Waiting(Protocol):
    """A call that is still to come."""

    def stop(self) -> None:
        """It does not come any more."""


Later = Callable[[float, Callable[[], None]], Waiting]


class Frames:
    """Subscribers are called with the kinds of what changed, in the order in which they subscribed.

    ``later`` runs a function after some seconds, and skips no call that is late: for Textual's ``set_timer``
    `keep_late_timers` sees to that. ``clock`` counts seconds.
    """

    def __init__(self, later: Later, clock: Callable[[], float] = time.monotonic) -> None:
        self._later = later
        self._clock = clock
        self._shows: list[tuple[frozenset[type[Change]], Show]] = []
        self._changed: Kinds = set()
        self._due: Waiting | None = None
        self._reserve = RESERVE
        self._last = clock() - RESERVE * STEADY

    @property
    def is_due(self) -> bool:
        """Something changed that is not shown yet."""
        return self._due is not None

    def subscribe(self, kinds: Iterable[type[Change]], show: Show) -> Callable[[], None]:
        """Calls ``show`` once a frame where something of ``kinds`` changed, until the returned function is called."""
        entry = (frozenset(kinds), show)
        self._shows.append(entry)
        return lambda: self._shows.remove(entry) if entry in self._shows else None

    def note(self, changes: Sequence[Change]) -> None:
        """Something changed; called by the session, as often as it likes."""
        self._changed.update(type(change) for change in changes)
        if self._due is None and self._changed:
            self._due = self._later(self._wait(), self._flush)

    def hurry(self) -> None:
        """Somebody pressed a key: what it leads to is shown without delay."""
        was_steady, self._reserve = self._reserve < 1, max(self._reserve, AFTER_KEY)
        if self._due is not None and was_steady:
            self._due.stop()
            self._due = self._later(self._wait(), self._flush)

    def follow(self, session: Session) -> Callable[[], None]:
        """Notes all changes of ``session`` in the context of the caller, until the returned function is called."""
        return session.subscribe(in_app(self.note))

    def _wait(self) -> float:
        passed = self._clock() - self._last
        self._reserve = min(RESERVE, self._reserve + passed / STEADY)
        self._last += passed
        pause = FRAME - passed if self._reserve >= 1 else (1 - self._reserve) * STEADY
        return max(SOON, pause)

    def _flush(self) -> None:
        self._wait()
        self._reserve -= 1
        self._due = None
        changed, self._changed = self._changed, set()
        for kinds, show in list(self._shows):
            if not kinds.isdisjoint(changed):
                show(changed)
