"""However the app ends, the terminal is left clean, and what was written is there at the next start."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from support.terminal import Terminal, home, narrowcast

from .conftest import OpenApp, Served
from .switching import go

WORDS = "half a thought about the heater ring"


def write_half(terminal: Terminal) -> None:
    """Leaves an unsent draft in a topic."""
    go(terminal, "quick start", "#design › quick start card")
    terminal.settle()
    terminal.press("c")
    terminal.type(WORDS)
    terminal.wait_for(WORDS)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_leaves_the_terminal_clean_and_the_draft_comes_back(
    served: Served, open_app: OpenApp, number: signal.Signals
) -> None:
    with open_app(served.rc("ada")) as terminal:
        write_half(terminal)
        terminal.signal(number)
        assert terminal.wait_end() == 128 + number
        assert terminal.left_clean() == []
    again = open_app(served.rc("ada"))
    again.wait_for(WORDS)


def test_a_vanished_terminal_ends_the_app_and_the_draft_comes_back(served: Served, open_app: OpenApp) -> None:
    terminal = open_app(served.rc("ada"))
    write_half(terminal)
    terminal.hang_up()
    assert terminal.wait_end() == 128 + signal.SIGHUP
    open_app(served.rc("ada")).wait_for(WORDS)


def test_a_continue_signal_during_quitting_does_not_keep_the_app_open(
    served: Served, open_app: OpenApp
) -> None:
    terminal = open_app(served.rc("ada"))
    terminal.settle()
    terminal.hang_up()
    for _ in range(100):  # 0.05 s each
        with suppress(subprocess.TimeoutExpired):
            terminal.process.wait(0.05)
            break
        terminal.signal(signal.SIGCONT)
    assert terminal.wait_end() == 128 + signal.SIGHUP


def test_kill_9_a_second_after_the_last_key_loses_nothing(served: Served, open_app: OpenApp) -> None:
    terminal = open_app(served.rc("ada"))
    write_half(terminal)
    terminal.settle(quiet=1.0)
    terminal.kill()
    open_app(served.rc("ada")).wait_for(WORDS)


def test_quitting_leaves_the_terminal_clean(served: Served, open_app: OpenApp) -> None:
    terminal = open_app(served.rc("ada"))
    terminal.press("ctrl+q")
    assert terminal.wait_end() == 0
    assert terminal.left_clean() == []


def test_a_terminal_that_reads_late_is_left_clean_too(served: Served, open_app: OpenApp) -> None:
    terminal = open_app(served.rc("ada"))
    terminal.settle()
    terminal.send(b"\x1b[17~" * 12)  # each theme redraws the whole screen, and nothing reads the output
    terminal.press("ctrl+q")
    with pytest.raises(subprocess.TimeoutExpired):
        terminal.process.wait(4)
    assert terminal.wait_end() == 0
    assert terminal.left_clean() == []


def test_stopping_and_continuing_gives_the_terminal_back_and_takes_it_again(
    served: Served, open_app: OpenApp
) -> None:
    terminal = open_app(served.rc("ada"))
    terminal.settle()
    terminal.signal(signal.SIGTSTP)
    terminal.wait_stopped()
    assert b"\x1b[?1049l" in terminal.output
    terminal.output.clear()
    terminal.signal(signal.SIGCONT)
    terminal.wait_until(lambda: b"\x1b[?1049h" in terminal.output, "the alternate screen is taken again")
    terminal.wait_for("● live")


def test_continue_signals_in_quick_succession_leave_the_app_reading_keys(
    served: Served, open_app: OpenApp
) -> None:
    terminal = open_app(served.rc("ada"))
    terminal.settle()
    for _ in range(10):
        terminal.signal(signal.SIGTSTP)
        terminal.wait_stopped()
        terminal.output.clear()
        for _ in range(40):  # in about 50 ms
            terminal.signal(signal.SIGCONT)
            terminal.pump(0.001)
        terminal.wait_until(lambda: b"\x1b[?1049h" in terminal.output, "the alternate screen is taken again")
    terminal.settle(quiet=1.0)  # keys that are pressed while the terminal is taken again are discarded
    terminal.press("ctrl+q")
    assert terminal.wait_end() == 0, bytes(terminal.output[-2000:])
    assert terminal.left_clean() == []


@pytest.mark.parametrize(("kind", "named"), [("dumb", "TERM=dumb"), ("", "TERM is not set")])
def test_a_dumb_terminal_is_refused_with_one_line(served: Served, kind: str, named: str) -> None:
    environment = {**home(served.data / "dumb"), "TERM": kind}
    with Terminal(narrowcast("--rc", str(served.rc("ada"))), env=environment) as terminal:
        assert terminal.wait_end() == 2
        assert named in terminal.text
        assert b"\x1b" not in terminal.output


WITH_A_FAULT = """
import sys
from narrowcast.app.app import NarrowcastApp
from narrowcast.cli.entry import main

def fail(app):
    raise LookupError

NarrowcastApp.action_app_help = fail
sys.exit(main())
"""


def test_an_internal_error_leaves_the_terminal_clean_and_says_where_its_details_are(tmp_path: Path) -> None:
    with Terminal([sys.executable, "-c", WITH_A_FAULT], env=home(tmp_path)) as terminal:
        terminal.wait_for("Try the demo")
        terminal.settle()
        terminal.send(b"\x1bOP")  # F1
        assert terminal.wait_end() == 1
        assert "internal error (LookupError); your drafts are saved" in terminal.text
        assert terminal.left_clean() == []
