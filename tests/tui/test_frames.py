"""Changes are shown once per frame, and less often while they arrive continuously."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from textual.timer import Timer

from narrowcast.runtime.frames import AFTER_KEY, FRAME, RESERVE, STEADY, Frames, Kinds
from narrowcast_api.state import changes as change
from support.sessions import until
from support.stage import on_stage

ADDED = change.MessagesAdded((1,), live=True)


class Later:
    """A scheduled call."""

    def __init__(self, at: float, act: Callable[[], None]) -> None:
        self.at = at
        self.act = act

    def stop(self) -> None:
        """Cancels the call."""
        self.at = float("inf")


class Stage:
    """Frames on a clock that moves only when the test advances it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waiting: list[Later] = []
        self.shown: list[tuple[float, Kinds]] = []
        self.frames = Frames(self.later, lambda: self.now)
        self.frames.subscribe(
            (change.MessagesAdded, change.UnreadsChanged), lambda kinds: self.shown.append((self.now, kinds))
        )

    def later(self, seconds: float, act: Callable[[], None]) -> Later:
        """The timer that `Frames` uses."""
        self.waiting.append(Later(self.now + seconds, act))
        return self.waiting[-1]

    def go_on(self, seconds: float) -> None:
        """Advances the clock and runs the calls that are due."""
        end = self.now + seconds
        while (due := min(self.waiting, key=lambda one: one.at, default=None)) is not None and due.at <= end:
            self.waiting.remove(due)
            self.now = due.at
            due.act()
        self.now = end

    def stream(self, seconds: float, pause: float = 1 / 15) -> list[float]:
        """Notes a change every ``pause`` seconds and returns when frames were shown."""
        self.shown.clear()
        for _ in range(round(seconds / pause)):
            self.frames.note([ADDED])
            self.go_on(pause)
        return [at for at, _ in self.shown]


def test_a_change_after_a_pause_is_shown_at_once_with_others_of_the_same_turn() -> None:
    stage = Stage()
    stage.frames.note([ADDED])
    stage.frames.note([change.UnreadsChanged()])
    stage.go_on(0.002)
    assert [kinds for _, kinds in stage.shown] == [{change.MessagesAdded, change.UnreadsChanged}]


def test_the_next_change_waits_for_its_frame() -> None:
    stage = Stage()
    stage.frames.note([ADDED])
    stage.go_on(0.01)
    stage.frames.note([ADDED])
    stage.go_on(FRAME / 2)
    assert len(stage.shown) == 1
    stage.go_on(FRAME)
    assert len(stage.shown) == 2


def test_changes_without_end_get_fewer_frames_and_none_is_lost() -> None:
    stage = Stage()
    times = stage.stream(10.0)
    assert len(times) <= RESERVE + 10.0 / STEADY + 1
    stage.go_on(STEADY)
    assert not stage.waiting
    assert max(b - a for a, b in pairwise(times)) <= STEADY + FRAME


def test_a_key_press_brings_the_pending_frame_forward() -> None:
    stage = Stage()
    stage.stream(10.0)
    stage.frames.note([ADDED])
    shown = len(stage.shown)
    stage.frames.hurry()
    stage.go_on(FRAME + 0.001)
    assert len(stage.shown) == shown + 1
    assert AFTER_KEY < RESERVE


def test_subscribers_are_not_called_for_kinds_that_they_did_not_subscribe_to() -> None:
    stage = Stage()
    stage.frames.note([change.ConnectionChanged()])
    stage.go_on(1.0)
    assert stage.shown == []


def test_an_unsubscribed_callback_is_not_called_any_more() -> None:
    stage = Stage()
    seen: list[Kinds] = []
    leave = stage.frames.subscribe((change.MessagesAdded,), seen.append)
    leave()
    leave()
    stage.stream(1.0)
    assert seen == []
    assert stage.shown


async def test_a_process_that_is_held_up_as_a_frame_is_planned_shows_it_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unpatched, a Textual timer that is late before it begins to wait ends at once, without a call."""
    run = Timer._run

    async def late(timer: Timer) -> None:
        if timer._repeat == 0:
            timer._interval = 1e-12
        await run(timer)

    async with on_stage(tmp_path) as stage:
        with monkeypatch.context() as held_up:
            held_up.setattr(Timer, "_run", late)
            stage.screen.frames.note([ADDED])
            await until(lambda: not stage.screen.frames.is_due)
