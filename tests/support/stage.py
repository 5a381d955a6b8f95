"""The whole app on a live account of the embedded server, driven by Textual's pilot."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace
from textual.app import App
from textual.pilot import Pilot

from narrowcast.app.app import NarrowcastApp
from narrowcast.config import account_files
from narrowcast.config.config import Appearance, Config
from narrowcast.keys.registry import by_id
from narrowcast.screens.main.screen import MainScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.account import Account
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.folders import account_folder_name, private_file, private_folder
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session
from support.fault_proxy import FaultProxy
from support.server import TestServer, running_server
from support.sessions import fetched, until


def main_screen(app: NarrowcastApp) -> MainScreen:
    """The screen with the panes, below any dialogs."""
    screen = app.accounts.screen
    assert screen is not None
    return screen


class Stage:
    """An app, its pilot, and the server that it talks to."""

    def __init__(self, server: TestServer, app: NarrowcastApp, pilot: Pilot[int]) -> None:
        self.server = server
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> MainScreen:
        """The main screen."""
        return main_screen(self.app)

    @property
    def session(self) -> Session:
        """The live account."""
        assert self.app.accounts.session is not None
        return self.app.accounts.session

    async def press(self, *keys: str) -> None:
        """Presses keys and waits for their effects."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type characters."""
        for character in text:
            await self.pilot.press("space" if character == " " else character)
        await self.pilot.pause()

    async def go(self, narrow: Narrow, anchor: int | str | None = None) -> MessageView:
        """Opens a view; waits until it has the server's messages and is drawn, so that nothing moves under
        the next key.
        """
        self.screen.go(narrow, anchor)
        view = self.session.view(narrow)
        await fetched(view)
        await self.drawn()
        return view

    async def in_topic(
        self, channel: str = "general", topic: str = "lunch", content: str = "Anybody?"
    ) -> ChannelDestination:
        """Opens a topic that has a message of Bruno's."""
        await self.server.send("bruno", channel, topic, content)
        where = ChannelDestination(self.server.channel(channel), topic)
        view = await self.go(Narrow.topic(where.channel_id, topic))
        await self.shows(view.ids[-1])
        await self.pilot.pause()
        return where

    async def drawn(self) -> None:
        """Waits until the main screen shows all changes of the session so far: see `app.frames`."""
        await self.pilot.pause()
        await until(lambda: not self.screen.frames.is_due)
        await self.pilot.pause()

    async def shows(self, message_id: int) -> None:
        """Waits until the message list has a message: the session has it up to 0.4 s earlier (`app.frames`)."""

        def has_it() -> bool:
            feed = self.screen.messages.list.feed
            return feed is not None and message_id in feed.ids

        await until(has_it)

    async def close_all(self) -> None:
        """Closes everything that lies over the main screen."""
        while self.app.screen is not self.screen:
            self.app.pop_screen()
            await self.pilot.pause()

    async def closed(self) -> None:
        """Waits until no dialog is open."""
        await until(lambda: self.app.screen is self.screen)

    @property
    def notices(self) -> list[str]:
        """The notices of the app, newest last."""
        return notices(self.app)

    def at_level(self, level: int) -> None:
        """Makes the client treat its server as one of another level than the embedded server's."""
        newer = replace(self.session.state.server, level=level)
        self.session.state.server = self.session.client.connection.server = newer

    async def told(self, text: str) -> None:
        """Waits for a notice with a text."""
        seen: dict[str, None] = {}

        def is_told() -> bool:
            seen.update(dict.fromkeys(self.notices))
            return any(text in notice for notice in seen)

        try:
            await until(is_told)
        except AssertionError:
            raise AssertionError(f"{text!r} is not in {list(seen)}") from None

    @property
    def status_line(self) -> str:
        """The text of the status line."""
        return self.screen.lines.status.plain


COMPACT = Config(appearance=Appearance(density="compact"))
"""More of what a test is about is on its screen."""


