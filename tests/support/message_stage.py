"""The messages pane on a live account of an embedded server, for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import ComposeResult
from textual.message import Message as TextualMessage
from textual.pilot import Pilot

from narrowcast.config.config import Config
from narrowcast.panes.messages import requests
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.runtime.frames import Frames
from narrowcast.widgets.strips import plain_text
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.session import Session
from support.server import TestServer, running_server
from support.sessions import fetched, sessions, until
from support.small_apps import ContextApp


class PaneApp(ContextApp):
    """The pane alone; records what it requests from the screen around it."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.config = Config()
        self.frames = Frames(self.set_timer)
        self.pane = MessagesPane(session, self.frames)
        self.asked: list[TextualMessage] = []
        self.copied: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.frames.follow(self.session)
        self.pane.list.focus()

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    def on_messages_pane_narrow_requested(self, event: requests.NarrowRequested) -> None:
        self.asked.append(event)

    def on_messages_pane_reply_requested(self, event: requests.ReplyRequested) -> None:
        self.asked.append(event)

    def on_messages_pane_quote_requested(self, event: requests.QuoteRequested) -> None:
        self.asked.append(event)

    def on_messages_pane_edit_requested(self, event: requests.EditRequested) -> None:
        self.asked.append(event)

    def on_messages_pane_link_requested(self, event: requests.LinkRequested) -> None:
        self.asked.append(event)

    def on_messages_pane_person_requested(self, event: requests.PersonRequested) -> None:
        self.asked.append(event)

    def text(self) -> str:
        """Returns the text of the list."""
        view = self.pane.list
        return plain_text(view.compose_row(y) for y in range(view.content_size.height))


class Stage:
    """A server with a conversation, Ada's pane that shows it, and Bruno's session."""

    def __init__(self, server: TestServer, session: Session, app: PaneApp, pilot: Pilot[None]) -> None:
        self.server = server
        self.session = session
        self.app = app
        self.pilot = pilot
        self.pane = app.pane

    async def show(self, narrow: Narrow, anchor: int | str | None = None) -> None:
        """Shows a view and waits until it is up to date."""
        self.pane.show(narrow, anchor)
        await self.settled()

    async def settled(self) -> None:
        """Waits until the view has the server's messages, and is drawn."""
        await fetched(self.pane.view)
        await self.drawn()

    async def drawn(self) -> None:
        """Waits until the pane shows all changes of the session so far: see `app.frames`."""
        await self.pilot.pause()
        await until(lambda: not self.app.frames.is_due)
        await self.pilot.pause()

    async def see(self, text: str) -> None:
        """Waits until `text` is on the screen."""
        try:
            await until(lambda: text in self.app.text())
        except AssertionError:
            raise AssertionError(f"{text!r} is not in\n{self.app.text()}") from None

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def is_read(self, message_id: int) -> bool:
        """Whether a message was found: unsent, or on the server."""
        await self.drawn()
        if message_id in self.session.read_marks.pending:
            return True
        flags = {row["id"]: row["flags"] for row in await self.server.newest("ada")}
        return "read" in flags[message_id]

    async def asked(self, count: int) -> None:
        """Waits until the pane has made this many requests to the screen."""
        await until(lambda: len(self.app.asked) >= count)

    @property
    def topic(self) -> Narrow:
        return Narrow.topic(self.server.channel("general"), "soup")


@asynccontextmanager
async def staged(tmp_path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
    async with running_server(tmp_path / "server") as server, sessions(server, tmp_path, "ada") as (session,):
        app = PaneApp(session)
        async with app.run_test(size=size) as pilot:
            yield Stage(server, session, app, pilot)
