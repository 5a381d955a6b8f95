"""Text from servers, files and arguments is printed without terminal commands by the command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from attacks.hostile_server import Respond, Response, hostile_server, success
from narrowcast.cli.main import main
from support.terminal import home

SEQUENCES = {
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;ZXZpbA==\x1b\\",
    "colours": "\x1b[8;31m",
    "screen": "\x1b[2J\x1b[H",
    "answerback": "\x05\x1b[c",
    "device string": "\x1bP+q544e\x1b\\",
    "graphics": "\x1b_Ga=T;AAAA\x1b\\",
    "eight bits": "\x9b2J\x9d0;x\x9c",
    "overprinting": "right\rwrong\x08\x7f",
    "direction": "\u202egpj.exe\u202c\u2066\u2069\u200f\u061c",
    "hidden": "a\u200bb\ufeffc\u2060\u00ad\u3164\U000e0041",
    "breaks": "one\u2028two\u2029three\x0bfour\x0cfive\x85six",
}
ALL = "".join(SEQUENCES.values())
KINDS = pytest.mark.parametrize("text", SEQUENCES.values(), ids=SEQUENCES.keys())
COMMANDS = {
    "send": ("send", "--channel", "general", "--topic", "x", "hello"),
    "send to a person": ("send", "--to", "ada@example.com", "hello"),
    "read": ("read",),
    "read a person": ("read", "from:ada"),
    "search": ("search", "soup"),
    "export": ("export",),
    "doctor": ("doctor",),
}


def harmful(text: str) -> list[str]:
    """Characters of the text that must not be sent to a terminal, by their Unicode categories."""
    return [
        hex(ord(c))
        for c in text
        if (unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in "\n\t")
        or c in "\u115f\u1160\u3164\uffa0\ufe0f\u034f"
    ]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"secret\n")))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    try:
        code = main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def rc(folder: Path, site: str) -> str:
    path = folder / "zuliprc"
    path.write_text(f"[api]\nemail=me@example.com\nkey=abcdefghijklmnop\nsite={site}\n")
    path.chmod(0o600)
    return str(path)


def refusing(text: str, status: int = 400, code: str = "BAD_REQUEST") -> Respond:
    def respond(method: str, path: str) -> Response | None:
        if path == "/server_settings":
            return None
        return Response({"result": "error", "msg": f"no {text}", "code": code}, status)

    return respond


@KINDS
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_an_error_text_is_shown_without_escape_sequences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], text: str
) -> None:
    with hostile_server(refusing(text)) as server:
        code, shown = run(capsys, "--rc", rc(tmp_path, server.site), *command)
    assert code != 0
    assert "no " in shown
    assert harmful(shown) == []


@pytest.mark.parametrize(("status", "code"), [(401, "UNAUTHORIZED"), (403, ""), (404, "X"), (418, ALL)])
def test_escape_sequences_are_filtered_for_every_status_and_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int, code: str
) -> None:
    with hostile_server(refusing(ALL, status, code)) as server:
        _, shown = run(capsys, "--rc", rc(tmp_path, server.site), "read")
    assert "no " in shown
    assert harmful(shown) == []


@KINDS
def test_texts_of_an_untrusted_server_are_filtered_at_login(
    capsys: pytest.CaptureFixture[str], text: str
) -> None:
    def respond(method: str, path: str) -> Response | None:
        return Response({"result": "error", "msg": text, "code": ""}, 400)

    with hostile_server(respond) as server:
        code, shown = run(capsys, "login", server.site, "--email", "me@example.com")
    assert code != 0
    assert harmful(shown) == []


@KINDS
def test_errors_about_passwords_and_invitations_are_filtered(
    capsys: pytest.CaptureFixture[str], text: str
) -> None:
    with hostile_server(refusing(text, 401, "AUTHENTICATION_FAILED")) as server:
        _, shown = run(capsys, "login", server.site, "--email", "me@example.com")
        _, joined = run(
            capsys, "login", f"{server.site}/join/token", "--name", "Me", "--email", "me@example.com"
        )
    assert harmful(shown + joined) == []


def test_an_error_text_of_many_lines_cannot_imitate_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with hostile_server(refusing("\nnarrowcast: sent, message 7\n\n" + "x" * 100_000)) as server:
        _, shown = run(capsys, "--rc", rc(tmp_path, server.site), "read")
    assert shown.count("\n") == 1
    assert len(shown) < 2200


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_target_of_a_redirect_is_shown_without_escape_sequences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    def respond(method: str, path: str) -> Response | None:
        return Response(
            status=status, headers={"Location": f"https://elsewhere.example/{SEQUENCES['hidden']}"}
        )

    with hostile_server(respond) as server:
        _, shown = run(capsys, "--rc", rc(tmp_path, server.site), "read")
    assert harmful(shown) == []


def test_names_of_ignored_parameters_do_not_reach_the_terminal_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def respond(method: str, path: str) -> Response | None:
        return success(messages=[], found_oldest=True, ignored_parameters_unsupported=[ALL])

    with hostile_server(respond) as server:
        _, shown = run(capsys, "--rc", rc(tmp_path, server.site), "read")
    assert harmful(shown) == []


def message(text: str) -> dict[str, object]:
    return {
        "id": 1,
        "type": "stream",
        "stream_id": 1,
        "sender_id": 2,
        "sender_full_name": text,
        "sender_email": text,
        "display_recipient": text,
        "subject": text,
        "topic": text,
        "content": text,
        "content_type": "text/x-markdown",
        "timestamp": 1_700_000_000,
        "flags": [text],
        "reactions": [],
        "client": text,
        "recipient_id": 3,
        "avatar_url": None,
        "is_me_message": False,
        "submessages": [],
        "topic_links": [],
        "last_edit_timestamp": 0,
        "sender_realm_str": "",
    }


@pytest.mark.parametrize(
    "command",
    [
        ("read",),
        ("search", "x"),
        ("read", "--json"),
        ("search", "x", "--json"),
        *(("export", "--format", name) for name in ("jsonl", "markdown", "text")),
    ],
    ids=" ".join,
)
@KINDS
def test_messages_are_shown_without_escape_sequences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], text: str
) -> None:
    def respond(method: str, path: str) -> Response | None:
        return success(messages=[message(text)], found_oldest=True) if path == "/messages" else None

    with hostile_server(respond) as server:
        code, shown = run(capsys, "--rc", rc(tmp_path, server.site), *command)
    assert code == 0
    assert harmful(shown) == []
    if "--json" in command or "jsonl" in command:
        assert json.loads(shown)["content"] == text  # escaped without loss


def test_doctor_shows_a_hostile_name_and_version_filtered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def respond(method: str, path: str) -> Response | None:
        if path == "/server_settings":
            return success(zulip_version=ALL, zulip_feature_level=400)
        return success(user_id=1, email=ALL, full_name=ALL, is_admin=False, is_bot=False, role=400)

    with hostile_server(respond) as server:
        for more in ((), ("--json",)):
            _, shown = run(capsys, "--rc", rc(tmp_path, server.site), "doctor", *more)
            assert harmful(shown) == []


@pytest.mark.parametrize(
    "arguments",
    [
        (ALL,),
        ("read", f"--{ALL}"),
        ("read", "--limit", ALL),
        ("serve", "--port", ALL),
        ("serve", "--dialect", ALL),
        ("--rc", f"/nowhere/{ALL}".replace("/", "\u2215"), "read"),
        ("--account", ALL, "read"),
        ("export", "--format", ALL),
        ("login", f"http://{ALL}"),
        ("login", ALL),
        ("demo", ALL),
    ],
    ids=lambda arguments: arguments[0][:6] + str(len(arguments)) if arguments[0] != ALL else "command",
)
def test_arguments_are_quoted_without_escape_sequences(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, shown = run(capsys, *arguments)
    assert code == 2
    assert shown.startswith("narrowcast: ")
    assert harmful(shown) == []


@KINDS
def test_file_names_and_configurations_are_shown_filtered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    strange = tmp_path / f"x{text.replace('/', '')}"
    strange.write_text("[api]\nkey=x\n")
    _, shown = run(capsys, "--rc", str(strange), "read")
    assert harmful(shown) == []
    config = tmp_path / "config" / "narrowcast"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config.parent))
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(f"{json.dumps(text)} = 1\n".replace("\x7f", ""))
    _, shown = run(capsys, "doctor", "--offline")
    assert harmful(shown) == []
    _, shown = run(capsys, "read")
    assert harmful(shown) == []


STATEMENTS = (
    "raise RuntimeError(text)",
    "raise ExceptionGroup(text, [ValueError(text)])",
    "import warnings; warnings.warn(text)",
    "import logging; logging.getLogger('x').warning(text)",
    "import logging; logging.getLogger('x').error('%s', text)",
    "print(text)",
    "import sys; print(text, file=sys.stderr)",
    "import sys; sys.stderr.writelines([text])",
)
_DEFECTS = """
import json, os, sys
from narrowcast.cli import open_app
from narrowcast.cli.main import main

