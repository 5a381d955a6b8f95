"""Driving the app's lists, pickers and forms in tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.confirm import ConfirmScreen
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_controls import ChoiceControl
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Choice, ChoiceList, Picker
from narrowcast.screens.people.card import PersonScreen
from narrowcast.widgets.editor import Editor
from support.sessions import until
from support.stage import Stage, run


async def choose(stage: Stage, text: str) -> None:
    """Selects the first choice of a picker or a question that starts with a text."""
    await until(lambda: isinstance(stage.app.screen, ConfirmScreen) or choices(stage))
    picker = stage.app.screen
    if isinstance(picker, ConfirmScreen):
        (wanted,) = [choice for choice in picker.list.items if choice.text.startswith(text)]
        await stage.press("y" if wanted.value else "n")
        return
    assert isinstance(picker, Picker)
    found = [choice for choice in choices(stage) if choice.text.startswith(text)]
    assert found, [choice.text for choice in choices(stage)]
    picker.set_choices(found)
    await stage.press("enter")


def choices(stage: Stage) -> Sequence[Choice[Any]]:
    """Returns the choices of the picker; nothing before one is open."""
    screen = stage.app.screen
    lists = screen.query(ChoiceList) if isinstance(screen, Picker) else ()
    return [choice for listed in lists for choice in listed.items]


async def pick(stage: Stage, key: Hashable) -> None:
    """Opens an item of the management list by its key."""
    await until(lambda: isinstance(stage.app.screen, ManageScreen))
    screen = stage.app.screen
    assert isinstance(screen, ManageScreen)
    screen.list.select_key(key)
    assert screen.list.selected_item is not None
    assert screen.list.selected_item.key == key
    await stage.press("enter")


async def question_of(stage: Stage) -> AskScreen:
    """Waits for a question, and returns it."""
    await until(lambda: isinstance(stage.app.screen, AskScreen))
    assert isinstance(stage.app.screen, AskScreen)
    return stage.app.screen


async def answer(stage: Stage, text: str) -> AskScreen:
    """Answers a question once it is asked; returns the question."""
    question = await question_of(stage)
    question.editor.text = text
    await stage.press("enter")
    return question


async def form_of(stage: Stage) -> FormScreen:
    """Waits for a form, and returns it."""
    await until(lambda: isinstance(stage.app.screen, FormScreen))
    assert isinstance(stage.app.screen, FormScreen)
    return stage.app.screen


async def fill(stage: Stage, **values: object) -> None:
    """Fills in the fields of the open form, and submits it."""
    form = await form_of(stage)
    await stage.pilot.pause()
    for name, value in values.items():
        row = form.row(name)
        assert row.is_enabled, row.field.needs
        if isinstance(row.control, ChoiceControl):
            row.control.put(value)
        else:
            assert isinstance(row.control, Editor)
            row.control.text = str(value)
    await stage.press("ctrl+d")


def rows(stage: Stage) -> list[str]:
    """Returns the texts of the open management list."""
    screen = stage.app.screen
    if not isinstance(screen, ManageScreen):
        return []
    return [f"{row.text} {row.detail} {row.note}" for row in screen.list.items]


def said(stage: Stage) -> str:
    """Returns the text below the open list."""
    screen = stage.app.screen
    return screen.key_line.plain if isinstance(screen, ManageScreen) else ""


async def card_of(stage: Stage, name: str) -> PersonScreen:
    """Opens somebody's card with the command that finds it."""
    await run(stage, "people.find")
    await choose(stage, name)
    await until(lambda: isinstance(stage.app.screen, PersonScreen))
    screen = stage.app.screen
    assert isinstance(screen, PersonScreen)
    return screen
