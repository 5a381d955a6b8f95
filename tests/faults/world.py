"""A server, a proxy with faults, and Ada's session behind it; Bruno's connection has no faults."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox import OutboxEntry, OutboxState
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session
from support.fault_proxy import FaultProxy
from support.server import TestServer, running_server
from support.sessions import until
from support.timing import RunningTime

SPEED = 10.0
"""How many times faster than real time the clocks of client and server run."""

FROZEN = 1.0
"""Seconds for which the loop may be blocked: far above what a busy machine causes."""

PATIENCE = 40.0
"""Seconds of real time until everything must have settled."""


class FastClock:
    """Time that runs `SPEED` times as fast as real time."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def now(self) -> float:
        return 1_800_000_000.0 + self.monotonic()

    def monotonic(self) -> float:
        return (time.monotonic() - self._start) * SPEED

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds) / SPEED)


class World:
    """What a scenario acts on. `folder` has the server's and the client's data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FastClock()
        self.server: TestServer
        self.proxy: FaultProxy
        self.session: Session
        self.running_time = RunningTime()
        self.worst_pause = 0.0
        self._server_stack = AsyncExitStack()
        self._running: dict[Session, asyncio.Task[None]] = {}

    # the server

    async def start_server(self) -> None:
        """Starts it, or starts it again with the same data."""
        self._server_stack = AsyncExitStack()
        running = running_server(self.folder / "server", clock=self.clock)
        self.server = await self._server_stack.enter_async_context(running)
        if hasattr(self, "proxy"):
            self.proxy.target = self.server.url

    async def stop_server(self) -> None:
        await self._server_stack.aclose()

    @property
    def channel(self) -> int:
        return self.server.channel("general")

    @property
    def soup(self) -> ChannelDestination:
        return ChannelDestination(self.channel, "soup")

    @property
    def tea(self) -> ChannelDestination:
        return ChannelDestination(self.channel, "tea")

    async def contents(self, topic: str, sender: str | None = None) -> list[str]:
        """The messages on the server, as source."""
        found = await self.server.newest("chiyo", channel=self.channel, topic=topic)
        wanted = None if sender is None else self.server.id(sender)
        return [m["content"] for m in found if wanted is None or m["sender_id"] == wanted]

    async def message_ids(self, topic: str) -> list[int]:
        return [m["id"] for m in await self.server.newest("ada", channel=self.channel, topic=topic)]

    async def server_drafts(self) -> list[str]:
        response = await self.server.call("ada", "GET", "/drafts")
        return sorted(draft["content"] for draft in response["drafts"])

    # the client

    async def open_session(self, device: str = "laptop", *, wait: bool = True) -> Session:
        """Ada's session on one of her devices, through the proxy."""
        account = replace(self.server.account("ada"), site=self.proxy.url)
        folder = self.folder / device
        session = await Session.open(
            account, data_dir=folder / "data", cache_dir=folder / "cache", clock=self.clock
        )
        self._running[session] = asyncio.create_task(session.run())
        if wait:
            await until(lambda: session.is_live, PATIENCE, what="the session is live")
        return session

    async def close_session(self, session: Session) -> None:
        task = self._running.pop(session)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await session.close()

    async def close(self) -> None:
        for session in list(self._running):
            await self.close_session(session)
        with suppress(OSError):
            await self.proxy.heal()
        await self.stop_server()

    async def view(self, session: Session) -> MessageView:
        view = session.view(Narrow.topic(self.channel, "soup"))
        await view.open()
        return view

    # time

    async def passes(self, seconds: float) -> None:
        """Waits for seconds of the accelerated clock."""
        await self.clock.sleep(seconds)

    async def watch_the_loop(self) -> None:
        """Measures the longest time for which nothing else could run."""
        while True:
            before = self.running_time.mark()
            await asyncio.sleep(0.02)
            self.worst_pause = max(self.worst_pause, self.running_time.since(before) - 0.02)

    async def calm(self, session: Session) -> list[OutboxEntry]:
        """Waits until nothing is pending, sending again what is offered; returns the offered entries."""
        offered: dict[str, OutboxEntry] = {}

        def settled() -> bool:
            entries = session.outbox.entries()
            for entry in entries:
                if entry.state is OutboxState.FAILED:
                    offered[entry.local_id] = entry
                    session.outbox.retry(entry.local_id)
            drafts = session.drafts.all()
            return session.is_live and not entries and all(draft.synced for draft in drafts)

        try:
            await until(settled, PATIENCE, what="everything is calm again")
        except AssertionError as error:
            states = [(e.content, e.state, e.error) for e in session.outbox.entries()]
            drafts = [(d.content, d.synced, d.error) for d in session.drafts.all()]
            told = json.dumps(
                [str(session.status), str(states), str(drafts), self.proxy.seen[-30:]], indent=1
            )
            raise AssertionError(f"{error}\n{told}") from None
        return list(offered.values())


@asynccontextmanager
async def world_at(folder: Path) -> AsyncIterator[World]:
    """A world without faults."""
    world = World(folder)
    await world.start_server()
    async with FaultProxy(world.server.url) as proxy:
        world.proxy = proxy
        with world.running_time:
            watching = asyncio.create_task(world.watch_the_loop())
            try:
                yield world
            finally:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
                await world.close()
