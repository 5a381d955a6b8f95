"""The start of a session on the embedded server: the cache is shown first; nothing is fetched twice or
missed.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Page
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.sync.session import Session
from support.api import ACCOUNT
from support.server import running_server
from support.sessions import session_of, soup, until


async def test_the_next_start_shows_what_was_known_before_there_is_a_network(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        account, narrow = server.account("dario"), soup(server)
        async with session_of(account, tmp_path / "dario") as session:
            view = session.view(narrow)
            await view.open()
            sent = [await server.send("ada", "general", "soup", f"number {i}") for i in range(3)]
            await server.send_direct("ada", ["dario"])
            await until(lambda: list(view.ids) == sent and session.state.unreads.count_directs() == 1)
            session.read_marks.seen(sent[:2])
            await until(lambda: session.state.unreads.count_topic(server.channel("general"), "soup") == 1)
            session.cache_view(narrow, sent[2])
            me = session.state.me
            general = server.channel("general")
    async with session_of(account, tmp_path / "dario", run=False) as session:
        assert session.state.from_cache
        assert session.state.me == me
        assert session.last_narrow == narrow
        view = session.view(narrow)
        assert list(view.ids) == sent
        assert view.gaps[0].after == sent[-1]
        assert session.state.unreads.count_topic(server.channel("general"), "soup") == 1
        assert session.state.unreads.count_directs() == 1
        assert [
            hit.message.id for hit in (await session.search_cached(Narrow.search("number"))).hits
        ] == sent[::-1]
        assert [message.id for message in await session.newest_cached(narrow, 2)] == sent[1:]
        assert [message.id for message in await session.newest_cached(Narrow.channel(general), 9)] == sent
        assert len(await session.newest_cached(Narrow.all(), 9)) == 4
        await view.open()
        assert view.error is not None
        assert list(view.ids) == sent


async def test_the_next_start_does_not_ask_again_what_server_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path / "server") as server:
        async with session_of(server.account("dario"), tmp_path / "dario") as session:
            known_then = session.client.connection.server
        monkeypatch.setattr(Connection, "identify", None)
        async with session_of(server.account("dario"), tmp_path / "dario") as session:
            assert session.client.connection.server.level == known_then.level
            await session.view(soup(server)).open()
            assert session.view(soup(server)).error is None


async def test_what_was_asked_for_before_there_was_a_snapshot_is_asked_for_again(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        session_of(server.account("ada"), tmp_path / "ada", run=False) as session,
    ):
        fetch, held, asked = session.pages.fetch, asyncio.Event(), asyncio.Event()

        async def slow(*args: Any, **options: Any) -> Page:
            is_first = not asked.is_set()
            asked.set()
            page = await fetch(*args, **options)
            if is_first:
                await held.wait()
            return page

        session.pages.fetch = slow  # type: ignore[method-assign]  # the first response takes its time
        view = session.view(Narrow.all())
        opening = asyncio.create_task(view.open())
        await asked.wait()
        running = asyncio.create_task(session.run())
        await until(lambda: session.is_live)
        held.set()
        await opening
        message_id = await server.send("bruno", "general", "soup")
        await until(lambda: view.ids == (message_id,))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_an_account_whose_opening_is_cancelled_is_not_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, cancelled = threading.Event(), threading.Event()
    open_storage = AccountStorage.open
    folders = (tmp_path / "data", tmp_path / "cache")

    def slow(*args: Any, **options: Any) -> AccountStorage:
        opening.set()
        cancelled.wait()
        return open_storage(*args, **options)

    monkeypatch.setattr(AccountStorage, "open", slow)
    task = asyncio.create_task(Session.open(ACCOUNT, data_dir=folders[0], cache_dir=folders[1]))
    await asyncio.to_thread(opening.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    cancelled.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    with open_storage(*folders, ACCOUNT.site, ACCOUNT.email) as storage:
        assert storage.other_windows() == []
