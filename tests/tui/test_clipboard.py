"""Copying where the clipboard can be reached and where not, and pasting files and images into compose."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from narrowcast.content.blocks import CodeBlock
from narrowcast.content.reader import parse
from narrowcast.panes.compose.banners import files_in, paths_in
from narrowcast.screens.dialogs.copy_text import CopyTextScreen
from narrowcast.terminal.clipboard_answers import ClipboardAnswer
from narrowcast.terminal.desktop_clipboard import (
    is_set_by_terminal,
    read_image,
    read_text,
    text_writers,
    write_text,
)
from support.screens import screen_text
from support.sessions import until
from support.stage import Stage, on_stage

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def program(folder: Path, name: str, script: str) -> None:
    """A program of this name, as a desktop has it."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop whose clipboard is a file, with the programs of Wayland."""
    folder = tmp_path / "bin"
    folder.mkdir()
    clip = tmp_path / "clip"
    program(folder, "wl-copy", f"cat > {shlex.quote(str(clip))}")
    program(
        folder,
        "wl-paste",
        f"""case "$*" in
            --list-types) cat {shlex.quote(str(clip))}.types 2>/dev/null || echo text/plain ;;
            *) cat {shlex.quote(str(clip))} ;;
        esac""",
    )
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.delenv("SSH_TTY", raising=False)
    return clip


async def test_a_text_is_copied_by_the_desktop_s_program_exactly(desktop: Path) -> None:
    environ = {"PATH": str(desktop.parent / "bin") + ":/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-0"}
    writers = text_writers(environ, "linux")
    assert writers == [["wl-copy"]]
    assert await write_text(writers, "all:\n\tmake\n")
    assert desktop.read_text() == "all:\n\tmake\n"
    assert await read_text(environ, "linux") == "all:\n\tmake\n"
    assert await read_image(environ, "linux") is None
    assert not await write_text([["false"]], "text")
    assert not await write_text([["no-such-program-here"]], "text")
    assert await write_text([["false"], *writers], "again")
    assert desktop.read_text() == "again"


@pytest.mark.parametrize("remote", [{}, {"SSH_CONNECTION": "1"}])
async def test_in_tmux_its_own_buffer_takes_the_text_and_hands_it_on(
    tmp_path: Path, remote: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    kept = shlex.quote(str(tmp_path / "kept"))
    program(tmp_path, "tmux", f'echo "$*" > {kept}; cat >> {kept}')
    environ = {"PATH": os.environ["PATH"], "TMUX": "/tmp/tmux-0/default,1,0", **remote}
    assert await write_text(text_writers(environ, "linux"), "all:\n\tmake")
    assert (tmp_path / "kept").read_text() == "load-buffer -w -\nall:\n\tmake"
    assert text_writers({**environ, "VTE_VERSION": "7600"}, "linux") == []


def test_over_ssh_and_without_a_desktop_there_is_no_program() -> None:
    for environ in ({}, {"DISPLAY": ":0", "SSH_CONNECTION": "1"}, {"WAYLAND_DISPLAY": "w", "SSH_TTY": "t"}):
        assert text_writers({**environ, "PATH": "/usr/bin"}, "linux") == []


@pytest.mark.parametrize(
    ("environ", "is_set"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"XTERM_VERSION": "XTerm(390)"}, False),
    ],
)
def test_terminals_that_do_not_let_programs_copy_are_known(environ: dict[str, str], is_set: bool) -> None:
    assert is_set_by_terminal(environ) is is_set


async def test_what_cannot_be_copied_is_shown_to_be_selected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VTE_VERSION", "7600")
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch", "Soup")
        await stage.press("L")
        await until(lambda: isinstance(stage.app.screen, CopyTextScreen))
        assert "/near/" in screen_text(stage.app.screen)
        assert not any("Copied" in notice for notice in stage.notices)


def waits_for(go: Path) -> str:
    """A part of a program that waits for a file to be there, for two seconds."""
    return f"for n in $(seq 100); do [ -e {shlex.quote(str(go))} ] && break; sleep 0.02; done"


async def test_that_a_text_is_copied_is_said_when_the_program_has_taken_it(
    desktop: Path, tmp_path: Path
) -> None:
    go, clip = tmp_path / "go", shlex.quote(str(desktop))
    program(desktop.parent / "bin", "wl-copy", f"touch {clip}; {waits_for(go)}; cat > {clip}")
    async with on_stage(tmp_path / "home") as stage:
        await stage.in_topic("general", "lunch", "Soup")
        await stage.press("L")
        await until(desktop.exists)
        assert not any("Copied" in notice for notice in stage.notices)
        go.touch()
        await stage.told("Copied the link")
        assert "/near/" in desktop.read_text()


