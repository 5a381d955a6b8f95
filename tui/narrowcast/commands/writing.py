"""Commands on what stands in compose: see what it becomes, begin a poll or a to-do list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.app.context import focus_now
from narrowcast.commands import targets
from narrowcast.screens.dialogs.form_fields import Line, Refused, Text, Values

if TYPE_CHECKING:
    from narrowcast.screens.main.screen import MainScreen


async def preview(screen: MainScreen) -> None:
    """Ask the server what the text becomes, and show it."""
    from narrowcast.content.palette import Palette
    from narrowcast.panes.messages.names import StateNames
    from narrowcast.screens.messages.preview import PreviewLines, PreviewScreen

    content = screen.writing.text.text.strip()
    if not content:
        screen.refuse("Write a message first (c).")
        return
    answer = await screen.session.client.messages.render(content=content)
    state, messages = screen.session.state, screen.messages.list
    palette = Palette.read(lambda part: messages.part_style(f"messages--{part}"), screen.app.no_color)
    lines = PreviewLines(answer.rendered, StateNames(state), palette, state.me)
    screen.app.push_screen(PreviewScreen(lines))


def new_poll(screen: MainScreen) -> None:
    """A poll, as a command in compose that one sends."""

    async def submit(values: Values) -> None:
        options = values.text("options").splitlines()
        _insert(screen, ["/poll " + values.text("question"), *filter(None, map(str.strip, options))])

    fields = [
        Line("question", "Question", required=True),
        Text("options", "Options", "one a line; everybody may add more", rows=5),
    ]
    targets.ask(screen, "New poll", fields, submit, verb="writes it")


def new_todo(screen: MainScreen) -> None:
    """A to-do list, as a command in compose that one sends."""

    async def submit(values: Values) -> None:
        tasks = values.text("tasks").splitlines()
        _insert(screen, ["/todo " + values.text("title"), *filter(None, map(str.strip, tasks))])

    fields = [
        Line("title", "Title", value="Tasks"),
        Text("tasks", "Tasks", "one a line; what follows a colon describes it", rows=5),
    ]
    targets.ask(screen, "New to-do list", fields, submit, verb="writes it")


def _insert(screen: MainScreen, lines: list[str]) -> None:
    """Put a command into compose, where one looks it over and sends it."""
    writing = screen.writing
    if screen.session.read_only:
        raise Refused("", "Another window has this account open: write there.")
    if writing.is_busy:
        raise Refused("", "Something else stands in compose: send it first, or keep it as a draft (Alt-n).")
    where, _ = writing.destination()
    if where is None:
        writing.write_channel(screen.default_channel())
    writing.text.insert("\n".join(line.strip() for line in lines))
    if where is not None:
        focus_now(writing.text)
