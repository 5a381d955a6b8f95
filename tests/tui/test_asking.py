"""Dialogs that ask for one line: a path completed from the disk, and validated answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from narrowcast.app.app import NarrowcastApp
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.file_question import file_question
from narrowcast.terminal.paths import Paths
from support.sessions import until


@asynccontextmanager
async def asked(
    tmp_path: Path, question: AskScreen, answers: list[str | None]
) -> AsyncIterator[tuple[NarrowcastApp, Pilot[int]]]:
    """The app with such a dialog on screen."""
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(question, answers.append)
        yield app, pilot


async def test_a_path_is_completed_as_far_as_it_is_clear_and_has_to_exist(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("report.pdf", "report.txt", ".hidden"):
        (folder / name).touch()
    question = file_question("Upload file", does="uploads", note="Maximum file size: 1 MB")
    answers: list[str | None] = []
    async with asked(tmp_path, question, answers) as (_, pilot):
        for nothing in (f"{folder}/x", "~nobody-of-this-name/x"):
            question.editor.text = nothing
            await pilot.press("tab")
            await until(lambda: question.key_line.said == "No matches.")
            question.say("")
            await pilot.press("enter")
            assert question.key_line.said == "File not found."
        question.editor.text = f"{folder}/re"
        await pilot.press("tab")
        await until(lambda: question.key_line.said == "report.pdf  report.txt")
        assert question.editor.text == f"{folder}/report."
        await pilot.press("enter")
        assert question.key_line.said == "File not found."
        assert answers == []
        await pilot.press("p", "tab")
        await until(lambda: question.editor.text.endswith("report.pdf"))
        await pilot.press("enter")
        assert answers == [str(folder / "report.pdf")]


async def test_a_path_that_is_no_file_says_what_it_is_instead(tmp_path: Path) -> None:
    question = file_question("Upload file", does="uploads", note="")
    answers: list[str | None] = []
    async with asked(tmp_path, question, answers) as (_, pilot):
        for path, problem in (
            (str(tmp_path), "This is a folder."),
            ("/dev/null", "This is not a regular file."),
            (str(tmp_path / ("x" * 300)), "The file cannot be read: File name too long."),
            (str(tmp_path / "a\0b"), "File not found."),
        ):
            question.editor.text = path
            await pilot.press("enter")
            assert question.key_line.said == problem
        assert answers == []


async def test_a_question_that_was_left_open_gives_back_nothing_of_a_file(tmp_path: Path) -> None:
    question = file_question("Upload file", does="uploads", note="")
    answers: list[str | None] = []
    async with asked(tmp_path, question, answers) as (_, pilot):
        await pilot.press("enter")
        assert answers == [""]


async def test_an_answer_is_checked_while_it_is_typed(tmp_path: Path) -> None:
    def check(text: str) -> str:
        return "" if text.isdecimal() else "Not a number."

    question = AskScreen("How many?", check=check, checks_typing=True)
    answers: list[str | None] = []
    async with asked(tmp_path, question, answers) as (_, pilot):
        await pilot.press("x")
        await until(lambda: question.key_line.said == "Not a number.")
        await pilot.press("enter")
        assert answers == []
        await pilot.press("backspace", "7")
        await until(lambda: question.key_line.said == "")
        await pilot.press("enter")
        assert answers == ["7"]