async def test_a_program_that_fails_shows_the_text_and_nothing_is_said_to_be_copied(
    desktop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(desktop.parent / "bin", "wl-copy", "exit 1")
    monkeypatch.setenv("VTE_VERSION", "7600")
    async with on_stage(tmp_path / "home") as stage:
        await stage.in_topic("general", "lunch", "Soup")
        await stage.press("L")
        await until(lambda: isinstance(stage.app.screen, CopyTextScreen))
        assert not any("Copied" in notice for notice in stage.notices)


async def test_of_two_texts_the_last_one_stays(desktop: Path, tmp_path: Path) -> None:
    slow = f'text="$(cat)"; [ "$text" = first ] && sleep 0.2; printf %s "$text" > {shlex.quote(str(desktop))}'
    program(desktop.parent / "bin", "wl-copy", slow)
    async with on_stage(tmp_path / "home") as stage:
        await stage.in_topic("general", "lunch", "Soup")
        said: list[str] = []
        stage.app.copy("first", lambda: said.append("first"))
        stage.app.copy("second", lambda: said.append("second"))
        await until(lambda: len(said) == 2)
        assert (said, desktop.read_text()) == (["first", "second"], "second")


def test_code_is_copied_with_its_tabs() -> None:
    (code,) = parse("<div class='codehilite'><pre><code>all:\n\tmake\n</code></pre></div>", 10).blocks
    assert isinstance(code, CodeBlock)
    assert code.source == "all:\n\tmake"


async def paste(stage: Stage, text: str) -> None:
    await stage.in_topic("general", "lunch")
    await stage.press("r")
    stage.app.post_message(events.Paste(text))
    await until(lambda: stage.screen.writing.text.text != "")


async def test_pasting_the_path_of_a_file_offers_its_upload(tmp_path: Path) -> None:
    file = tmp_path / "the plan.txt"
    file.write_text("plan")
    async with on_stage(tmp_path / "home") as stage:
        await paste(stage, f"{shlex.quote(str(file))} ")
        banners = stage.screen.writing.banners
        await until(lambda: "the plan.txt: upload in place of the path?" in banners.plain)
        await stage.press("alt+y")
        await until(
            lambda: stage.screen.writing.text.text.strip().startswith("[the plan.txt](/user_uploads/")
        )
        assert "upload in place" not in banners.plain


async def test_other_texts_and_paths_without_a_file_offer_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await paste(stage, str(tmp_path / "missing.txt"))
        await stage.pilot.pause()
        assert "upload" not in stage.screen.writing.banners.plain
    assert paths_in("see /etc/hosts") == paths_in("/etc/hosts\n/etc/passwd") == paths_in("'/open") == ()
    assert paths_in("file:///tmp/a%20b.txt") == (Path("/tmp/a b.txt"),)
    assert paths_in("/tmp/a\\ b.txt '/tmp/c d'") == (Path("/tmp/a b.txt"), Path("/tmp/c d"))


def test_a_path_with_blanks_and_quotes_is_that_of_its_file_as_it_is_or_quoted(tmp_path: Path) -> None:
    file, other = tmp_path / "it's the plan.txt", tmp_path / "plan.txt"
    for path in (file, other):
        path.write_text("plan")
    assert files_in(str(file)) == files_in(f"{file} \n") == files_in(shlex.quote(str(file))) == (file,)
    assert files_in(shlex.join([str(file), str(other)])) == (file, other)
    assert (
        files_in(f"{other} is the plan") == files_in(f"{other}\n{file}") == files_in("/" + "x" * 5000) == ()
    )


async def test_without_a_program_the_terminal_is_asked_for_its_clipboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    monkeypatch.setenv("TERM", "xterm-kitty")
    asked: list[None] = []
    monkeypatch.setattr(HeadlessDriver, "ask_for_clipboard", lambda _: asked.append(None), raising=False)
    async with on_stage(tmp_path / "home") as stage:
        await stage.in_topic("general", "lunch")
        stage.app.post_message(ClipboardAnswer(b"not asked for"))
        for number, (content, shown) in enumerate([(b"some text", "some text"), (PNG, "[image-")], 1):
            await stage.press("r", "ctrl+v")
            await until(lambda number=number: len(asked) == number)  # type: ignore[misc]
            stage.app.post_message(ClipboardAnswer(content))
            await until(lambda shown=shown: shown in stage.screen.writing.text.text)  # type: ignore[misc]
        assert "not asked for" not in stage.screen.writing.text.text


async def test_an_image_in_the_clipboard_is_uploaded_and_text_inserted(tmp_path: Path, desktop: Path) -> None:
    desktop.write_text("some text")
    async with on_stage(tmp_path / "home") as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("r", "ctrl+v")
        await until(lambda: stage.screen.writing.text.text == "some text")
        desktop.write_bytes(PNG)
        desktop.with_name("clip.types").write_text("text/html\nimage/png\n")
        await stage.press("ctrl+v")
        await until(lambda: "[image-" in stage.screen.writing.text.text)
        assert ".png](/user_uploads/" in stage.screen.writing.text.text
