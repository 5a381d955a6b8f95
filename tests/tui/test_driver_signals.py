"""Signals that stop and continue the app, at every moment."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from itertools import count
from types import FrameType
from typing import Any

import pytest

from narrowcast.terminal import signal_handler, textual_fixes
from narrowcast.terminal.driver import TerminalDriver
from narrowcast.terminal.signal_handler import SignalHandler


class Driver(TerminalDriver):
    """Without a terminal; notes what it does."""

    def __init__(self, *, continued: bool = False) -> None:
        self.done: list[str] = []
        self._continued = continued
        self._auto_restart = True
        self._loop = asyncio.get_running_loop()
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        signal.signal(signal.SIGCONT, self._sigcont_application)

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


class Interruption:
    """Raises a signal before one of the instructions of a module's functions."""

    def __init__(self, module: Any, instruction: int, number: signal.Signals) -> None:
        self._path = module.__file__
        self._left = instruction
        self._number = number

    @property
    def was_raised(self) -> bool:
        """Whether there were as many instructions."""
        return self._left < 0

    def __enter__(self) -> Interruption:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, value: object) -> Any:
        if frame.f_code.co_filename != self._path:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self._left -= 1
            if self._left == -1:
                signal.raise_signal(self._number)
        return self._trace


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Restores the handlers afterwards."""
    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM, signal.SIGHUP)
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("continued", "done"), [(False, ["left", "stopped"]), (True, ["left", "taken"])], ids=["stop", "both"]
)
async def test_an_app_that_is_continued_before_it_has_stopped_goes_on(
    continued: bool, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver(continued=continued)
    monkeypatch.setattr(os, "kill", lambda *_: driver.done.append("stopped"))
    signal.raise_signal(signal.SIGTSTP)
    await asyncio.sleep(0)
    assert driver.done == done


async def test_the_terminal_is_left_and_taken_between_two_steps_of_the_loop_and_not_in_the_middle_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver = Driver()
    monkeypatch.setattr(os, "kill", lambda *_: signal.raise_signal(signal.SIGCONT))
    signal.raise_signal(signal.SIGTSTP)
    assert driver.done == []
    await asyncio.sleep(0)
    assert driver.done == ["left", "taken"]


async def test_signals_that_arrive_together_take_the_terminal_once() -> None:
    driver = Driver()
    for _ in range(40):
        signal.raise_signal(signal.SIGCONT)
    await asyncio.sleep(0)
    assert driver.done == ["taken"]


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGCONT])
async def test_before_whichever_instruction_a_second_continue_signal_arrives_the_app_goes_on(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    for instruction in count():
        driver = Driver()
        monkeypatch.setattr(os, "kill", lambda *_: signal.raise_signal(signal.SIGCONT))
        with Interruption(textual_fixes, instruction, signal.SIGCONT) as interruption:
            signal.raise_signal(number)
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert driver.done[-1] == "taken", instruction
        if not interruption.was_raised:
            break
    assert instruction > 20


async def test_a_signal_after_the_end_of_the_loop_is_no_error() -> None:
    driver = Driver()
    driver._loop = asyncio.new_event_loop()
    driver._loop.close()
    signal.raise_signal(signal.SIGTSTP)
    signal.raise_signal(signal.SIGCONT)
    assert driver.done == []


async def test_before_whichever_instruction_a_second_signal_to_quit_arrives_the_first_one_counts() -> None:
    for instruction in count():
        codes: list[int] = []
        handler = SignalHandler(codes.append)
        handler.start()
        with Interruption(signal_handler, instruction, signal.SIGHUP) as interruption:
            signal.raise_signal(signal.SIGTERM)
        handler.stop()
        await asyncio.sleep(0)
        assert len(codes) == 1, instruction
        if not interruption.was_raised:
            break
    assert instruction > 20
