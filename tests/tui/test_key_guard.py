"""Keys typed right after a key that could not act are not run as commands."""

from __future__ import annotations

from narrowcast.app.key_queue import ESCAPE_MOMENT, ONE_MOMENT, KeyGuard


def typed(guard: KeyGuard, keys: str, start: float, step: float) -> str:
    """The keys that the guard lets pass."""
    times = (start + number * step for number in range(len(keys)))
    return "".join(key for key, now in zip(keys, times, strict=True) if guard.passes(key, True, now))


def refused(key: str = "r", now: float = 10.0) -> KeyGuard:
    """A guard after a key that could not act."""
    guard = KeyGuard()
    assert guard.passes(key, True, now)
    guard.refuse_text()
    return guard


def test_keys_pass_while_nothing_was_refused() -> None:
    assert typed(KeyGuard(), "second", 10.0, 0.01) == "second"


def test_a_word_after_a_refused_key_is_dropped_whole() -> None:
    assert typed(refused(), "second thoughts of mine", 10.1, 0.2) == ""


def test_a_pause_ends_the_guard() -> None:
    guard = refused()
    assert not guard.passes("s", True, 10.1)
    assert guard.passes("j", True, 10.1 + ONE_MOMENT)


def test_a_key_that_is_not_text_passes_and_ends_the_guard() -> None:
    guard = refused()
    assert guard.passes("ctrl+k", False, 10.05)
    assert guard.passes("j", True, 10.1)


def test_a_key_that_is_held_down_does_not_count_as_typed_text() -> None:
    assert typed(refused("n"), "jjjj", 10.1, 0.03) == "jj"


def test_escape_after_leaving_a_field_does_nothing_however_often_it_is_pressed() -> None:
    guard = KeyGuard()
    assert guard.passes("escape", False, 10.0)
    guard.hold_escape()
    assert not guard.passes("escape", False, 10.5)
    assert not guard.passes("escape", False, 11.2)
    assert guard.passes("escape", False, 11.2 + ESCAPE_MOMENT)


def test_another_key_ends_the_hold_on_escape() -> None:
    guard = KeyGuard()
    guard.passes("escape", False, 10.0)
    guard.hold_escape()
    assert guard.passes("j", True, 10.1)
    assert guard.passes("escape", False, 10.2)
