"""A pipe in the place of a file that the program reads: an error says so, and nothing waits for the pipe."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from narrowcast.app.import_settings import read_zuliprc
from narrowcast.config.config import ConfigError
from narrowcast.config.config_file import read
from narrowcast.config.config_load import load
from narrowcast.extensions.loading import run_file
from narrowcast.panes.compose.drafts import ComposeNote
from narrowcast.screens.main.side_by_side import SideNote
from narrowcast.terminal.logs import CHATTY, start_log
from narrowcast_api.account import Account, AccountError
from narrowcast_api.http.secret import Secret
from narrowcast_api.http.tls import shared_context

ACCOUNT = Account("https://chat.example.org", "ada@example.org", Secret("key"))


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path, 0o600)
    return path


@pytest.fixture
def _own_log() -> Iterator[None]:
    root = logging.getLogger()
    handlers = list(root.handlers)
    levels = {name: logging.getLogger(name).level for name in (None, *CHATTY)}
    root.handlers = []
    yield
    root.handlers = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(False)


@pytest.mark.parametrize(
    ("read", "error", "device"),
    [
        *((load, ConfigError, device) for device in (False, True)),
        *((read, ConfigError, device) for device in (False, True)),
        *((read_zuliprc, OSError, device) for device in (False, True)),
        *((shared_context, AccountError, device) for device in (False, True)),
        (run_file, OSError, False),  # devices belong to another user, and are refused for that
    ],
)
def test_what_is_no_regular_file_is_named_with_what_to_do(
    pipe: Path, read: Callable[[Path], object], error: type[Exception], device: bool
) -> None:
    path = Path(os.devnull) if device else pipe
    with pytest.raises(error, match="not a regular file; put a regular file in its place") as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_notes_in_pipes_are_missing_notes(pipe: Path) -> None:
    assert SideNote.read(pipe) is None
    assert ComposeNote(pipe).read() == []


@pytest.mark.usefixtures("_own_log")
def test_a_pipe_takes_no_log(pipe: Path) -> None:
    assert not start_log(pipe)


def test_a_pipe_without_a_writer_is_not_waited_for(pipe: Path) -> None:
    with pytest.raises(AccountError, match="nothing was written; put a zuliprc file in its place"):
        Account.from_zuliprc(pipe)


def test_an_account_is_read_from_the_pipe_of_a_program_that_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "rc"
    ACCOUNT.write_zuliprc(file)
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as out:
            out.write(file.read_bytes())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert Account.from_zuliprc(f"/dev/fd/{reading}") == ACCOUNT
    finally:
        writer.join()
        os.close(reading)