folder, text, statements = json.load(sys.stdin)
for number, statement in enumerate(statements):
    # In a copy of this process, since the imports take longer than all else.
    if os.fork() == 0:
        shown = os.open(os.path.join(folder, str(number)), os.O_WRONLY | os.O_CREAT)
        for stream in (1, 2):
            os.dup2(shown, stream)
        def run(args):
            exec(statement)
            return 0
        open_app.run = run
        sys.exit(main([]))
    os.wait()
"""


@pytest.fixture(scope="module")
def shown_by(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is shown if the app does this in place of running, by the statement."""
    folder = tmp_path_factory.mktemp("defects")
    subprocess.run(
        [sys.executable, "-c", _DEFECTS],
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **home(folder)},
        input=json.dumps([str(folder), ALL, STATEMENTS]).encode(),
        timeout=60,
        check=True,
    )
    return {
        statement: (folder / str(number)).read_bytes().decode() for number, statement in enumerate(STATEMENTS)
    }


@pytest.mark.parametrize("statement", STATEMENTS)
def test_internal_errors_warnings_and_output_of_libraries_are_filtered_too(
    shown_by: dict[str, str], statement: str
) -> None:
    assert "owned" in shown_by[statement]
    assert harmful(shown_by[statement]) == []


def test_the_filter_works_with_any_encoding_of_the_output(tmp_path: Path) -> None:
    for environment in ({"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}):
        outcome = subprocess.run(
            [sys.executable, "-m", "narrowcast", ALL.encode("utf-8", "surrogateescape")],
            env={"PATH": os.environ["PATH"], **home(tmp_path), **environment},
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert outcome.returncode == 2
        assert not set(outcome.stderr) & ({*range(32), 127, *range(0x80, 0xA0)} - {10})
