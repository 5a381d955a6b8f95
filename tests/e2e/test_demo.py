"""A user's first minutes: the welcome screen, and the demo, which leaves nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.processes import wait_until
from support.terminal import PATIENCE, Terminal, home, narrowcast


def wait_empty(folder: Path) -> None:
    """Waits until ``folder`` is empty; the server of a killed demo needs a moment."""
    wait_until(lambda: not os.listdir(folder), f"{folder} is empty", PATIENCE)


def test_the_demo_opens_at_its_welcome_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with Terminal(narrowcast("demo"), env=home(tmp_path / "home")) as terminal:
        terminal.wait_for("● live")
        terminal.wait_for("Welcome to Larkfield Instruments, Ada!")
        terminal.wait_for("Ada Moreno")
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0
        assert terminal.left_clean() == []
    wait_empty(tmp_path / "home" / "tmp")
    assert not [path for path in (tmp_path / "home").rglob("*") if path.is_file()]


def test_a_killed_demo_takes_its_server_and_its_data_with_it(tmp_path: Path) -> None:
    with Terminal(narrowcast("demo"), env=home(tmp_path / "home")) as terminal:
        terminal.wait_for("● live")
        terminal.kill()
    wait_empty(tmp_path / "home" / "tmp")


def test_a_kept_demo_world_is_there_the_next_time(tmp_path: Path) -> None:
    data = tmp_path / "world"
    for attempt in range(2):
        with Terminal(narrowcast("demo", "--data", str(data)), env=home(tmp_path / "home")) as terminal:
            terminal.wait_for("● live")
            if attempt == 0:
                terminal.press("x")
                terminal.type("Greta Lindqvist")
                terminal.press("tab", "tab")
                terminal.settle()
                terminal.press("ctrl+e", "ctrl+u")
                terminal.type("This must be kept")
                terminal.press("enter")
                terminal.wait_for("Alt-g")  # the notice that it was sent to a view that is not on screen
                terminal.press("escape", "alt+g")
                terminal.wait_for(r"(?m)^.{30,}This must be kept")
                terminal.wait_gone("sending")
            else:
                terminal.settle()
                terminal.press("G")  # the feed opens at the first unread message
                terminal.wait_for(r"(?m)^.{30,}This must be kept")
            terminal.press("ctrl+q")
            terminal.wait_end()


@pytest.mark.task("Try it without an account")
def test_without_an_account_the_welcome_screen_leads_to_the_demo(tmp_path: Path) -> None:
    with Terminal(narrowcast(), env=home(tmp_path / "home"), size=(80, 24)) as terminal:
        terminal.wait_for("Log in to an organization")
        terminal.press("t")
        terminal.wait_for("● live")
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0
    wait_empty(tmp_path / "home" / "tmp")
