"""Messages count as seen once they have been on the screen for a moment."""

from __future__ import annotations

import pytest

from narrowcast_api.protocols.on_screen import MOMENT, OnScreen


def test_what_stays_for_a_moment_counts_once() -> None:
    screen = OnScreen()
    screen.show("pane", [1, 2], 0)
    assert screen.due() == MOMENT
    assert screen.take_seen(MOMENT - 0.01) == []
    assert screen.take_seen(MOMENT) == [1, 2]
    assert screen.due() is None
    screen.show("pane", [2, 3], 5)
    assert screen.take_seen(10) == [3]


def test_what_only_passed_does_not_count() -> None:
    screen = OnScreen()
    for step in range(100):
        screen.show("pane", [step, step + 1], step * MOMENT / 3)
    assert screen.take_seen(33 * MOMENT) == []


def test_what_left_the_screen_after_a_moment_counts_however_late_it_is_asked_for() -> None:
    screen = OnScreen()
    screen.show("pane", [1], 0)
    screen.show("pane", [2], MOMENT)
    screen.show("pane", [], MOMENT + 0.1)
    assert screen.take_seen(100) == [1]
    assert screen.due() is None


def test_a_break_begins_the_moment_anew() -> None:
    screen = OnScreen()
    screen.show("pane", [1], 0)
    screen.show("pane", [], MOMENT / 2)
    screen.show("pane", [1], MOMENT)
    assert screen.due() == pytest.approx(2 * MOMENT)
    assert screen.take_seen(MOMENT + 0.01) == []


def test_two_panes_do_not_disturb_each_other() -> None:
    screen = OnScreen()
    screen.show("left", [1], 0)
    screen.show("right", [2], MOMENT / 2)
    screen.show("right", [3], MOMENT)
    assert screen.take_seen(MOMENT) == [1]
    screen.show("left", [], MOMENT)
    assert screen.take_seen(2 * MOMENT) == [3]


def test_what_is_due_counts_at_that_time_however_times_are_rounded() -> None:
    for number in range(1000):
        on_screen, now = OnScreen(), 0.1 * number
        on_screen.show("pane", [1], now)
        due = on_screen.due()
        assert due is not None
        assert on_screen.take_seen(due) == [1], now
