"""Prints new messages until interrupted.

The event queue only signals that a message arrived; the messages after the last printed one are then fetched. So
the same code handles new messages, messages received while offline, and any narrow that the server supports.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from narrowcast.cli.directory import wire_narrow
from narrowcast.cli.outcome import CommandError, Exit, print_error, quoted
from narrowcast_api.client import Client
from narrowcast_api.clock import SystemClock
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.events.event_socket import open_socket
from narrowcast_api.events.stream import EventStream

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.events.status import ConnectionStatus
    from narrowcast_api.model.messages import FetchedMessage
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.wire.events import Event

__all__ = ["follow"]

PAGE = 1000

Print = Callable[["FetchedMessage"], None]


async def follow(account: Account, narrow: Narrow, limit: int, show: Print, *, named: bool) -> None:
    """Prints the newest ``limit`` messages of a narrow, then each new one, until SIGTERM. Raises CommandError
    if the server rejects the connection for good.
    """

    loop = asyncio.get_running_loop()
    async with Client.open(account) as client:
        follower = _Follower(client, await wire_narrow(client, narrow), show, named=named)
        work = asyncio.ensure_future(follower.run(limit))
        ended = asyncio.Event()

        def end() -> None:
            ended.set()
            work.cancel()

        loop.add_signal_handler(signal.SIGTERM, end)
        try:
            await work
        except asyncio.CancelledError:
            if not ended.is_set():
                raise
        finally:
            loop.remove_signal_handler(signal.SIGTERM)


class _Follower:
    """Prints the messages of one narrow."""

    def __init__(
        self, client: Client, narrow: Sequence[dict[str, object]], show: Print, *, named: bool
    ) -> None:
        self._client = client
        self._narrow = list(narrow)
        self._show = show
        self._named = named
        self._last = 0
        self._bell = asyncio.Event()
        self._refused = ""
        self._is_down = False
        self._stream = EventStream(
            client.connection,
            clock=SystemClock(),
            receiver=self,
            open_socket=open_socket,
        )

    async def run(self, limit: int) -> None:
        """Prints the newest messages, then new ones as they arrive."""
        page = await self._client.messages.list(
            narrow=self._narrow,
            anchor="newest",
            num_before=limit,
            apply_markdown=False,
            allow_empty_topic_name=not self._named,
        )
        self._print(list(page.fetched)[-limit:])
        receiving = asyncio.ensure_future(self._stream.run())
        try:
            while not self._refused:
                await self._bell.wait()
                self._bell.clear()
                await self._catch_up()
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)
        raise CommandError(self._refused, Exit.NOT_ALLOWED)

    async def on_snapshot(self, response: dict[str, object]) -> None:
        self._bell.set()

    async def on_events(self, events: Sequence[Event]) -> None:
        if any(event.type == "message" for event in events):
            self._bell.set()

    def on_status(self, status: ConnectionStatus) -> None:
        kind = status.kind.value
        if kind == "refused":
            self._refused = quoted(status.detail) or "the server no longer accepts the API key"
            self._bell.set()
        elif kind in ("reconnecting", "offline") and not self._is_down:
            self._is_down = True
            print_error(f"connection lost, reconnecting ({quoted(status.detail)})")
        elif kind == "live" and self._is_down:
            self._is_down = False
            print_error("connected again")

    async def _catch_up(self) -> None:
        while not self._refused:
            try:
                page = await self._client.messages.list(
                    narrow=self._narrow,
                    anchor=self._last,
                    num_after=PAGE,
                    include_anchor=False,
                    apply_markdown=False,
                    allow_empty_topic_name=not self._named,
                )
            except NarrowcastError:
                return  # the stream fails as well, and sets the bell again when the server responds
            fresh = [one for one in page.fetched if one.message.id > self._last]
            self._print(fresh)
            if page.found_newest or not fresh:
                return

    def _print(self, messages: Sequence[FetchedMessage]) -> None:
        for fetched in messages:
            self._show(fetched)
            self._last = max(self._last, fetched.message.id)
        sys.stdout.flush()
