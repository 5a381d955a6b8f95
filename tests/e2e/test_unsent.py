"""Quitting with unsent messages: the app asks; a background process sends them when the server is back."""

from __future__ import annotations

import json
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
from support.server import serving
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .calling import call
from .switching import go


def open_app(rc: Path, folder: Path) -> Terminal:
    return Terminal(narrowcast("--rc", str(rc)), env=home(folder), ready=True)


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


def allow_direct_messages(rc: Path, group: str) -> None:
    """Lets only the members of a system group write direct messages."""
    account = Account.from_zuliprc(rc)
    groups = call(account, "GET", "/user_groups")["user_groups"]
    number = next(one["id"] for one in groups if one["name"] == group)
    call(account, "PATCH", "/realm", direct_message_permission_group=json.dumps({"new": number}))


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


@pytest.mark.task("Search without a network")
@pytest.mark.task("See unsent messages")
@pytest.mark.task("Resend or cancel a message that failed")
def test_what_is_written_offline_is_listed_canceled_and_resent_after_the_server_has_refused_it(
    offline: tuple[Terminal, Path, Path, int], tmp_path: Path
) -> None:
    terminal, data, rc, port = offline
    terminal.press("escape")
    terminal.wait_gone("Esc back")
    terminal.press("/")
    terminal.wait_for("Not connected: only cached messages are searched")
    terminal.type("from:greta")
    terminal.wait_for(r"[1-9]\d* cached messages?")
    terminal.press("enter")
    terminal.wait_for(r"╭─ Cached messages")
    terminal.press("escape")
    terminal.wait_gone(r"╭─ Cached messages")
    terminal.press("B")
    terminal.wait_for("╭─ Outbox")
    terminal.wait_for(r"(?s)written on the train.*Waiting for the connection")
    terminal.press("escape")
    terminal.wait_gone("╭─ Outbox")
    terminal.press("f9")
    terminal.wait_for("Canceled. The text is back in the compose box")
    terminal.press("enter")
    terminal.wait_until(
        lambda: holds(tmp_path / "home", "written on the train"), "the message in the journal"
    )
    with serving(data):
        allow_direct_messages(rc, "role:nobody")
    with serving(data, port):
        terminal.wait_for("● live")
        terminal.press("escape")
        terminal.wait_gone("Esc back")
        terminal.press("B")
        terminal.wait_for("Failed to send")
        terminal.press("escape")
        terminal.wait_gone("╭─ Outbox")
        assert written(rc, "written on the train") == 0
        allow_direct_messages(rc, "role:everyone")
        terminal.press("f8")
        terminal.wait_until(lambda: written(rc, "written on the train") == 1, "the message is sent")


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