@asynccontextmanager
async def on_stage(
    folder: Path,
    *,
    person: str = "ada",
    size: tuple[int, int] = (120, 40),
    config: Config | None = None,
    server: TestServer | None = None,
    live: bool = True,
    site: str | None = None,
    stored: Sequence[str] = (),
    first_start: bool = False,
    shows_notices: bool = False,
) -> AsyncIterator[Stage]:
    """Opens the app of ``person``, on a server of its own unless one is given, and through ``site`` if given. Unless
    it is the ``first_start``, all accounts were open before, on the combined feed, and a key has been pressed.

    The accounts of ``stored`` users are in the accounts folder too, and then the person's as well. Notices are only
    drawn with ``shows_notices``.
    """
    if server is None:
        async with (
            running_server(folder / "server") as own,
            on_stage(
                folder,
                person=person,
                size=size,
                config=config,
                server=own,
                live=live,
                stored=stored,
                first_start=first_start,
                shows_notices=shows_notices,
            ) as stage,
        ):
            yield stage
        return
    paths = Paths.under(folder / f"home-{person}")
    account = server.account(person)
    account = account if site is None else dataclasses.replace(account, site=site)
    for name in stored:
        account_files.store(server.account(name), paths.accounts)
    if stored:
        rc = account_files.store(account, paths.accounts)
    else:
        rc = folder / f"{person}.zuliprc"
        account.write_zuliprc(rc)
    app = NarrowcastApp(rc, config=config or COMPACT, paths=paths)
    if not first_start:
        for one in (account, *map(server.account, stored)):
            await _open_before(one, paths)
        app.looking.key_pressed()
    async with app.run_test(size=size, notifications=shows_notices) as pilot:
        await until(lambda: app.accounts.screen is not None and app.accounts.screen.is_mounted)
        if live:
            await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
        stage = Stage(server, app, pilot)
        await stage.drawn()
        yield stage
        await app.accounts.close()


@asynccontextmanager
async def behind_proxy(
    folder: Path, *, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Stage, FaultProxy]]:
    """Opens Ada's app as `on_stage` does, on a network that the test can disturb."""
    async with (
        running_server(folder / "server") as server,
        FaultProxy(server.url) as proxy,
        on_stage(folder, size=size, server=server, site=proxy.url) as stage,
    ):
        yield stage, proxy


def notices(app: App[Any]) -> list[str]:
    """The notices on screen, newest last. Textual has no public API for them."""
    return [notice.message for notice in app._notifications]


@cache
def _files_with_the_feed() -> Mapping[str, bytes]:
    """The databases of an account whose combined feed was open: making them takes longer than all later writes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        account = "https://chat.example", "ada@demo.example"
        with AccountStorage.open(folder / "data", folder / "cache", *account, executor=inline) as storage:
            storage.cache.save_view(Narrow.all().dump(), [], None)
        return {path.name: path.read_bytes() for path in folder.rglob("*.db")}


async def _open_before(account: Account, paths: Paths) -> None:
    """Opens the combined feed of an account, unless the account was open before."""
    name = account_folder_name(account.site, account.email)
    places = {"journal.db": paths.data / name, "cache.db": paths.cache / name}
    if not any(folder.exists() for folder in places.values()):
        for file, folder in places.items():
            private_file(private_folder(folder) / file).write_bytes(_files_with_the_feed()[file])
        return
    session = await Session.open(account, data_dir=paths.data, cache_dir=paths.cache)
    if session.last_narrow is None:
        session.cache_view(Narrow.all())
    await session.close(0)


async def run(stage: Stage, command_id: str) -> None:
    """Runs a command, as when it is chosen in the palette."""
    await stage.app.perform(by_id()[command_id])
    await stage.pilot.pause()


def file_of(stage: Stage, name: str) -> Path:
    """The file in which a user's account is stored."""
    return account_files.file_of(stage.app.paths.accounts, account_files.name_for(stage.server.account(name)))


async def all_live(stage: Stage, count: int) -> None:
    """Waits until this many accounts are open and live."""
    live = stage.app.accounts.live
    await until(lambda: len(live()) == count and all(one.session.is_live for one in live()))


async def on_screen(stage: Stage, name: str) -> None:
    """Waits until the account of that user is on screen."""
    await until(
        lambda: (
            stage.app.accounts.file == file_of(stage, name)
            and stage.app.screen is stage.app.accounts.screen
            and stage.screen.is_mounted
        )
    )
