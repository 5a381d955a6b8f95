"""Showing changes of a session at most once per frame.

A single change is shown at once. While changes keep arriving, the frame rate drops: updates faster than
anyone can follow are skipped, and the app is idle when the next key arrives.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from narrowcast.runtime.context import in_app
from narrowcast_api import debug_log
from narrowcast_api.state.changes import Change

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["FRAME", "Frames", "Kinds"]

FRAME = 1 / 30
"""Minimum seconds between two frames."""
STEADY = 0.4
"""Seconds between frames during a continuous stream of changes."""
SOON = 0.001
"""Seconds until the first frame after an idle time: changes at the same moment are shown with it."""
RESERVE = 6.0
"""Number of frames at the full rate before the rate drops; it refills while idle."""

SLOW = 1 / 60
"""Seconds above which the work for a frame or a key is in the debug log."""

AFTER_KEY = 2.0
"""Number of frames at the full rate after a key press, whatever the load."""

Kinds = set[type[Change]]
Show = Callable[[Kinds], None]


class Waiting(Protocol):
    """A scheduled call that can be cancelled."""

    def stop(self) -> None:
        """Cancels the call if it has not run yet."""


Later = Callable[[float, Callable[[], None]], Waiting]


class Frames:
    """Calls subscribers with the kinds of changes, in the order in which they subscribed.

    ``later`` runs a function after some seconds and must not skip calls that are late, as Textual's ``set_timer`` does
    outside the screens and the app of `textual_fixes`. ``clock`` returns seconds.
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
        """Whether a change is not shown yet."""
        return self._due is not None

    def subscribe(self, kinds: Iterable[type[Change]], show: Show) -> Callable[[], None]:
        """Calls ``show`` once per frame if something of ``kinds`` changed, until the returned function is called."""
        entry = (frozenset(kinds), show)
        self._shows.append(entry)
        return lambda: self._shows.remove(entry) if entry in self._shows else None

    def note(self, changes: Sequence[Change]) -> None:
        """Records changes; called by the session as often as needed."""
        self._changed.update(type(change) for change in changes)
        if self._due is None and self._changed:
            self._due = self._later(self._wait(), self._flush)

    def hurry(self) -> None:
        """Shows the next changes without delay, because a key was pressed."""
        was_steady, self._reserve = self._reserve < 1, max(self._reserve, AFTER_KEY)
        if self._due is not None and was_steady:
            self._due.stop()
            self._due = self._later(self._wait(), self._flush)

    def follow(self, session: Session) -> Callable[[], None]:
        """Records all changes of ``session`` in the caller's context until the returned function is called."""
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
        started = time.perf_counter()
        for kinds, show in list(self._shows):
            if not kinds.isdisjoint(changed):
                show(changed)
        if (passed := time.perf_counter() - started) > SLOW:
            debug_log.note("slow", "frame", *changed, ms=passed * 1000)
