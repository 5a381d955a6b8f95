"""What widgets know of the running app: protocols only, without its implementation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, Protocol, cast, runtime_checkable

from msgspec import Struct
from textual.screen import Screen

from narrowcast.keys.hints import HasApp
from narrowcast_api.events.status import ConnectionKind

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from narrowcast.config.config import Config
    from narrowcast.config.config_file import ConfigKey, Value
    from narrowcast.content.blocks import Document
    from narrowcast.keys.command import Command
    from narrowcast.runtime.looking import Looking
    from narrowcast.terminal.paths import Paths
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.sync.session import Session

P = ParamSpec("P")


class ListedAccount(Struct, frozen=True):
    """A listed account: its file and name, its session if it is open, and the reason if it could not be opened."""

    file: Path
    name: str
    session: Session | None = None
    problem: str = ""

    @property
    def mark(self) -> str:
        """● live, ◌ not connected, ! cannot be opened or used."""
        status = self.session.status if self.session is not None else None
        if status is None or status.kind is ConnectionKind.REFUSED:
            return "!"
        return "●" if status.is_live else "◌"

    @property
    def trouble(self) -> str:
        """Why the account cannot be opened or used, as a text for the user."""
        status = self.session.status if self.session is not None else None
        return status.detail if status is not None and status.kind is ConnectionKind.REFUSED else self.problem


class AccountsContext(Protocol):
    """The account on screen and the other open accounts."""

    @property
    def file(self) -> Path | None:
        """The file of the account on screen."""

    @property
    def screen(self) -> Screen[None] | None:
        """The main screen, if an account is open."""

    async def open(self, path: Path) -> None:
        """Shows the account in a file and connects it, again if it was open: its key may be new."""

    def listed(self) -> Sequence[ListedAccount]:
        """The stored accounts in their order, and the one on screen if it is not stored."""

    def others(self) -> Sequence[ListedAccount]:
        """The accounts that are open but not on screen, and those that could not be opened."""

    async def switch(self, path: Path, narrow: Narrow | None = None, anchor: int | str | None = None) -> None:
        """Shows another account, with a view if one is given."""

    async def sign_out(self, path: Path | None = None) -> None:
        """Deletes a stored account and its key; by default the one on screen."""

    async def reopen(self, path: Path) -> None:
        """Opens an account again, with the current content of its file; does nothing if it is no longer open."""

    async def end(self, path: Path, reason: str) -> None:
        """Closes an account, which no longer exists, and shows the reason; on the welcome screen if it was on
        screen.
        """


class DemoContext(Protocol):
    """The demo: a server in a process of its own with a made-up organization."""

    @property
    def is_open(self) -> bool:
        """Whether the app shows the demo, or is starting it."""

    async def start(self) -> None:
        """Starts the demo server and opens its account."""


class OfferLike(Protocol):
    """A completion that an extension offers. Its texts are untrusted."""

    @property
    def insert(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def detail(self) -> str: ...


class ExtensionSettingsContext(Protocol):
    """The settings of the extensions that were found."""

    def keys(self) -> Mapping[str, Sequence[ConfigKey]]:
        """The keys of each extension's settings, by heading."""

    def value(self, tables: Mapping[str, Mapping[str, object]], key: str) -> Value:
        """The value in the configuration, else the default."""

    def problem(self, tables: Mapping[str, Mapping[str, object]], key: str) -> str:
        """The error in the settings of the extension that ``key`` belongs to; empty if none."""


class ExtensionsContext(Protocol):
    """The extensions, as panes see them; they add nothing before they are loaded or if there are none."""

    @property
    def settings(self) -> ExtensionSettingsContext | None:
        """Their settings; None if none are loaded."""

    @property
    def cards(self) -> Callable[[Document], Document] | None:
        """Inserts their cards into a message; None if there are none."""

    def segments(self) -> Sequence[str]:
        """Texts that they add to the status line; safe to show."""

    @property
    def slash_commands(self) -> Sequence[tuple[str, str]]:
        """The name and the description of each slash command."""

    def offers(self, line: str) -> tuple[int, Sequence[OfferLike]] | None:
        """Completions for the end of the current line, and the index at which the replaced text begins."""

    def slash(self, content: str, done: Callable[[str | None], None]) -> bool:
        """Runs the slash command at the start of a text; returns whether there is one. ``done`` receives the
        text to send instead, or None for nothing; it is not called if the command failed.
        """


@runtime_checkable
class FollowsConfig(Protocol):
    """A screen that applies a changed configuration while it is open."""

    def config_changed(self) -> None:
        """Called after each change of the configuration."""


class AppContext(Protocol):
    """The running app as all other modules see it: notices, background tasks, accounts."""

    config: Config
    paths: Paths
    keys: Mapping[str, Sequence[str]]
    """The keys of each command by its id."""
    looking: Looking
    """Whether the user is looking at the terminal."""
    external_program: asyncio.subprocess.Process | None
    """An external program that uses the terminal at the moment."""

    @property
    def extensions(self) -> ExtensionsContext: ...

    @property
    def keys_wait(self) -> bool:
        """Whether further keys were pressed while one is being handled."""

    def tell(
        self, text: str, *, severity: SeverityLevel = "information", seconds: float | None = None
    ) -> None:
        """Shows a notice to the user. ``text`` is untrusted."""

    def refuse(self, text: str) -> bool:
        """Shows why a key had no effect, and does not run text that is typed right after it as commands. Does
        nothing if ``text`` is empty; returns whether there was a text.
        """

    def copy(self, text: str, copied: Callable[[], object]) -> None:
        """Copies a text to the clipboard, and calls ``copied`` when it is there; if that is not possible, shows it for
        the user to select. Call it only on a command of the user.
        """

    async def read_clipboard(self) -> bytes | None:
        """The clipboard of the terminal, which it tells also over SSH; None if it does not. Call it only on a
        command of the user.
        """

    def field_left(self) -> None:
        """Called when Escape left a field: ignores another one at once, which is not meant for the screen behind."""

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Runs ``work`` in the background. Errors are shown to the user and logged."""

    @property
    def accounts(self) -> AccountsContext: ...

    @property
    def demo(self) -> DemoContext: ...

    def use_config(self, config: Config) -> None:
        """Applies a configuration that was changed at run time: theme and keys at once, the rest when it is
        next read.
        """

    async def change_config(self, key: str, value: Callable[[], Value | None]) -> None:
        """Writes one key of ``config.toml``, or removes it if the value is None, and applies the new
        configuration.

        Changes run one at a time; ``value`` is called once the earlier ones are done. Raises ConfigError.
        """

    async def perform(self, command: Command) -> None:
        """Runs a command on whichever node has its action."""

    def action_app_quit(self) -> None:
        """Ends the app; unsent text is saved."""


def in_app(callback: Callable[P, None]) -> Callable[P, None]:
    """``callback`` for callers outside of the app, such as the session or a signal handler.

    Textual's timers and messages need the context in which widgets run: call this where a widget is mounted.
    """
    context = copy_context()

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        context.copy().run(callback, *args, **kwargs)

    return call


def app_of(node: HasApp) -> AppContext:
    """The running app. Raises TypeError if the node is in some other app, which is a bug."""
    app = node.app
    if not hasattr(app, "accounts"):
        raise TypeError(f"{node} is not in a NarrowcastApp")
    return cast(AppContext, app)
