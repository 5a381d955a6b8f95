"""Questions before something that cannot be undone: buttons, and their keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from narrowcast.app.shutdown import ask, ask_unsaved
from narrowcast.config.config import Appearance, Config
from narrowcast.screens.dialogs.confirm import NO, YES, Answer, ConfirmScreen, Question, ask_first
from narrowcast.screens.main.links import follow
from support.screens import click, screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, on_stage

SHADES = Config(appearance=Appearance(theme="paper"))
NO_SHADES = Config(appearance=Appearance(theme="terminal"))
BREW = Question("Brew a pot?", "Brew it", "The last of the beans is used.")


async def asked(stage: Stage) -> tuple[ConfirmScreen[bool], list[bool]]:
    """Asks a question; what is done once it is confirmed appends to the returned list."""
    done: list[bool] = []
    ask_first(stage.app, BREW, lambda: done.append(True))
    await stage.drawn()
    question = stage.app.screen
    assert isinstance(question, ConfirmScreen)
    return question, done


def focused(question: ConfirmScreen[bool]) -> str:
    """The label of the button that has the focus."""
    (button,) = [button for button in question.buttons if button.has_focus]
    return button.answer.label


async def test_a_question_says_what_it_does_and_has_a_button_with_a_letter_for_each_answer(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24), config=SHADES) as stage:
        question, _ = await asked(stage)
        shown = screen_text(question)
        assert "Brew a pot?" in shown
        assert "The last of the beans is used." in shown
        assert any(" n Cancel   y Brew it " in row for row in screen_rows(question))
        assert "Tab next  Enter presses  Esc cancels" in shown
        assert focused(question) == "Cancel"
        assert question.buttons[0].styles.background != question.buttons[1].styles.background


@pytest.mark.parametrize(
    ("keys", "does"),
    [
        (["enter"], False),
        (["tab", "enter"], True),
        (["right", "space"], True),
        (["down", "enter"], True),
        (["shift+tab", "enter"], True),
        (["tab", "tab", "enter"], False),
        (["tab", "left", "enter"], False),
        (["tab", "escape"], False),
        (["n"], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
async def test_keys_move_between_the_buttons_and_press_them(
    tmp_path: Path, keys: list[str], does: bool
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        _, done = await asked(stage)
        await stage.press(*keys)
        await until(lambda: stage.app.screen is stage.screen)
        assert done == [True] * does


@pytest.mark.parametrize("label", ["Cancel", "Brew it"])
async def test_a_click_presses_a_button(tmp_path: Path, label: str) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        question, done = await asked(stage)
        rows = screen_rows(question)
        y = next(y for y, row in enumerate(rows) if label in row)
        await click(stage.pilot, (rows[y].index(label), y))
        await until(lambda: stage.app.screen is stage.screen)
        assert done == [True] * (label == "Brew it")


async def test_an_answer_that_is_typed_ahead_over_a_slow_connection_counts(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        done: list[bool] = []
        ask_first(stage.app, BREW, lambda: done.append(True))
        await stage.press("y")
        await until(lambda: done == [True])


async def test_without_grounds_the_buttons_have_brackets(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), config=NO_SHADES) as stage:
        question, _ = await asked(stage)
        assert any("[n Cancel]   [y Brew it]" in row for row in screen_rows(question))
        assert question.buttons[0].rich_style.reverse
        assert not question.buttons[1].rich_style.reverse


async def test_buttons_that_do_not_fit_in_a_row_stand_below_each_other(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(40, 14)) as stage:
        answers = [Answer("one", "A long first answer", NO), Answer("two", "A long second answer", YES)]
        question = ConfirmScreen("Which is it? " * 30, answers)
        await stage.app.push_screen(question)
        await stage.drawn()
        rows = screen_rows(question)
        first, second = (
            next(y for y, row in enumerate(rows) if text in row) for text in ("y A long", "n A long")
        )
        assert first == second + 1 < question.frame.region.bottom - 1


async def test_quitting_with_unsent_messages_asks_with_three_buttons(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), config=SHADES) as stage:
        for keys, wanted in (
            (["enter"], [True]),
            (["down", "enter"], [False]),
            (["n"], []),
            (["escape"], []),
        ):
            left: list[bool] = []
            await stage.app.push_screen(*ask(2, left.append))
            await stage.drawn()
            assert any("y Quit and send   Quit only   n Stay" in row for row in screen_rows(stage.app.screen))
            await stage.press(*keys)
            await until(lambda: stage.app.screen is stage.screen)
            assert left == wanted


async def test_what_would_lose_texts_is_not_the_answer_with_the_focus(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        left: list[bool] = []
        await stage.app.push_screen(*ask_unsaved(1, left.append))
        await stage.press("enter")
        assert left == []
        await stage.app.push_screen(*ask_unsaved(1, left.append))
        await stage.press("tab", "enter")
        assert left == [False]


async def test_a_link_that_claims_to_lead_elsewhere_is_shown_whole_before_it_is_opened(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        url = "https://evil.example/" + "path/" * 20 + "\x1b[31mend"
        follow(stage.screen, url, "https://good.example/")
        await until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        await stage.drawn()
        shown = str(stage.app.screen.query_one("#effect", Static).render())
        assert shown.startswith("https://evil.example/path/")
        assert "\x1b" not in shown
        await stage.press("tab", "enter")
        await until(lambda: stage.app.clipboard == url)
