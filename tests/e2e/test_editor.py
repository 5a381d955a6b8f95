"""Writing in an external editor."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.terminal import PATIENCE, Terminal, home, narrowcast

from .conftest import Served


@contextmanager
def opening_editor(served: Served, folder: Path, script: str, shell: str = "/bin/sh") -> Iterator[Terminal]:
    """The app writing to Hugo in an editor, which is a script that `shell` runs; asserts that no file of the
    editor is left over.
    """
    editor = folder / "test-editor"  # found by its name, because a long path wraps notices within their words
    editor.write_text(f"#!{shell}\n{script}")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    files = folder / "files"
    files.mkdir()
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    env = {**home(folder / "home"), "EDITOR": editor.name, "PATH": path, "TMPDIR": str(files)}
    with Terminal(narrowcast("--rc", str(served.rc("greta"))), env=env, ready=True) as terminal:
        terminal.wait_for("● live")
        terminal.settle()
        terminal.press("x")
        terminal.type("Hugo Park")
        terminal.press("tab", "tab")
        terminal.settle()
        terminal.press("ctrl+o")
        yield terminal
    assert [path.name for path in files.iterdir()] == []


@contextmanager
def in_editor(served: Served, folder: Path, script: str, shell: str = "/bin/sh") -> Iterator[Terminal]:
    """As `opening_editor`, then quits the app and asserts a clean terminal."""
    with opening_editor(served, folder, script, shell) as terminal:
        yield terminal
        terminal.press("ctrl+q")
        terminal.wait_end()
        assert terminal.left_clean() == []


@pytest.mark.task("Write in your editor")
def test_text_from_the_editor_is_in_compose(served: Served, tmp_path: Path) -> None:
    script = 'printf "written\\noutside" > "$1"\nstty raw -echo\n'
    with in_editor(served, tmp_path, script) as terminal:
        terminal.wait_for("outside")
        terminal.wait_for("written")


def test_the_saved_text_of_a_killed_editor_is_used_and_no_file_is_left(
    served: Served, tmp_path: Path
) -> None:
    script = 'printf "saved in time" > "$1"\ntouch "$(dirname "$1")/.swap"\nkill -9 $$\n'
    with in_editor(served, tmp_path, script) as terminal:
        terminal.wait_for("saved in time")


def test_a_signal_ends_the_app_while_an_editor_writes_and_nobody_reads_the_terminal(
    served: Served, tmp_path: Path
) -> None:
    script = "trap '' TERM\nwhile echo and so on and so on and so on; do :; done\n"
    with opening_editor(served, tmp_path, script) as terminal:
        terminal.wait_for("and so on")
        terminal.signal(signal.SIGTERM)
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGTERM


def test_the_app_takes_the_terminal_back_from_an_editor_that_cannot_be_started(
    served: Served, tmp_path: Path
) -> None:
    with in_editor(served, tmp_path, "", shell="/missing/sh") as terminal:
        terminal.wait_for(r"cannot be started: No such file")
        terminal.type("still here")
        terminal.wait_for("still here")


def test_an_editor_that_fails_is_reported_when_the_app_is_back(served: Served, tmp_path: Path) -> None:
    with in_editor(served, tmp_path, "exit 3\n") as terminal:
        terminal.wait_for("The editor failed with status 3. The text is unchanged.")
