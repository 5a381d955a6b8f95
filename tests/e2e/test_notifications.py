"""Bytes on a real terminal: bell, pop-ups, the command, setting and resetting the title, focus, quiet."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .calling import call
from .conftest import Served
from .switching import go

BLUR, FOCUS = b"\x1b[O", b"\x1b[I"
BELL = b"\x07"
Open = Callable[..., Terminal]


def write_to(reader: Account, writer: Account, text: str) -> None:
    """Sends a direct message."""
    me = call(reader, "GET", "/users/me")["user_id"]
    call(writer, "POST", "/messages", type="direct", to=f"[{me}]", content=text)


@pytest.fixture
def open_with(served: Served, tmp_path: Path) -> Iterator[Open]:
    """Opens Ada's app with a configuration and an environment."""
    with ExitStack() as stack:

        def start(config: str = "", **environment: str) -> Terminal:
            folder = tmp_path / "home-ada"
            (folder / "config" / "narrowcast").mkdir(parents=True)
            (folder / "config" / "narrowcast" / "config.toml").write_text(config)
            env = {**home(folder), **environment}
            command = narrowcast("--rc", str(served.rc("ada")))
            # Libraries read some variables when they are imported.
            terminal = stack.enter_context(Terminal(command, env=env, ready=not environment))
            terminal.wait_for(r"● live", PATIENCE)
            terminal.settle()
            return terminal

        yield start


def people(served: Served) -> tuple[Account, Account]:
    return Account.from_zuliprc(served.rc("ada")), Account.from_zuliprc(served.rc("greta"))


def all_is_read(reader: Account, writer: Account) -> bool:
    """Whether there is no unread direct message on the server."""
    narrow = json.dumps([["dm", writer.email], ["is", "unread"]])
    query = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}
    return not call(reader, "GET", "/messages", **query)["messages"]


def wait_for_bytes(terminal: Terminal, wanted: bytes, since: int = 0) -> None:
    terminal.wait_until(lambda: wanted in terminal.output[since:], repr(wanted))


@pytest.mark.parametrize(
    ("config", "environment", "sequence"),
    [
        ('popup = "osc9"', {}, b"\x1b]9;Greta Lindqvist: The mast is up\x1b\\"),
        ('popup = "osc777"', {}, b"\x1b]777;notify;Greta Lindqvist;The mast is up\x1b\\"),
        (
            'popup = "osc99"',
            {},
            b"\x1b]99;i=narrowcast-1:e=1:d=1:p=body;" + base64.b64encode(b"The mast is up") + b"\x1b\\",
        ),
        ("", {"TERM_PROGRAM": "iTerm.app"}, b"\x1b]9;Greta Lindqvist: The mast is up\x1b\\"),
        (
            'popup = "osc9"\npassthrough = true',
            {"TMUX": "/nowhere,1,0"},
            b"\x1bPtmux;\x1b\x1b]9;Greta Lindqvist: The mast is up\x1b\x1b\\\x1b\\",
        ),
    ],
    ids=["osc 9", "osc 777", "osc 99", "by itself", "through tmux"],
)
def test_a_message_pops_up_and_rings_while_the_terminal_has_no_focus(
    served: Served, open_with: Open, config: str, environment: dict[str, str], sequence: bytes
) -> None:
    ada, greta = people(served)
    terminal = open_with(f"[notifications]\n{config}\n", **environment)
    terminal.send(BLUR)
    terminal.settle()
    before = len(terminal.output)
    write_to(ada, greta, "The mast is **up**")
    wait_for_bytes(terminal, sequence, before)
    wait_for_bytes(terminal, BELL, before)


@pytest.mark.parametrize(
    "config",
    ['popup = "off"\nsound = "off"', 'popup = "osc9"\nquiet = ["0-24"]'],
    ids=["switched off", "quiet hours"],
)
def test_nothing_pops_up_or_rings_where_notifications_are_off(
    served: Served, open_with: Open, config: str
) -> None:
    ada, greta = people(served)
    terminal = open_with(f"[notifications]\n{config}\ntitle = false\n")
    terminal.send(BLUR)
    before = len(terminal.output)
    write_to(ada, greta, "The mast is up")
    terminal.settle(2.0)
    assert BELL not in terminal.output[before:]
    assert b"\x1b]" not in terminal.output[before:]


def test_visible_messages_do_not_notify_while_focused_but_hidden_ones_do(
    served: Served, open_with: Open
) -> None:
    ada, greta = people(served)
    terminal = open_with('[notifications]\npopup = "osc9"\n')
    go(terminal, "Greta Lindqvist", r" Greta Lindqvist[^│]*$")
    terminal.send(BLUR + FOCUS)
    terminal.settle()
    before = len(terminal.output)
    write_to(ada, greta, "Seen at once")
    terminal.wait_for("Seen at once")
    terminal.wait_until(lambda: all_is_read(ada, greta), "what is on the screen is read")
    terminal.wait_gone(r"Greta Lindqvist +1\b(?!:)")
    terminal.send(BLUR)
    terminal.settle()
    write_to(ada, greta, "Not seen")
    wait_for_bytes(terminal, b"\x1b]9;Greta Lindqvist: Not seen\x1b\\", before)
    assert bytes(terminal.output[before:]).count(b"\x1b]9;") == 1


def test_the_command_gets_arguments_and_no_shell(served: Served, open_with: Open, tmp_path: Path) -> None:
    ada, greta = people(served)
    target = tmp_path / "said"
    program = tmp_path / "notify"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {target}\n')
    program.chmod(0o755)
    terminal = open_with(f'[notifications]\ncommand = ["{program}", "{{title}}", "{{body}}"]\n')
    terminal.send(BLUR)
    terminal.settle()
    write_to(ada, greta, "--evil $(touch /nowhere/x); `id`")
    terminal.wait_until(lambda: target.exists() and target.read_text().count("|") == 2, "the command")
    assert target.read_text() == "Greta Lindqvist| --evil $(touch /nowhere/x); id|"


def test_the_title_counts_and_is_given_back(served: Served, open_with: Open) -> None:
    ada, greta = people(served)
    terminal = open_with()
    wait_for_bytes(terminal, b"\x1b[22;2t\x1b]2;")
    terminal.send(BLUR)
    terminal.settle()
    before, mentions = len(terminal.output), _mentions(terminal)
    write_to(ada, greta, "hello @**Ada Moreno**")
    terminal.wait_until(lambda: _mentions(terminal) == mentions + 1, "one more mention in the title")
    terminal.press("ctrl+q")
    assert terminal.wait_end() == 0
    assert bytes(terminal.output).rfind(b"\x1b]2;\x1b\\\x1b[23;2t") > before
    assert terminal.left_clean() == []


def _mentions(terminal: Terminal) -> int:
    title = bytes(terminal.output).rpartition(b"\x1b]2;")[2].partition(b"\x07")[0].decode()
    found = re.match(r"\((?:\d+)?(?: ?@(\d+))?\)", title)
    return int(found[1] or 0) if found else 0


def test_plain_terminals_get_no_title(served: Served, open_with: Open) -> None:
    terminal = open_with(TERM="linux")
    terminal.press("ctrl+q")
    terminal.wait_end()
    for sequence in (b"\x1b]2;", b"\x1b[22;2t", b"\x1b[23;2t"):
        assert sequence not in terminal.output
