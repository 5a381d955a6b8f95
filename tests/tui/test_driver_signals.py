"""Signals that stop and continue the app, handled while another one is."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from narrowcast.terminal.driver import TerminalDriver


class Driver(TerminalDriver):
    """Without a terminal; notes what it does."""

    def __init__(self, *, continued: bool) -> None:
        self.done: list[str] = []
        self._continued = continued
        self._auto_restart = True

    def __rich_repr__(self) -> Iterator[str]:
        """Python's `signal` module formats handlers; Textual's would name the app."""
        yield from self.done

    def suspend_application_mode(self) -> None:
        """Receives the signal to continue, if there is to be one, while it leaves the terminal."""
        self.done.append("left")
        if self._continued:
            signal.raise_signal(signal.SIGCONT)

    def resume_application_mode(self) -> None:
        self.done.append("taken")


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Restores the handlers afterwards."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTSTP, signal.SIGCONT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("continued", "done"), [(False, ["left", "stopped"]), (True, ["left", "taken"])], ids=["stop", "both"]
)
def test_an_app_that_is_continued_before_it_has_stopped_goes_on(
    continued: bool, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver(continued=continued)
    monkeypatch.setattr(os, "kill", lambda *_: driver.done.append("stopped"))
    signal.signal(signal.SIGTSTP, driver._sigtstp_application)
    signal.signal(signal.SIGCONT, driver._sigcont_application)
    signal.raise_signal(signal.SIGTSTP)
    assert driver.done == done
