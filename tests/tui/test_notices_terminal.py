"""Notifications and titles as the terminal and the notification command receive them: the exact bytes."""

from __future__ import annotations

import asyncio
import base64
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast.terminal.notifications import (
    RESTORE_TITLE,
    SAVE_TITLE,
    CommandRunner,
    Popup,
    arguments_of,
    can_have_title,
    check_command,
    choose,
    popup_sequence,
    title_sequence,
)
from narrowcast.terminal.terminal_filter import TerminalFilter, are_notices, is_allowed
from support.sessions import until

TMUX = {"TMUX": "/tmp/tmux-0/default,1,0"}


def test_each_kind_of_notification_is_written_in_the_form_that_its_terminals_read() -> None:
    def written(way: Popup, **more: object) -> str:
        return popup_sequence(way, "Bruno in #general", "soup", number=3, **more)  # type: ignore[arg-type]

    title, body = (base64.b64encode(text).decode() for text in (b"Bruno in #general", b"soup"))
    assert written(Popup.OFF) == ""
    assert written(Popup.OSC9) == "\x1b]9;Bruno in #general: soup\x1b\\"
    assert written(Popup.OSC777) == "\x1b]777;notify;Bruno in #general;soup\x1b\\"
    assert written(Popup.OSC99) == (
        f"\x1b]99;i=narrowcast-3:e=1:d=0:a=focus:p=title;{title}\x1b\\"
        f"\x1b]99;i=narrowcast-3:e=1:d=1:p=body;{body}\x1b\\"
    )
    assert written(Popup.OSC9, passthrough=TMUX) == (
        "\x1bPtmux;\x1b\x1b]9;Bruno in #general: soup\x1b\x1b\\\x1b\\"
    )
    assert written(Popup.OSC9, passthrough={"STY": "1.a"}) == "\x1bP\x1b]9;Bruno in #general: soup\x07\x1b\\"
    assert written(Popup.OSC9, passthrough={}) == written(Popup.OSC9)


@given(st.text(max_size=400), st.text(max_size=400), st.sampled_from([{}, TMUX, {"STY": "1"}]))
def test_no_text_can_turn_a_notification_into_another_sequence(
    title: str, body: str, environment: dict[str, str]
) -> None:
    for way in (Popup.OSC9, Popup.OSC777, Popup.OSC99):
        sequence = popup_sequence(way, title, body, number=1, passthrough=environment)
        assert are_notices(sequence)
        assert len(sequence) < 5000
    assert is_allowed(title_sequence(title))


@pytest.mark.parametrize(
    "sequence",
    [
        "",
        "\x07",
        "text",
        "\x1b]9;4;1;50\x1b\\",
        "\x1b]9;4\x1b\\",
        "\x1b]52;c;eA==\x1b\\",
        "\x1b]9;a\x1b\\text",
        "\x1b]9;a\x1b\\\x1b[2J",
        "\x1b]777;precmd\x1b\\",
        "\x1b]777;notify;a\nb;c\x1b\\",
        "\x1bPtmux;\x1b\x1b]52;c;eA==\x1b\x1b\\\x1b\\",
        "\x1bPtmux;\x1b\x1b]9;a\x1b\x1b\\\x1b\\\x1b[2J",
        "\x1bP\x1b]52;c;eA==\x07\x1b\\",
    ],
)
def test_nothing_else_passes_as_a_notice(sequence: str) -> None:
    assert not are_notices(sequence)


@pytest.mark.parametrize("way", [Popup.OSC9, Popup.OSC777, Popup.OSC99])
def test_no_widget_can_write_a_notice(way: Popup) -> None:
    assert TerminalFilter()(popup_sequence(way, "a", "b", number=1)) == ""


def test_titles_pass_and_come_back() -> None:
    gate = TerminalFilter()
    assert gate(SAVE_TITLE + title_sequence("(3 @1) Acme")) == "\x1b[22;2t\x1b]2;(3 @1) Acme\x07"
    assert gate(RESTORE_TITLE) == RESTORE_TITLE


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"TERM": "xterm-kitty"}, Popup.OSC99),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, Popup.OSC99),
        ({"TERM": "foot"}, Popup.OSC99),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, Popup.OSC777),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, Popup.OSC777),
        ({"TERM": "rxvt-unicode-256color"}, Popup.OSC777),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, Popup.OSC9),
        ({"TERM": "xterm-256color"}, Popup.OFF),
        ({"TERM": "linux"}, Popup.OFF),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1", **TMUX}, Popup.OFF),
        ({"TERM": "screen", "STY": "1.a"}, Popup.OFF),
        ({}, Popup.OFF),
    ],
)
def test_only_terminals_that_are_known_to_show_notices_are_asked(
    environment: dict[str, str], way: Popup
) -> None:
    assert choose("auto", environment).way is way
    assert choose("osc9", environment).way is Popup.OSC9
    assert choose("off", environment).way is Popup.OFF


