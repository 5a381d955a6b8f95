"""Commands on the text in compose: preview it, add a poll, a to-do list or a video call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from narrowcast.commands.attaching import deliver
from narrowcast.content.palette import Palette
from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.messages.row_values import StateNames
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.form_fields import (
    DateTimeField,
    Field,
    LineField,
    Text,
    UnusableValue,
    Values,
)
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast.screens.messages.preview import PreviewLines, PreviewScreen
from narrowcast.text import names
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.sync.video_calls import new_call

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def channel(screen: Workspace) -> None:
    """Composes a message to the channel or topic of the open view; in other views the user names a channel first."""
    narrow = screen.narrow
    screen.writing.begin.channel(
        _channel_here(screen), is_topic=narrow is not None and narrow.is_conversation
    )


def direct(screen: Workspace) -> None:
    """Composes a direct message to recipients that the user names."""
    screen.writing.begin.direct()


def _channel_here(screen: Workspace) -> ChannelDestination | None:
    where = screen.narrow.new_message_destination if screen.narrow is not None else None
    return where if isinstance(where, ChannelDestination) else None


async def preview(screen: Workspace) -> None:
    """Shows the text in compose as the server renders it."""
    content = screen.writing.text.text.strip()
    if not content:
        screen.refuse("You have nothing to send!")
        return
    attention = RequestOrigin(screen.messages)
    response = await screen.session.client.messages.render(content=content)
    attention.open(rendered(screen, response.rendered), what="The preview", again="<write.preview> opens it.")


def rendered(screen: Workspace, html: str) -> PreviewScreen:
    """A dialog with a text rendered like a message."""
    state, messages = screen.session.state, screen.messages.list
    palette = Palette.read(lambda part: messages.part_style(f"messages--{part}"), screen.app.no_color)
    lines = PreviewLines(html, StateNames(state), palette, state.me)
    return PreviewScreen(lines)


async def video_call(screen: Workspace) -> None:
    """Inserts a link to a new video call of the organization's provider into compose."""
    if screen.session.read_only:
        screen.refuse(screen.session.warnings[0])
        return
    writing = screen.writing  # another conversation may have the focus after the request
    begun, place = writing.moment, writing.links.place
    try:
        address = await new_call(screen.session, _room(screen))
    except InvalidInput as problem:
        words = problem.user_message
        screen.tell(f"{words[:1].upper()}{words[1:]}.", severity="warning")
        return
    link = f"[Join video call.]({address})"
    if writing.is_still(begun):
        begin_text(screen)
        writing.links.insert(link)
    elif saved := deliver(screen, link, place):
        screen.tell(f"The link to the video call is in {saved}.")


def _room(screen: Workspace) -> str:
    """The name of a call: the conversation in compose, else the organization."""
    where, _ = screen.writing.destination()
    state = screen.session.state
    return names.destination(state, where) if where is not None else state.server.name


def new_poll(screen: Workspace) -> None:
    """Creates a poll, as a /poll command in compose for the user to send."""

    async def submit(values: Values) -> None:
        options = values.text("options").splitlines()
        _insert(screen, ["/poll " + values.text("question"), *filter(None, map(str.strip, options))])

    fields = [
        LineField("question", "Question", required=True),
        Text("options", "Options", "One option per line", rows=5),
    ]
    _ask(screen, "Create poll", fields, submit)


def new_todo(screen: Workspace) -> None:
    """Creates a to-do list, as a /todo command in compose for the user to send."""

    async def submit(values: Values) -> None:
        tasks = values.text("tasks").splitlines()
        _insert(screen, ["/todo " + values.text("title"), *filter(None, map(str.strip, tasks))])

    fields = [
        LineField("title", "Title", value="Tasks"),
        Text("tasks", "Tasks", "One task per line; optionally: task: description", rows=5),
    ]
    _ask(screen, "Create to-do list", fields, submit)


def insert_time(screen: Workspace) -> None:
    """Inserts a time into compose, which each reader sees in their own time zone."""

    async def submit(values: Values) -> None:
        at = datetime.fromtimestamp(values.moment("when") or 0, UTC).astimezone()
        begin_text(screen)
        screen.writing.text.insert(f"<time:{at.isoformat(timespec='seconds')}> ")

    if not screen.writing.begin.refused():
        ask(screen, "Insert time", [DateTimeField("when", "When", required=True)], submit, verb="inserts")


def _ask(
    screen: Workspace, title: str, fields: Sequence[Field], submit: Callable[[Values], Awaitable[object]]
) -> None:
    """Asks for the values of a command in compose, unless compose cannot take one."""
    if screen.refuse(_refusal(screen)):
        return

    async def checked(values: Values) -> object:
        if refusal := _refusal(screen):  # text may have been typed or restored while the form was open
            raise UnusableValue("", refusal)
        return await submit(values)

    ask(screen, title, fields, checked, verb="inserts")


def _refusal(screen: Workspace) -> str:
    """Why compose cannot take a command, which must be at the beginning of a message; empty if it can."""
    if screen.session.read_only:
        return screen.session.warnings[0]
    if screen.writing.is_busy:
        text = (
            "The compose box is not empty. Send the message first, or save it as a draft "
            "(<compose.new-draft> in the compose box)."
        )
        return with_keys(keys_of(screen), text)
    return ""


def _insert(screen: Workspace, lines: list[str]) -> None:
    """Inserts lines into compose, for the user to check and send."""
    begin_text(screen)
    screen.writing.text.insert("\n".join(line.strip() for line in lines))


def begin_text(screen: Workspace) -> None:
    """Focuses the text; if compose is empty and has no address, asks for that first."""
    writing = screen.writing
    if not writing.is_busy and writing.destination()[0] is None:
        writing.begin.channel(_channel_here(screen))
    else:
        writing.focus_text()
