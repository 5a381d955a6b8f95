"""The `App` that an extension receives: access to the app and one of its accounts, limited to a stable interface."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from narrowcast.extend.values import Refused
from narrowcast.extensions.limits import uninterrupted
from narrowcast.extensions.running import RunningExtension
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock, time_within
from narrowcast_api.model.users import User
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.notice_text import words_of
from narrowcast_api.resources.status import Status
from narrowcast_api.storage.folders import private_folder
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from narrowcast.extensions.host_app import HostApp, OpenAccount
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.client import Client
    from narrowcast_api.events.status import ConnectionStatus
    from narrowcast_api.http.connection import Connection
    from narrowcast_api.model.messages import Message
    from narrowcast_api.narrow.destinations import Destination

__all__ = ["Handle"]

_TASK = re.compile(r"[a-z][a-z0-9-]{0,30}")
MAX_TEXT = 500
"""Maximum length of a message's text."""


class Handle:
    """See `narrowcast.extend.app.App`. One for each extension and account; `close` ends its work.

    ``screen``: returns the account's main screen, or None while it is not shown.
    """

    def __init__(
        self,
        app: HostApp,
        running: RunningExtension,
        account: OpenAccount,
        screen: Callable[[], Workspace | None],
        redraw: Callable[[], None],
    ) -> None:
        self._app = app
        self._running = running
        self._account = account
        self._session = account.session
        self._screen = screen
        self._redraw = redraw
        self._closed = False
        self._tasks = Tasks()
        self._client: Client | None = None
        self.log = logging.getLogger(f"narrowcast.extension.{running.name}")

    @property
    def settings(self) -> Any:
        return self._running.settings

    @property
    def folder(self) -> Path:
        return private_folder(self._app.paths.data / "extensions" / self._running.name)

    @property
    def client(self) -> Client:
        if self._client is None:
            with uninterrupted():
                self._client = _isolated_client(self._session.client)
        return self._client

    # the account

    @property
    def account(self) -> str:
        return f"{self._session.account.email} {self._session.account.site}"

    @property
    def on_screen(self) -> bool:
        return self._screen() is not None

    @property
    def me(self) -> User:
        state = self._session.state
        return state.users.get(state.me) or User(state.me, "", self._session.account.email)

    @property
    def now(self) -> float:
        return self._session.clock.now()

    def takes(self, task: str) -> bool:
        if not _TASK.fullmatch(task):
            raise ValueError(f"{task!r} is not a name of a task: use lower-case letters, digits and hyphens")
        with uninterrupted():
            return self._session.storage.acquire_task(f"extension-{self._running.name}-{task}")

    @property
    def connection(self) -> ConnectionStatus:
        return self._session.status

    @property
    def status(self) -> Status:
        return self.status_of(self._session.state.me)

    async def set_status(self, text: str, emoji_name: str = "") -> None:
        await self.client.status.set(status_text=text, emoji_name=emoji_name)

    def user(self, user_id: int) -> User | None:
        return self._session.state.users.get(user_id)

    def status_of(self, user_id: int) -> Status:
        return self._session.state.statuses.get(user_id) or Status()

    def conversation(self, message: Message) -> Destination:
        return message.destination(self._session.state.me)

    def name(self, where: Destination) -> str:
        return names.destination(self._session.state, where)

    def text(self, message: Message) -> str:
        long = has_long_clock(self._session.state)
        return words_of(
            message.content, MAX_TEXT, partial(time_within, now=self._session.clock.now(), long=long)
        )

    # actions

    def tell(self, text: str, *, warning: bool = False) -> None:
        said = str(text) if self.on_screen else f"{self._account.name}: {text}"
        with uninterrupted():
            self._app.tell(said, severity="warning" if warning else "information")

    def send(self, where: Destination, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a message must be a string, not {type(text).__name__}")
        with uninterrupted():
            self._session.outbox.send(where, text)

    def reply(self, message: Message, text: str) -> None:
        self.send(self.conversation(message), text)

    @property
    def here(self) -> Destination | None:
        screen = self._screen()
        narrow = screen.narrow if screen is not None else None
        return narrow.destination if narrow is not None else None

    def open(self, where: Destination | Narrow, message_id: int | None = None) -> None:
        with uninterrupted():
            narrow = where if isinstance(where, Narrow) else Narrow.from_destination(where)
            if (screen := self._screen()) is not None:
                screen.go(narrow, message_id)
            else:
                going = self._app.accounts.switch(self._account.file, narrow, message_id)
                self._app.spawn(going, "switch accounts")

    @property
    def written(self) -> str:
        screen = self._screen()
        return screen.writing.text.text if screen is not None else ""

    def write(self, text: str) -> None:
        screen = self._screen()
        if screen is None:
            raise Refused(
                f"{self._running.name}: {self._account.name} is not on screen; nothing was inserted."
            )
        with uninterrupted():
            screen.writing.begin.insert(text)

    def redraw(self) -> None:
        with uninterrupted():
            self._redraw()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        if self._closed:
            work.close()
            return

        name = f"run the extension {self._running.name} in the background"
        self._tasks.start(
            self._running.call_hook("work in the background", lambda: work, unlimited=True), name
        )

    async def sleep(self, seconds: float) -> None:
        await self._session.clock.sleep(seconds)

    async def close(self) -> None:
        """Cancels the tasks that the extension started, and waits until they end."""
        self._closed = True
        await self._tasks.close()


class _IsolatedConnection:
    """The app's connection as extensions see it.

    Each request runs as a task of its own, so that interrupting or cancelling an extension never interrupts the app's
    own code; and only the app can close the connection.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._connection, name)
        return _as_task(value) if inspect.iscoroutinefunction(value) else value

    async def aclose(self) -> None:
        """Does nothing: only the app closes its connection."""


def _as_task(function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        with uninterrupted():
            task = asyncio.get_running_loop().create_task(function(*args, **kwargs))
        return await task

    return call


def _isolated_client(client: Client) -> Client:
    """A client that shares the connection of ``client``."""
    return type(client)(cast("Connection", _IsolatedConnection(client.connection)))