def test_in_a_multiplexer_the_terminal_outside_is_asked_only_if_one_says_so() -> None:
    environment = {"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1", **TMUX}
    assert choose("auto", environment, passthrough=True).way is Popup.OSC99
    assert "passthrough" in choose("auto", environment).why


@pytest.mark.parametrize("term", ["linux", "dumb", "vt220", "", "emacs"])
def test_the_plainest_terminals_get_no_title(term: str) -> None:
    assert not can_have_title({"TERM": term})
    assert can_have_title({"TERM": "xterm-256color"})


VALUES = {
    "title": "Bruno",
    "body": "-u critical",
    "sender": "--help",
    "place": "",
    "reason": "direct",
    "count": "1",
}


def test_placeholders_are_filled_in_and_message_text_cannot_become_an_option() -> None:
    command = [
        "notify-send",
        "--app-name=Narrowcast",
        "{title}",
        "{body}",
        "{sender}",
        "-x{body}",
        "a {place} b",
    ]
    assert arguments_of(command, VALUES) == [
        "notify-send",
        "--app-name=Narrowcast",
        "Bruno",
        " -u critical",
        " --help",
        "-x-u critical",
        "a  b",
    ]


def test_placeholders_within_inserted_values_are_not_replaced() -> None:
    assert arguments_of(["p", "{title}"], {**VALUES, "title": "{body} $(reboot) `x`"}) == [
        "p",
        "{body} $(reboot) `x`",
    ]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ([""], "empty"),
        (["{title}"], "cannot be a placeholder"),
        (["a", "{text}"], "{text} is not a placeholder"),
        (["a", "b\0"], "null"),
    ],
)
def test_an_invalid_notification_command_is_rejected(command: list[str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_command(command)


class Started:
    """Records the programs that this process starts: how many starts have begun, and the processes started so
    far.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = 0
        self.processes: list[asyncio.subprocess.Process] = []
        self._start = asyncio.create_subprocess_exec
        monkeypatch.setattr(asyncio, "create_subprocess_exec", self._noted)

    async def _noted(self, program: str, *arguments: str, **options: Any) -> asyncio.subprocess.Process:
        self.begun += 1
        process = await self._start(program, *arguments, **options)
        self.processes.append(process)
        return process

    async def all(self) -> list[asyncio.subprocess.Process]:
        """All processes, once at least one has started and no start is pending."""
        await until(lambda: 0 < self.begun == len(self.processes))
        return self.processes


WITHOUT_END = ["sleep", "60"]


async def test_a_command_is_run_without_a_shell(tmp_path: Path) -> None:
    target = tmp_path / "said"
    code = f"import sys; open({str(target)!r}, 'a').write(repr(sys.argv[1:]) + '\\n')"
    runner = CommandRunner([sys.executable, "-c", code, "{title}", "{body}"])
    runner.start({**VALUES, "title": "a; touch /tmp/x && $(b)"})
    await until(lambda: target.exists() and target.read_text().endswith("\n"))
    assert target.read_text() == "['a; touch /tmp/x && $(b)', ' -u critical']\n"
    await runner.close()


async def test_of_many_commands_four_run_until_they_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started, slow = Started(monkeypatch), CommandRunner(WITHOUT_END)
    for _ in range(20):
        slow.start(VALUES)
    processes = await started.all()
    await slow.close()
    assert [process.returncode for process in processes] == [-signal.SIGKILL] * 4


async def test_a_command_that_takes_too_long_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("narrowcast.terminal.notifications.PATIENCE", 0.05)
    started, slow = Started(monkeypatch), CommandRunner(WITHOUT_END)
    slow.start(VALUES)
    (process,) = await started.all()
    await until(lambda: process.returncode == -signal.SIGKILL)
    assert "took longer" in caplog.text
    await slow.close()


async def test_a_missing_command_is_reported_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    runner = CommandRunner(["narrowcast-no-such-program", "{title}"])
    runner.start(VALUES)
    await until(lambda: "is not there" in caplog.text)
