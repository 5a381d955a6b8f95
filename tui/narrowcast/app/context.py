"""What widgets know of the app that they are in, and nothing of how it is made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, cast

from msgspec import Struct
from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from narrowcast_api.events.status import ConnectionKind

if TYPE_CHECKING:
    from narrowcast.app.config import Config
    from narrowcast.app.config_file import Value
    from narrowcast.app.config_keys import ConfigKey
    from narrowcast.commands.command import Command
    from narrowcast.content.blocks import Document
    from narrowcast.terminal.paths import Paths
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.sync.session import Session

P = ParamSpec("P")


class ListedAccount(Struct, frozen=True):
    """An account: its file, its name, and its session if it is open, or why it could not be opened."""

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
        """Why it cannot be opened or used, for people."""
        status = self.session.status if self.session is not None else None
        return status.detail if status is not None and status.kind is ConnectionKind.REFUSED else self.problem


class AccountsContext(Protocol):
    """Which account is on screen, and which others are open."""

    @property
    def file(self) -> Path | None:
        """Where the account that is shown is stored."""

    @property
    def screen(self) -> Screen[None] | None:
        """The main screen, if an account is open."""

    async def open(self, path: Path) -> None:
        """Show the account in a file and bring it to life."""

    def listed(self) -> Sequence[ListedAccount]:
        """The accounts that are stored, in their order, and the one on screen where that is not stored."""

    def others(self) -> Sequence[ListedAccount]:
        """The accounts that are open and not on screen, and those that could not be opened."""

    async def switch(self, path: Path, narrow: Narrow | None = None, anchor: int | str | None = None) -> None:
        """Show another account, at a view if one is given."""

    async def sign_out(self, path: Path | None = None) -> None:
        """Forget an account, the one on screen unless another is named, and its key."""

    async def reopen(self) -> None:
        """Take up the account anew as its file has it now."""

    async def end(self, reason: str) -> None:
        """The account is no more: back to the welcome, which says why."""


class DemoContext(Protocol):
    """The demo: a server of its own with a made-up organization."""

    async def start(self) -> None:
        """Open the demo on a server of its own."""


class OfferLike(Protocol):
    """A completion that an extension offers: texts of any origin."""

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
        """What the configuration says, else the default."""

    def problem(self, tables: Mapping[str, Mapping[str, object]], key: str) -> str:
        """What is wrong with the settings of the extension that ``key`` belongs to; empty for nothing."""


class ExtensionsContext(Protocol):
    """The extensions, as panes ask them; before they are loaded, and where there are none, they add nothing."""

    @property
    def settings(self) -> ExtensionSettingsContext | None:
        """Their settings; None where none are loaded."""

    @property
    def cards(self) -> Callable[[Document], Document] | None:
        """Puts their cards into a message; None where there are none."""

    def segments(self) -> Sequence[str]:
        """What they add to the status line; safe to show."""

    @property
    def slash_commands(self) -> Sequence[tuple[str, str]]:
        """The word of each slash command, and what it is for."""

    def offers(self, line: str) -> tuple[int, Sequence[OfferLike]] | None:
        """Completions for the end of the line that is being written: where what they replace begins, and they."""

    def slash(self, content: str, done: Callable[[str | None], None]) -> bool:
        """Run the slash command that a text begins with; whether there is one. ``done`` gets what is to be sent in its
        place, or None for nothing; it is not called where the command failed.
        """


class AppContext(Protocol):
    """The running app as everything else sees it: telling the user, work in the background, the accounts."""

    config: Config
    paths: Paths
    keys: Mapping[str, Sequence[str]]
    """The keys of each command by its id."""
    outside: asyncio.subprocess.Process | None
    """A program that has the terminal for now."""

    @property
    def extensions(self) -> ExtensionsContext: ...

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """Say something to the user. ``text`` may come from anywhere."""

    def refuse(self, text: str) -> bool:
        """A key could not act: say why. What is typed on in the same moment is not run as commands. Nothing is done for
        an empty text; whether there is one.
        """

    def field_left(self) -> None:
        """Escape left a field: another one in the same moment is not meant for what lies behind."""

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Do ``work`` in the background. Whatever goes wrong is told to the user and logged."""

    @property
    def accounts(self) -> AccountsContext: ...

    @property
    def demo(self) -> DemoContext: ...

    def use_config(self, config: Config) -> None:
        """Go on with a configuration that was changed: theme and keys at once, the rest where it is read next."""

    async def change_config(self, key: str, value: Callable[[], Value | None]) -> None:
        """Write one key of ``config.toml``, or take it out for None, and go on with what it says then.

        One change after the other: ``value`` is asked once those before are done. Raises ConfigError.
        """

    async def perform(self, command: Command) -> None:
        """Run a command, whatever has its action."""

    def action_app_quit(self) -> None:
        """End the app; what is written is kept."""


def in_app(callback: Callable[P, None]) -> Callable[P, None]:
    """``callback`` for those who call from outside of the app, such as the session or a signal.

    Textual's timers and messages need the context that widgets run in; make this where a widget is mounted.
    """
    context = copy_context()

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        context.copy().run(callback, *args, **kwargs)

    return call


class InApp(Protocol):
    """A widget, a screen, or what stands for one."""

    @property
    def app(self) -> App[Any]: ...


def app_of(node: InApp) -> AppContext:
    """The running app. Raises TypeError for a widget in some other app, which is a defect."""
    app = node.app
    if not hasattr(app, "accounts"):
        raise TypeError(f"{node} is not in a NarrowcastApp")
    return cast(AppContext, app)


def focus_now(widget: Widget) -> None:
    """Give ``widget`` the keys at once: ``Widget.focus`` waits, and what is typed meanwhile goes astray."""
    widget.screen.set_focus(widget)
