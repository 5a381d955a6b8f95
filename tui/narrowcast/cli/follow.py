"""Prints new messages until interrupted.

The event queue only signals that a message arrived; the messages after the last printed one are then fetched. So
the same code handles new messages, messages received while offline, and any narrow that the server supports. A
server that was restored to an older state gives ids of printed messages to later ones, which are known by their time.
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
from narrowcast_api.events.event_source import open_socket
from narrowcast_api.events.stream import EventStream

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.events.status import ConnectionStatus
    from narrowcast_api.model.messages import FetchedMessage
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.wire.events import Event
    from narrowcast_api.wire.messages import MessagePage

__all__ = ["Follower", "follow"]

PAGE = 1000

Print = Callable[["FetchedMessage"], None]


async def follow(account: Account, narrow: Narrow, limit: int, show: Print, *, named: bool) -> None:
    """Prints the newest ``limit`` messages of a narrow, then each new one, until SIGTERM. Raises CommandError
    if the server rejects the connection for good.
    """

    loop = asyncio.get_running_loop()
    async with Client.open(account) as client:
        follower = Follower(client, await wire_narrow(client, narrow), show, named=named)
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


class Follower:
    """Prints the messages of one narrow."""

    def __init__(
        self, client: Client, narrow: Sequence[dict[str, object]], show: Print, *, named: bool
    ) -> None:
        self._client = client
        self._narrow = list(narrow)
        self._show = show
        self._named = named
        self._last = self._last_time = 0
        """Id and time of the newest message that was printed."""
        self._is_registered = False
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
        page = await self._page("newest", before=limit)
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
        self._is_registered = True
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
        try:
            if self._is_registered and self._last:
                await self._catch_up_with_restored()
            self._is_registered = False
            while not self._refused:
                page = await self._page(self._last, after=PAGE)
                fresh = [one for one in page.fetched if one.message.id > self._last]
                self._print(fresh)
                if page.found_newest or not fresh:
                    return
        except NarrowcastError:
            return  # the stream fails as well, and sets the bell again when the server responds

    async def _catch_up_with_restored(self) -> None:
        """Prints the later messages that have ids of printed ones, if the last printed one is not there any more."""
        last = (self._last, self._last_time)
        there = (await self._page(self._last, before=1)).fetched
        if any((one.message.id, one.message.timestamp) == last for one in there):
            return
        newest = (await self._page("newest", before=PAGE)).fetched
        later = [
            one for one in newest if one.message.id <= self._last and one.message.timestamp > self._last_time
        ]
        self._last = min(self._last, max((one.message.id for one in newest), default=0))
        self._print(later)

    async def _page(self, anchor: int | str, *, before: int = 0, after: int = 0) -> MessagePage:
        return await self._client.messages.list(
            narrow=self._narrow,
            anchor=anchor,
            num_before=before,
            num_after=after,
            apply_markdown=False,
            allow_empty_topic_name=not self._named,
        )

    def _print(self, messages: Sequence[FetchedMessage]) -> None:
        for fetched in messages:
            self._show(fetched)
            self._last = max(self._last, fetched.message.id)
            self._last_time = max(self._last_time, fetched.message.timestamp)
        sys.stdout.flush()
