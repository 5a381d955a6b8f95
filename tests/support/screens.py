"""Driving the app in tests: keys, the mouse, lists, pickers and forms; and the text on its screen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.confirm import ConfirmScreen
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_controls import ChoiceControl
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Choice, ChoiceList, Picker
from narrowcast.screens.people.card import PersonScreen
from narrowcast.terminal.keyboard import Keyboard
from narrowcast.widgets.editor import Editor
from narrowcast_api.narrow.narrow import Narrow
from support.server import JsonObject
from support.sessions import until
from support.stage import Stage, run


async def choose(stage: Stage, text: str) -> None:
    """Selects the first choice of a picker or a question that starts with a text."""
    await until(lambda: isinstance(stage.app.screen, ConfirmScreen) or choices(stage))
    picker = stage.app.screen
    if isinstance(picker, ConfirmScreen):
        (place,) = [place for place, one in enumerate(picker.buttons) if one.answer.label.startswith(text)]
        await stage.press(*["right"] * place, "enter")
        return
    assert isinstance(picker, Picker)
    found = [choice for choice in choices(stage) if choice.text.startswith(text)]
    assert found, [choice.text for choice in choices(stage)]
    picker.set_choices(found)
    await stage.press("enter")


async def confirm(stage: Stage) -> None:
    """Presses the confirming button of the question, once it is there."""
    await until(lambda: isinstance(stage.app.screen, ConfirmScreen))
    await stage.press("right", "enter")


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
    """Returns what the open list says, or else its keys."""
    screen = stage.app.screen
    return screen.key_line.said or screen.key_line.keys if isinstance(screen, ManageScreen) else ""


async def card_of(stage: Stage, name: str) -> PersonScreen:
    """Opens somebody's card with the command that finds it."""
    await run(stage, "people.find")
    await choose(stage, name)
    await until(lambda: isinstance(stage.app.screen, PersonScreen))
    screen = stage.app.screen
    assert isinstance(screen, PersonScreen)
    return screen


def post_keys(stage: Stage, *typed: str) -> None:
    """Queues what a terminal sends at once: texts, "enter", or "ctrl+" with a letter."""
    keyboard = Keyboard()
    for item in typed:
        for message in keyboard.feed(_bytes_of(item), 0.0):
            stage.app.post_message(message)
    for message in keyboard.tick():
        stage.app.post_message(message)


def _bytes_of(item: str) -> bytes:
    if item == "enter":
        return b"\r"
    if item.startswith("ctrl+"):
        return bytes([ord(item[-1]) & 0x1F])
    return item.encode()


async def at_once(stage: Stage, *typed: str) -> None:
    """Queues the same keys, and waits until the app has handled all of them."""
    post_keys(stage, *typed)
    await stage.pilot.pause()


Place = tuple[int, int]


def mouse_event(kind: type[events.MouseEvent], place: Place) -> events.MouseEvent:
    """What the terminal reports of the left button at a place of the screen."""
    x, y = place
    return kind(
        None,
        x=x,
        y=y,
        delta_x=0,
        delta_y=0,
        button=1,
        shift=False,
        meta=False,
        ctrl=False,
        screen_x=x,
        screen_y=y,
    )


async def drag(pilot: Pilot[Any], start: Place, end: Place) -> None:
    """Presses the button at one place of the screen, and releases it at another, or at the same one: a click."""
    pilot.app.post_message(mouse_event(events.MouseDown, start))
    await pilot.pause()
    if start != end:
        pilot.app.post_message(mouse_event(events.MouseMove, end))
        await pilot.pause()
    pilot.app.post_message(mouse_event(events.MouseUp, end))
    await pilot.pause()


async def click(pilot: Pilot[Any], place: Place) -> None:
    """Clicks at a place of the screen; twice quickly is a double click."""
    await drag(pilot, place, place)


async def edit_own(stage: Stage) -> int:
    """Sends a message to a topic and opens it for editing in compose; returns its id."""
    await stage.in_topic("general", "lunch")
    message_id = await stage.server.send("ada", "general", "lunch", "Soop")
    await edit_newest(stage, message_id)
    return message_id


async def edit_newest(stage: Stage, message_id: int) -> None:
    """Opens the newest message of the view for editing in compose."""
    await stage.shows(message_id)
    await stage.press("G", "e")
    await edit_opened(stage, message_id)


async def edit_opened(stage: Stage, message_id: int | None = None) -> None:
    """Waits until compose shows the text of the message that is being edited: of this one, if given."""
    writing = stage.screen.writing
    await until(lambda: writing.editing is not None and not writing.begin.is_loading(writing.editing))
    assert message_id in (None, writing.editing)


async def channel_row(stage: Stage, name: str) -> JsonObject:
    """Returns a channel as the server lists it."""
    response = await stage.server.call(
        "ada", "GET", "/streams", {"include_all": True, "exclude_archived": False}
    )
    return next(row for row in response["streams"] if row["name"] == name)


async def members_of(stage: Stage, name: str) -> list[int]:
    """Returns the ids of its subscribers."""
    path = f"/streams/{stage.server.channel(name)}/members"
    members: list[int] = (await stage.server.call("ada", "GET", path))["subscribers"]
    return members


async def in_channel(stage: Stage, name: str) -> None:
    """Opens a channel."""
    await stage.go(Narrow.channel(stage.server.channel(name)))


async def archive(stage: Stage, channel_id: int) -> None:
    """Archives a channel as another user, and waits until the app has received the event."""
    await stage.server.call("ada", "DELETE", f"/streams/{channel_id}")
    channels = stage.session.state.channels
    await until(lambda: (channel := channels.get(channel_id)) is not None and channel.is_archived)


def screen_strips(screen: Screen[Any]) -> list[Strip]:
    """The rows with their styles, with dialogs over what is behind them."""
    return screen._compositor.render_strips()


def screen_rows(screen: Screen[Any]) -> list[str]:
    """The rows as text."""
    return [strip.text for strip in screen_strips(screen)]


def screen_text(screen: Screen[Any]) -> str:
    """The rows as one text."""
    return "\n".join(screen_rows(screen))
