"""Two real apps on two accounts of one server hold a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from support.terminal import Terminal
from support.timing import RunningTime

from .conftest import OpenApp, Served
from .switching import go

CROSSING = 1.0
"""Seconds within which a message, typing, a reaction and read state must arrive."""


@pytest.fixture
def running_time() -> Iterator[RunningTime]:
    with RunningTime() as clock:
        yield clock


def took(clock: RunningTime, wait: Callable[[str], object], pattern: str) -> float:
    """Seconds until the wait for the pattern ends."""
    begun = clock.mark()
    wait(pattern)
    return clock.since(begun)


def open_direct(terminal: Terminal, name: str) -> None:
    go(terminal, name, rf" {name}[^│]*$")


@pytest.mark.task("Log in with a zuliprc file")
def test_two_people_see_each_other_write_react_and_read(
    served: Served, open_app: OpenApp, running_time: RunningTime
) -> None:
    ada = open_app(served.rc("ada"))
    greta = open_app(served.rc("greta"))
    open_direct(ada, "Greta Lindqvist")
    open_direct(greta, "Ada Moreno")
    ada.settle()
    greta.settle()

    ada.press("r", "ctrl+e", "ctrl+u")  # clears the demo world's draft
    ada.type("Is the mast still up?")
    ada.wait_for(r"Is the mast still up\?")
    typing = took(running_time, greta.wait_for, "Ada Moreno is typing")

    ada.press("enter")
    message = took(running_time, greta.wait_for, r"(?m)^.*\s Is the mast still up\?")
    greta.wait_gone(r"Ada Moreno is typing")

    greta.press("G", "+")
    reaction = took(running_time, ada.wait_for, "👍")

    greta.press("r")
    greta.type("Up and warm.")
    answer_typing = took(running_time, ada.wait_for, "Greta Lindqvist is typing")
    greta.press("enter")
    answer = took(running_time, ada.wait_for, r"(?m)^.*\s Up and warm\.")

    times = {
        "typing": typing,
        "message": message,
        "reaction": reaction,
        "typing back": answer_typing,
        "message back": answer,
    }
    assert all(seconds < CROSSING for seconds in times.values()), times


def test_what_is_read_in_one_app_is_read_in_the_other_app_of_the_account(
    served: Served, open_app: OpenApp, running_time: RunningTime
) -> None:
    ada = open_app(served.rc("ada"))
    desk = open_app(served.rc("greta"), owner="greta-desk")
    hut = open_app(served.rc("greta"), owner="greta-hut")
    for terminal in (desk, hut):
        terminal.press("#")  # a view that marks nothing as read
        terminal.wait_for(r"(?m)^.{28,}Mentions")
        terminal.settle()
    open_direct(ada, "Greta Lindqvist")
    ada.press("r", "ctrl+e", "ctrl+u")
    ada.type("Soup or stew tonight?")
    ada.press("enter")
    for terminal in (desk, hut):
        terminal.wait_for(r"Ada Moreno +1\b(?!:)")

    open_direct(hut, "Ada Moreno")
    hut.wait_for(r"(?m)^.*\s Soup or stew tonight\?")
    crossing = took(running_time, desk.wait_gone, r"Ada Moreno +1\b(?!:)")

    assert crossing < CROSSING
