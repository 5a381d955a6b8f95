"""Sessions of several users on one embedded server, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from inspect import isawaitable
from pathlib import Path

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session
from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.processes import Late
from support.server import TestServer

QUICK = ServerConfig(limits=ServiceLimits(longpoll_seconds=1, heartbeat_seconds=(0.3, 0.5)))
"""A server whose silence counts as suspicious after a second."""


async def until(
    condition: Callable[[], object], seconds: float = 30.0, *, what: str = "what was waited for"
) -> None:
    """Waits until a condition holds, running the loop. Awaitable results are awaited. Raises Late, with
    `what`, after too long.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        found = condition()
        if await found if isawaitable(found) else found:
            return
        if asyncio.get_running_loop().time() > deadline:
            raise Late(what)
        await asyncio.sleep(0.005)


def known(session: Session, message_id: int) -> Message:
    """Waits until a session has received a message, and returns it."""
    message = session.state.messages.get(message_id)
    assert message is not None
    return message


def soup(server: TestServer) -> Narrow:
    """A topic of a channel to which all users are subscribed."""
    return Narrow.topic(server.channel("general"), "soup")


async def fetched(view: MessageView | None) -> None:
    """Waits until a view has the server's messages, not only cached ones."""
    assert view is not None
    await until(lambda: not view.loading and (not view.is_stale or view.error is not None))


@asynccontextmanager
async def session_of(
    account: Account, folder: Path, *, polling: bool = False, run: bool = True
) -> AsyncIterator[Session]:
    """A running, live session; `polling` keeps it from using a WebSocket stream."""
    transport = httpx2.AsyncHTTPTransport() if polling else None
    session = await Session.open(
        account, data_dir=folder / "data", cache_dir=folder / "cache", transport=transport
    )
    task = asyncio.create_task(session.run()) if run else None
    try:
        if run:
            await until(lambda: session.is_live)
        yield session
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await session.close()


@asynccontextmanager
async def sessions(
    server: TestServer, folder: Path, *names: str, site: str | None = None, polling: bool = False
) -> AsyncIterator[list[Session]]:
    """Running sessions of these users; the first one connects to `site` if given."""
    async with AsyncExitStack() as stack:
        running: list[Session] = []
        for name in names:
            account = server.account(name)
            if site is not None and not running:
                account = replace(account, site=site)
            running.append(
                await stack.enter_async_context(session_of(account, folder / name, polling=polling))
            )
        yield running
