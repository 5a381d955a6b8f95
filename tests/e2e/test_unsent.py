"""Quitting with unsent messages: the app asks; a background process sends them when the server is back."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from support.journals import holds
from support.processes import wait_until
from support.server_threads import serving
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .switching import go
from .test_notifications import call


def open_app(rc: Path, folder: Path) -> Terminal:
    return Terminal(narrowcast("--rc", str(rc)), env=home(folder))


def senders(rc: Path) -> list[int]:
    """Ids of the background processes that send for an account."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            if b"outbox" in words and str(rc).encode() in words:
                found.append(int(name))
    return found


def written(rc: Path, text: str) -> int:
    query = {"anchor": "newest", "num_before": 50, "num_after": 0, "apply_markdown": "false"}
    messages = call(Account.from_zuliprc(rc), "GET", "/messages", **query)["messages"]
    assert isinstance(messages, list)
    return sum(message["content"] == text for message in messages)


@contextmanager
def app_offline(data: Path, tmp_path: Path, rc: Path) -> Iterator[tuple[Terminal, int]]:
    """A live app that lost its server and has a pending message; and the server's port."""
    with ExitStack() as stack:
        with serving(data) as url:
            terminal = stack.enter_context(open_app(rc, tmp_path / "home"))
            terminal.wait_for(r"● live", PATIENCE)
            go(terminal, "Greta Lindqvist", r" Greta Lindqvist[^│]*$")
            terminal.settle()
        terminal.wait_gone(r"● live")
        terminal.press("r", "ctrl+e", "ctrl+u")
        terminal.type("written on the train")
        terminal.press("enter")
        home_folder = tmp_path / "home"
        terminal.wait_until(lambda: holds(home_folder, "written on the train"), "the message in the journal")
        terminal.settle()
        yield terminal, int(url.rpartition(":")[2])


@pytest.fixture
def offline(tmp_path: Path, demo_world: Path) -> Iterator[tuple[Terminal, Path, Path, int]]:
    data = tmp_path / "server"
    shutil.copytree(demo_world, data)
    rc = data / "accounts" / "ada.zuliprc"
    with app_offline(data, tmp_path, rc) as (terminal, port):
        try:
            yield terminal, data, rc, port
        finally:
            for pid in senders(rc):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def test_unsent_messages_are_sent_once_in_the_background_while_the_app_can_be_reopened(
    offline: tuple[Terminal, Path, Path, int], tmp_path: Path
) -> None:
    terminal, data, rc, port = offline
    terminal.press("ctrl+q")
    terminal.wait_for("A message is not sent yet")
    terminal.press("enter")
    assert terminal.wait_end() == 0
    assert terminal.left_clean() == []
    assert len(senders(rc)) == 1
    with open_app(rc, tmp_path / "home") as again:
        again.wait_for("Combined feed|Greta", PATIENCE)
        again.settle(1.0)
        assert "account is open" not in again.text
        again.press("ctrl+q")
        again.wait_for("A message is not sent yet")
        again.press("down", "enter")
        assert again.wait_end() == 0
    doctor = subprocess.run(
        narrowcast("doctor", "--offline", "--rc", str(rc)),
        env={"PATH": "/usr/bin:/bin", "TERM": "xterm", **home(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"1 waiting to be sent, 0 failed; process \d+ sends them", doctor.stdout), doctor.stdout
    with serving(data, port):
        wait_until(lambda: not senders(rc), "the end of the process in the background", 60)
        assert written(rc, "written on the train") == 1


def test_the_user_can_cancel_quitting_and_asking_twice_quits_at_once(
    offline: tuple[Terminal, Path, Path, int],
) -> None:
    terminal, _, rc, _ = offline
    terminal.press("ctrl+q")
    terminal.wait_for("A message is not sent yet")
    terminal.press("escape")
    terminal.wait_gone("A message is not sent yet")
    terminal.settle(6.0)
    terminal.press("ctrl+q")
    terminal.wait_for("A message is not sent yet")
    terminal.press("ctrl+q")
    assert terminal.wait_end() == 0
    assert senders(rc) == []
