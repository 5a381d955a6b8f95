"""A server and a network with faults, in a thread of their own, so that terminals can be read meanwhile."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from narrowcast_api.account import Account
from support.fault_proxy import FaultProxy
from support.server import JsonObject, LoopThread, TestServer, running_server

T = TypeVar("T")
PEOPLE = ("ada", "bruno", "chiyo")
"""The users whose accounts the windows have."""
TOPICS = ("soup", "tea")


class Backdrop:
    """`do` runs a coroutine in the server's thread. The apps connect through `proxy`."""

    def __init__(self, folder: Path, thread: LoopThread) -> None:
        self._folder = folder
        self._thread = thread
        self._stack = AsyncExitStack()
        self.server: TestServer
        self.proxy: FaultProxy

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in the thread and waits for it here."""
        return self._thread.do(work)

    async def begin(self) -> None:
        self.server = await self._stack.enter_async_context(running_server(self._folder / "server"))
        self.proxy = await self._stack.enter_async_context(FaultProxy(self.server.url))
        for topic in TOPICS:
            await self.server.send("elif", "general", topic, f"Who has {topic}?")
        for name in PEOPLE:
            await self.server.send_direct(name, [name], "Mine alone")
            # the inbox, to which Esc would go, covers the messages
            await self.server.call(name, "PATCH", "/settings", {"web_home_view": "all_messages"})

    async def end(self) -> None:
        await self._stack.aclose()

    def call(self, name: str, method: str, path: str, params: dict[str, object] | None = None) -> JsonObject:
        """Sends one request over a connection without faults."""
        return self.do(self.server.call(name, method, path, params))

    def account(self, name: str) -> Account:
        """A user's account, through the proxy."""
        return replace(self.server.account(name), site=self.proxy.url)

    def messages(self, name: str, *, source: bool) -> list[JsonObject]:
        """All messages that a user can read."""
        params = {"narrow": [], "anchor": "newest", "num_before": 1000, "num_after": 0}
        response = self.call(name, "GET", "/messages", {**params, "apply_markdown": not source})
        return [dict(message) for message in response["messages"]]

    def earlier_texts(self, name: str, message_id: int) -> list[str]:
        """The previous texts of an edited message."""
        response = self.call(name, "GET", f"/messages/{message_id}/history")
        return [version["content"] for version in response["message_history"]]


@contextmanager
def backdrop(folder: Path) -> Iterator[Backdrop]:
    """A server without faults, until the end of the block."""
    with LoopThread() as thread:
        stage = Backdrop(folder, thread)
        stage.do(stage.begin())
        try:
            yield stage
        finally:
            stage.do(stage.end())
