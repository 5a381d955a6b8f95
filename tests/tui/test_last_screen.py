"""The saved screen: shown only for an identical start, from a file that is intact and the user's own."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pyte
import pytest
from rich.console import Console
from rich.style import Style

from narrowcast.terminal import last_screen, screen_store
from narrowcast.terminal.cell_runs import Cell
from narrowcast.terminal.paths import Paths

SIZE = (20, 3)
ARGUMENTS: list[str] = []


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    accounts = Paths.of_user().accounts
    accounts.mkdir(parents=True)
    (accounts / "ada.zuliprc").write_text("[api]\n")


def rows(text: str) -> dict[int, list[Cell]]:
    """A screen with ``text`` in its first row, in two styles, with a wide and a combining character."""
    bold = Style(bold=True, color="#aabbcc")
    first: list[Cell] = [(character, bold) for character in text.ljust(16)[:16]]
    first += [("字", None), ("", None), ("e\u0301", None), (" ", None)]
    blank: list[Cell] = [(" ", None)] * SIZE[0]
    return {0: first, 1: list(blank), 2: list(blank)}


def keep(text: str = "hello", size: tuple[int, int] = SIZE) -> Path:
    """Saves a screen for a start without arguments and returns its file."""
    console = Console(file=StringIO(), force_terminal=True, color_system="truecolor", width=SIZE[0])
    screen_store.keep(ARGUMENTS, size, rows(text), console, "as it was")
    return Path(last_screen.path_for(ARGUMENTS))


def found(size: tuple[int, int] = SIZE) -> bytes | None:
    """What a start would show from the file."""
    wanted = last_screen.signature(ARGUMENTS, size)
    assert wanted is not None
    return last_screen.read(last_screen.path_for(ARGUMENTS), wanted)


def test_what_was_kept_is_painted() -> None:
    file = keep()
    assert file.stat().st_mode & 0o777 == 0o600
    paint = found()
    assert paint is not None
    screen = pyte.Screen(*SIZE)
    pyte.Stream(screen).feed(paint.decode())
    first, second, last = screen.display
    assert first == f"{'hello':16}字é "
    assert (second.strip(), last.strip()) == ("", "as it was")
    assert screen.buffer[0][0].bold


def test_a_screen_of_another_format_is_ignored() -> None:
    file = keep()
    file.write_bytes(file.read_bytes().replace(b"last screen 2", b"last screen 1"))
    assert found() is None


def test_the_folders_are_those_of_the_app() -> None:
    assert Path(last_screen.cache_folder()) == Paths.of_user().cache
    assert Path(last_screen.config_folder()) == Paths.of_user().config


@pytest.mark.parametrize("variable", ["TERM", "COLORTERM", "NO_COLOR", "LANG"])
def test_another_terminal_is_not_shown_it(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep()
    monkeypatch.setenv(variable, "something-else")
    assert found() is None


def test_another_size_is_not_shown_it() -> None:
    keep()
    assert found((21, 3)) is None


def test_changed_accounts_or_configuration_are_not_shown_it() -> None:
    keep()
    paths = Paths.of_user()
    paths.config_file.write_text("[appearance]\n")
    assert found() is None
    keep()
    (paths.accounts / "ada.zuliprc").write_text("[api]\nkey=other\n")
    assert found() is None


def test_a_broken_file_is_not_shown() -> None:
    file = keep()
    data = file.read_bytes()
    for place in (0, len(last_screen.MAGIC) + 3, len(data) // 2, len(data) - 1):
        broken = bytearray(data)
        broken[place] ^= 0x40
        file.write_bytes(broken)
        assert found() is None
    file.write_bytes(data[: len(data) // 2])
    assert found() is None
    file.write_bytes(data)
    assert found() is not None


def test_a_file_that_others_can_read_or_a_link_is_not_shown(tmp_path: Path) -> None:
    file = keep()
    file.chmod(0o644)
    assert found() is None
    file.chmod(0o600)
    moved = tmp_path / "elsewhere"
    file.rename(moved)
    file.symlink_to(moved)
    assert found() is None
    file.unlink()
    os.mkfifo(file, 0o600)
    assert found() is None


def test_all_sessions_of_tmux_show_the_same_screen_but_no_terminal_outside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TMUX", "/tmp/tmux-1000/default,100,0")
    one = last_screen.signature(ARGUMENTS, SIZE)
    monkeypatch.setenv("TMUX", "/tmp/tmux-1000/default,200,3")
    assert last_screen.signature(ARGUMENTS, SIZE) == one
    monkeypatch.delenv("TMUX")
    assert last_screen.signature(ARGUMENTS, SIZE) != one


def test_other_commands_keep_nothing() -> None:
    assert last_screen.signature(["demo"], SIZE) is None
    assert last_screen.signature(["send", "--rc"], SIZE) is None


def test_a_screen_with_missing_rows_is_not_kept() -> None:
    keep(size=(20, 4))
    assert found((20, 4)) is None


def test_a_sign_out_leaves_nothing_of_it() -> None:
    file = keep()
    screen_store.forget_all()
    assert not file.exists()
