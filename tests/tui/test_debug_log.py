"""`--debug FILE` and its key in the app, and `doctor` when a check fails."""

from __future__ import annotations

import json
import logging
import re
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from narrowcast.cli import doctor
from narrowcast.cli.main import main
from narrowcast.cli.records import Finding
from narrowcast.runtime.frames import Frames, Kinds
from narrowcast.terminal.logs import DebugLog, start_log
from narrowcast_api import debug_log
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.state.changes import MessagesAdded
from support.command_line import rc_of, run, running
from support.server import running_server
from support.sessions import until
from support.stage import on_stage

SECRET = "canary-secret"


@pytest.fixture
def debug(tmp_path: Path) -> Iterator[Path]:
    """The file of a debug log that is written during the test."""
    written = DebugLog(tmp_path / "debug.log", "test")
    yield written.path
    written.close()


def closed(file: Path) -> str:
    """The debug log, after everything is written."""
    assert DebugLog.current is not None
    DebugLog.current.close()
    return file.read_text()


async def test_commands_take_the_option_before_and_after_their_name(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        file = tmp_path / "debug.log"
        debug = ["--debug", str(file), "--rc", rc_of(server, tmp_path)]
        for words in (
            ["send", *debug, "--channel", "general", "--topic", "canary-topic", "canary-words"],
            [*debug, "read", "channel:general", "topic:canary-topic"],
            ["search", *debug, "canary-words"],
            [*debug, "doctor"],
        ):
            done = await run(tmp_path, *words)
            assert (done.code, done.err) == (0, ""), done
        text = file.read_text()
        key = server.account("ada").key.reveal()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for name in ("send", "read", "search", "doctor"):
        assert re.search(rf"\d\d:\d\d:\d\d,\d+ start {name} \d", text), name
    assert re.search(r"request POST /messages level=\d+ ms=[\d.]+ status=200", text)
    for secret in (key, "canary", "@demo"):
        assert secret not in text


async def test_the_server_notes_what_it_answers(tmp_path: Path) -> None:
    file = tmp_path / "debug.log"
    async with running(
        tmp_path, "serve", "--port", "0", "--data", str(tmp_path / "data"), "--debug", str(file)
    ) as process:
        assert process.stdout is not None
        url = (await process.stdout.readline()).split()[-1].decode()
        done = await run(tmp_path, "login", url, "--email", "canary@x.example", stdin=f"{SECRET}\n")
        assert done.code != 0
        process.terminate()
        _, errors = await process.communicate()
    assert b"served" not in errors
    text = file.read_text()
    assert re.search(r"served GET /server_settings 200 [\d.]+ ms", text)
    assert re.search(r"served POST /fetch_api_key 40\d ", text)
    assert SECRET not in text
    assert "canary" not in text


async def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    done = await run(tmp_path, "--debug", str(tmp_path / "none" / "debug.log"), "doctor", "--offline")
    assert done.code == 1
    assert re.fullmatch(r"narrowcast: .*debug\.log: No such file or directory\n", done.err)


def test_other_records_come_without_what_is_filled_in(debug: Path) -> None:
    log = logging.getLogger("narrowcast.test")
    try:
        raise NarrowcastError(SECRET)
    except NarrowcastError:
        log.exception("%s failed", SECRET)
    logging.getLogger("narrowcast.extension.own").error(SECRET)
    logging.getLogger("another.library").error(SECRET)
    text = closed(debug)
    assert "error narrowcast.test %s failed\n    NarrowcastError\n" in text
    assert re.search(r"test_debug_log\.py:\d+ test_other_records", text)
    assert SECRET not in text


def test_the_ordinary_log_has_no_steps_and_does_not_end_the_debug_log(debug: Path, tmp_path: Path) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        root.handlers = []
        assert start_log(tmp_path / "log" / "narrowcast.log")
        debug_log.note("step")
        assert " step\n" in closed(debug)
        assert (tmp_path / "log" / "narrowcast.log").read_text() == ""
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers = handlers
        root.setLevel(level)
        logging.captureWarnings(False)


async def test_the_key_turns_it_on_and_off(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "canary-topic", "canary-words")
        await stage.press("ctrl+f12")
        await stage.told("Debug log: on.")
        await stage.press("c")
        await stage.type("canary-reply")
        await stage.press("ctrl+p", "escape", "escape", "question_mark", "escape")
        await stage.server.send("bruno", "general", "canary-topic", "canary-again")
        feed = stage.screen.messages.list.feed
        assert feed is not None
        await until(lambda: len(feed.ids) > 1)
        await stage.press("ctrl+f12")
        await stage.told("Debug log: off.")
        (file,) = (path for path in stage.app.paths.state.glob("debug.log"))
        text = file.read_text()
        key = stage.server.account("ada").key.reveal()
    for part in ("command write.channel", "command app.palette", "command app.help", "event message id="):
        assert part in text, (part, text)
    for secret in (key, "canary", "@demo"):
        assert secret not in text
    assert DebugLog.current is None
    assert not debug_log.is_on()


async def test_the_key_goes_on_with_the_file_that_was_named(tmp_path: Path, debug: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+f12")
        await stage.told("Debug log: off.")
        assert "command app.palette" not in debug.read_text()
        await stage.press("ctrl+f12")
        await stage.told("Debug log: on.")
        await stage.press("ctrl+p", "escape", "ctrl+f12")
        await until(lambda: debug.read_text().count("command app.debug") == 2)
        assert "command app.palette" in debug.read_text()
        assert not list(stage.app.paths.state.glob("debug.log"))


def test_a_slow_frame_has_a_line_with_the_kinds_of_changes(
    debug: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    due: list[Callable[[], None]] = []

    class Timer:
        def stop(self) -> None: ...

    def later(_: float, call: Callable[[], None]) -> Timer:
        due.append(call)
        return Timer()

    def show(_: Kinds) -> None:
        nonlocal now
        now += 0.075

    frames = Frames(later, lambda: now)
    frames.subscribe([MessagesAdded], show)
    frames.note([MessagesAdded((1,))])
    due.pop()()
    assert " slow frame MessagesAdded ms=75.0\n" in closed(debug)


@pytest.mark.parametrize("check", ["_program", "_terminal", "_notifications", "_storage", "_outbox"])
def test_doctor_reports_a_check_that_fails_and_runs_the_others(
    check: str,
    debug: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("TERM", "xterm-256color")
    rc = tmp_path / "zuliprc"
    rc.write_text("[api]\nemail=ada@example.org\nkey=k\nsite=https://chat.example.org\n")
    rc.chmod(0o600)

    monkeypatch.setattr(logging.getLogger("narrowcast"), "propagate", False)  # to pytest's handler

    def broken(*_: object) -> Iterator[Finding]:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(doctor, check, broken)
    assert main(["doctor", "--rc", str(rc), "--offline", "--json"]) == 1
    output = capsys.readouterr()
    found = [json.loads(line) for line in output.out.splitlines()]
    assert any("unexpected error (ZeroDivisionError: by zero)" in one["text"] for one in found)
    assert {"configuration", "extensions"} <= {one["area"] for one in found}
    assert output.err == ""
    assert "ZeroDivisionError\n" in closed(debug)


async def test_doctor_explains_folders_that_cannot_be_read(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        assert (await run(tmp_path, "outbox", "--rc", rc)).code == 0
        (tmp_path / "data" / "narrowcast").rename(tmp_path / "moved")
        (tmp_path / "data" / "narrowcast").write_text("a file in the place of a folder")
        done = await run(tmp_path, "doctor", "--rc", rc)
    assert "Traceback" not in done.out + done.err, done.err
    assert done.code == 1


async def test_doctor_names_each_folder_that_cannot_be_made(tmp_path: Path) -> None:
    rc = tmp_path / "zuliprc"
    rc.write_text("[api]\nemail=ada@example.org\nkey=k\nsite=https://chat.example.org\n")
    rc.chmod(0o600)
    for name in ("state", "cache", "data"):
        (tmp_path / name).write_text("a file in the place of a folder")
    done = await run(tmp_path, "doctor", "--rc", str(rc), "--offline")
    assert done.code == 1
    log = tmp_path / "state" / "narrowcast" / "log" / "narrowcast.log"
    assert f"✗ log: {log}: {tmp_path / 'state'} is not a folder\n" in done.out
    assert f"✗ cache: {tmp_path / 'cache'} is not a folder\n" in done.out
    assert f"✗ journal: {tmp_path / 'data'} is not a folder\n" in done.out
