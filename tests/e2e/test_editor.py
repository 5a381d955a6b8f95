"""Writing in an editor of one's own."""

from __future__ import annotations

import stat
from pathlib import Path

from support.terminal import Terminal, home, narrowcast

from .conftest import Served


def test_what_the_editor_wrote_stands_in_compose(served: Served, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "written\\noutside" > "$1"\nstty raw -echo\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    env = {**home(tmp_path / "home"), "EDITOR": str(editor)}
    with Terminal(narrowcast("--rc", str(served.rc("greta"))), env=env) as terminal:
        terminal.wait_for("● live")
        terminal.settle()
        terminal.press("x")
        terminal.type("Hugo Park")
        terminal.press("tab", "tab")
        terminal.settle()
        terminal.press("ctrl+o")
        terminal.wait_for("outside")
        assert "written" in terminal.text
        terminal.press("ctrl+q")
        terminal.wait_end()
        assert terminal.left_clean() == []


def test_of_an_editor_that_is_killed_the_saved_text_is_taken_and_no_file_stays(
    served: Served, tmp_path: Path
) -> None:
    editor, files = tmp_path / "editor", tmp_path / "files"
    files.mkdir()
    editor.write_text('#!/bin/sh\nprintf "saved in time" > "$1"\ntouch "$(dirname "$1")/.swap"\nkill -9 $$\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    env = {**home(tmp_path / "home"), "EDITOR": str(editor), "TMPDIR": str(files)}
    with Terminal(narrowcast("--rc", str(served.rc("greta"))), env=env) as terminal:
        terminal.wait_for("● live")
        terminal.settle()
        terminal.press("x")
        terminal.type("Hugo Park")
        terminal.press("tab", "tab")
        terminal.settle()
        terminal.press("ctrl+o")
        terminal.wait_for("saved in time")
        terminal.press("ctrl+q")
        terminal.wait_end()
    assert [path.name for path in files.iterdir()] == []
