"""`App`: what an extension may see and do while the app runs."""

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
    from narrowcast_api.state.presence import Status

__all__ = ["App"]

S = TypeVar("S", covariant=True)


class App(Protocol, Generic[S]):
    """The running app with one of its accounts: that for which the function of the extension is called. Everything is
    to be used on the app's own loop, where all functions of extensions are called.
    """

    @property
    def settings(self) -> S:
        """What ``[extensions.NAME]`` of config.toml says."""

    @property
    def log(self) -> logging.Logger:
        """Writes to the log of the app, under the name of the extension."""

    @property
    def folder(self) -> Path:
        """A folder for files of the extension, for its user alone; it is there. Raises OSError."""

    @property
    def client(self) -> Client:
        """Every operation of the service, as this account: see the reference of `narrowcast_api`."""

    def takes(self, task: str) -> bool:
        """Whether this window does a task of the extension that one window of the account does at a time, such as
        answering. The first that asks has it until it ends; then another one may. ``task``: lower-case letters, digits
        and hyphens.
        """

    # the account

    @property
    def account(self) -> str:
        """Tells the accounts of the user apart: address and organization."""

    @property
    def on_screen(self) -> bool:
        """Whether the account is the one on the screen."""

    @property
    def me(self) -> User:
        """The user whose account it is."""

    @property
    def now(self) -> float:
        """The time, in UTC seconds."""

    @property
    def connection(self) -> ConnectionStatus:
        """Whether there is a connection to the server, and since when."""

    @property
    def status(self) -> Status:
        """One's own status; an empty one for none."""

    async def set_status(self, text: str, emoji_name: str = "") -> None:
        """Another status of one's own; empty: none. Raises `NarrowcastError`."""

    def user(self, user_id: int) -> User | None:
        """Somebody by id, if they are known."""

    def status_of(self, user_id: int) -> Status:
        """Somebody's status; an empty one for none."""

    def conversation(self, message: Message) -> Destination:
        """Where a message is, and where an answer to it goes."""

    def name(self, where: Destination) -> str:
        """A conversation as the app calls it: "#general › lunch", or names of people."""

    def text(self, message: Message) -> str:
        """The words of a message in one line, at most 500 characters; what a spoiler hides is left out."""

    # what can be done

    def tell(self, text: str, *, warning: bool = False) -> None:
        """Show a notice. It begins with the name of the account while another one is on the screen."""

    def send(self, where: Destination, text: str) -> None:
        """Send a message, as if it had been written in compose: without a network it waits. Raises `NarrowcastError`
        for what cannot be sent at all.
        """

    def reply(self, message: Message, text: str) -> None:
        """Send a message to the conversation of another one."""

    @property
    def here(self) -> Destination | None:
        """The conversation that is open; None in a view of several, and while another account is on the screen."""

    def open(self, where: Destination | Narrow, message_id: int | None = None) -> None:
        """Show a conversation or a view, at a message; the account comes onto the screen for it."""

    @property
    def written(self) -> str:
        """What stands in compose; empty while another account is on the screen."""

    def write(self, text: str) -> None:
        """Put text at the cursor of compose, and go there. Raises `Refused` while another account is on the screen."""

    def redraw(self) -> None:
        """Ask anew for the segments of the status line and for the cards of messages."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do work in the background, for as long as it takes; it ends with the account. What it raises turns the
        extension off.
        """

    async def sleep(self, seconds: float) -> None:
        """Wait; cancelled with the account."""
