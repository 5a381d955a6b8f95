"""The saved screen is shown first, and the terminal is never left broken."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from support.terminal import Terminal, home, narrowcast

from .conftest import OpenApp, Served

KEPT = r"○ saved"
GLIMPSE = 64
"""Bytes per read: fewer than are written between the saved screen and the first frame."""


def leave(terminal: Terminal) -> None:
    """Quits the app."""
    terminal.settle()
    terminal.press("ctrl+q")
    assert terminal.wait_end() == 0


def start(rc: Path, folder: Path, size: tuple[int, int] = (120, 40)) -> Terminal:
    """Starts the app without waiting for it; it may write bytecode."""
    env = home(folder)
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return Terminal(narrowcast("--rc", str(rc)), env=env, size=size, at_once=GLIMPSE)


def test_the_second_start_shows_the_screen_before_the_app_is_there_and_takes_keys(
    served: Served, open_app: OpenApp, tmp_path: Path
) -> None:
    rc = served.rc("ada")
    with open_app(rc) as first:
        first.settle(quiet=1.0)
        left = first.lines
        leave(first)
    kept = tmp_path / "home-ada" / "cache" / "narrowcast" / "last-screens"
    assert list(kept.glob("*.screen")), "\n".join(["not kept:", *left])
    with start(rc, tmp_path / "home-ada") as again:
        again.wait_for(KEPT)
        assert again.lines[5:20] == left[5:20]
        assert b"\x1b[?2004h" not in again.output  # the framework has not started yet
        again.type("#")  # before the app reads keys
        again.wait_for(r"● live")
        again.wait_until(lambda: "Mentions" in again.lines[0], "the view of mentions")
        assert again.output.count(b"\x1b[?1049h") == 1
        again.wait_gone(KEPT)
        leave(again)
        assert again.left_clean() == []


def test_a_start_at_another_size_does_not_show_the_saved_screen(
    served: Served, open_app: OpenApp, tmp_path: Path
) -> None:
    with open_app(served.rc("ada")) as first:
        leave(first)
    with start(served.rc("ada"), tmp_path / "home-ada", (100, 30)) as again:
        again.wait_for(r"● live")
        assert b"saved" not in again.output


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("import os; os.kill(os.getpid(), 15)", -signal.SIGTERM),
        ("import os; os.kill(os.getpid(), 1)", -signal.SIGHUP),
        ("raise RuntimeError('this must be read')", 1),
        ("pass", 0),
    ],
)
def test_whatever_ends_a_start_leaves_the_terminal_as_it_was(
    served: Served, open_app: OpenApp, tmp_path: Path, ending: str, code: int
) -> None:
    rc = served.rc("ada")
    with open_app(rc) as first:
        leave(first)
    program = (
        f"import sys, narrowcast.cli.main as m\ndef main():\n    {ending}\n    return 0\nm.main = main\n"
    )
    program += "from narrowcast.cli.entry import main as entry\nsys.exit(entry())"
    command = [sys.executable, "-c", program, "--rc", str(rc)]
    with Terminal(command, env=home(tmp_path / "home-ada")) as broken:
        assert broken.wait_end() == code
        assert b"saved" in broken.output
        assert broken.left_clean() == []
        if "raise" in ending:
            assert "this must be read" in broken.text
