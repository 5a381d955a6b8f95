"""`App`: the interface through which an extension uses the running app."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.events.status import ConnectionStatus
    from narrowcast_api.model.messages import Message
    from narrowcast_api.model.users import User
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.resources.status import Status

__all__ = ["App"]

S = TypeVar("S", covariant=True)


class App(Protocol, Generic[S]):
    """The running app with one of its accounts: the one for which the extension's function is called. Use
    everything on the app's own loop, where all functions of extensions are called.
    """

    @property
    def settings(self) -> S:
        """The extension's settings, from ``[extensions.NAME]`` of config.toml."""

    @property
    def log(self) -> logging.Logger:
        """A logger that writes to the app's log, under the name of the extension."""

    @property
    def folder(self) -> Path:
        """An existing folder for files of the extension, accessible to this user only. Raises OSError."""

    @property
    def client(self) -> Client:
        """The API client of this account, with every operation of the service: see the reference of
        `narrowcast_api`.
        """

    def takes(self, task: str) -> bool:
        """Whether this window owns ``task``, which only one window of the account may do at a time, such as
        answering. The first window that asks owns the task until it ends; then another one may. ``task``:
        lower-case letters, digits and hyphens.
        """

    # the account

    @property
    def account(self) -> str:
        """A unique name of the account: address and organization."""

    @property
    def on_screen(self) -> bool:
        """Whether the account is the one on the screen."""

    @property
    def me(self) -> User:
        """The user of the account on screen."""

    @property
    def now(self) -> float:
        """The current time, in UTC seconds."""

    @property
    def connection(self) -> ConnectionStatus:
        """Whether there is a connection to the server, and since when."""

    @property
    def status(self) -> Status:
        """The current user's status; empty if none is set."""

    async def set_status(self, text: str, emoji_name: str = "") -> None:
        """Sets the current user's status; empty values clear it. Raises `NarrowcastError`."""

    def user(self, user_id: int) -> User | None:
        """The user with this id; None if unknown."""

    def status_of(self, user_id: int) -> Status:
        """The status of a user; empty if none is set."""

    def conversation(self, message: Message) -> Destination:
        """The conversation of a message, to which a reply goes."""

    def name(self, where: Destination) -> str:
        """The app's name for a conversation: "#general › lunch", or names of people."""

    def text(self, message: Message) -> str:
        """The text of a message in one line, at most 500 characters, without the contents of spoilers."""

    # actions

    def tell(self, text: str, *, warning: bool = False) -> None:
        """Shows a notice, prefixed with the account's name while another account is on the screen."""

    def send(self, where: Destination, text: str) -> None:
        """Sends a message as if from the compose box: without a connection it waits in the outbox. Raises
        `NarrowcastError` if it can never be sent.
        """

    def reply(self, message: Message, text: str) -> None:
        """Sends a message to the conversation of ``message``."""

    @property
    def here(self) -> Destination | None:
        """The open conversation; None if the view shows several, or another account is on the screen."""

    def open(self, where: Destination | Narrow, message_id: int | None = None) -> None:
        """Shows a conversation or a view, at a message if given; switches to this account if needed."""

    @property
    def written(self) -> str:
        """The text in compose; empty while another account is on the screen."""

    def write(self, text: str) -> None:
        """Inserts text at the cursor of compose, and focuses it. Raises `Refused` while another account is on
        the screen.
        """

    def redraw(self) -> None:
        """Reads the segments of the status line and the cards of messages again."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work in the background without a time limit; it is cancelled when the account is closed. An
        exception turns the extension off.
        """

    async def sleep(self, seconds: float) -> None:
        """Waits; cancelled when the account is closed."""
