"""Previews, polls and to-do lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.content.polls import Poll, TodoList, read_widget
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.messages.preview import PreviewScreen
from narrowcast_api.narrow.narrow import Narrow
from support.screens import choose, fill, form_of
from support.sessions import until
from support.stage import Stage, on_stage, run


def widget(stage: Stage) -> Poll | TodoList | None:
    """The widget of the selected message."""
    selected = stage.screen.messages.selected_id
    message = stage.session.state.messages.get(selected) if selected is not None else None
    return read_widget(message.submessages) if message is not None else None


async def in_soup(stage: Stage) -> None:
    await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))


async def test_a_preview_shows_what_the_server_makes_of_a_text(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_soup(stage)
        await stage.press("c")
        await stage.type("**leeks** and `code`")
        await run(stage, "write.preview")
        await until(lambda: isinstance(stage.app.screen, PreviewScreen))
        preview = stage.app.screen
        assert isinstance(preview, PreviewScreen)
        await until(lambda: len(preview.lines.items) == 1)
        assert "".join(run.text for run in preview.lines.items[0].runs).split() == ["leeks", "and", "code"]
        await stage.press("escape")
        assert stage.screen.writing.text.text == "**leeks** and `code`"


async def test_a_poll_is_written_sent_asked_anew_and_grows(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_soup(stage)
        await run(stage, "write.poll")
        await stage.type("Which soup")
        await stage.press("tab")
        await stage.type("leek")
        await stage.press("enter")
        await stage.type("pea")
        await stage.press("ctrl+d")
        await until(lambda: stage.screen.writing.text.text == "/poll Which soup\nleek\npea")
        await stage.press("ctrl+d")
        await until(lambda: isinstance(widget(stage), Poll))
        await stage.press("escape")
        await run(stage, "message.poll-add")
        await stage.type("tomato")
        await stage.press("enter")
        await stage.closed()
        await run(stage, "message.poll-question")
        await stage.press("end")  # otherwise typing replaces the selected text
        await stage.type(" today")
        await stage.press("enter")

        def is_changed() -> bool:
            poll = widget(stage)
            if not isinstance(poll, Poll):
                return False
            options = [str(option.text) for option in poll.options]
            return (str(poll.question), options) == ("Which soup today", ["leek", "pea", "tomato"])

        await until(is_changed)


async def test_a_time_is_inserted_with_its_offset(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("r", *"See you ")
        await run(stage, "write.time")
        await fill(stage, when="2037-05-06 12:30")
        writing = stage.screen.writing
        await until(lambda: "<time:2037-05-06T12:30:00" in writing.text.text)
        assert writing.text.text.startswith("See you <time:")
        assert writing.text.text.endswith("> ")


@pytest.mark.parametrize("command", ["write.poll", "write.todo"])
async def test_what_needs_an_empty_compose_box_says_so_before_it_asks(tmp_path: Path, command: str) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_soup(stage)
        await stage.press("r")
        await stage.type("half")
        await run(stage, command)
        assert stage.app.screen is stage.screen
        await stage.told(
            "The compose box is not empty. Send the message first, or save it as a draft (Alt-n in the compose box)."
        )
        assert stage.screen.writing.text.text == "half"


async def test_a_task_is_added_to_somebodys_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_soup(stage)
        await stage.server.send("bruno", "general", "soup", "/todo Shopping\nleeks")
        await until(lambda: isinstance(widget(stage), TodoList))
        await stage.press("X")
        await choose(stage, "Add task")
        assert isinstance(stage.app.screen, FormScreen)
        await stage.type("bread")
        await stage.press("ctrl+d")

        def has_both() -> bool:
            shown = widget(stage)
            return isinstance(shown, TodoList) and [str(task.text) for task in shown.tasks] == [
                "leeks",
                "bread",
            ]

        await until(has_both)


async def test_every_option_added_to_a_poll_is_shown_however_it_was_added(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_soup(stage)
        await stage.server.send("bruno", "general", "soup", "/poll Which soup\nleek\npea")
        await until(lambda: isinstance(widget(stage), Poll))

        def options() -> list[str]:
            poll = widget(stage)
            return [str(option.text) for option in poll.options] if isinstance(poll, Poll) else []

        for keys, text in (("X", "tomato"), ("", "onion"), ("X", "carrot"), ("", "potato")):
            if keys:
                await stage.press(keys)
                await choose(stage, "Add option")
            else:
                await run(stage, "message.poll-add")
            await fill(stage, text=text)
            await stage.closed()
            await until(lambda text=text: options()[-1:] == [text])  # type: ignore[misc]
        assert options() == ["leek", "pea", "tomato", "onion", "carrot", "potato"]


async def test_a_refused_option_stays_in_its_form_with_the_reason(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_soup(stage)
        message_id = await stage.server.send("bruno", "general", "soup", "/poll Which soup\nleek")
        await until(lambda: isinstance(widget(stage), Poll))
        await stage.press("X")
        assert isinstance(stage.app.screen, Picker)
        await choose(stage, "Add option")
        await stage.type("tomato")
        await stage.server.call("bruno", "DELETE", f"/messages/{message_id}")
        await stage.press("ctrl+d")
        form = await form_of(stage)
        await until(lambda: "message" in form.shown_problems)
        assert form.row("text").typed == "tomato"
