"""A message view without a session: the test responds to its requests, when it wants to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any

from narrowcast_api.errors import NarrowcastError
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.model.messages import Match, Message, read_message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.protocols.change_bus import ChangeBus
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.pages import Pages
from narrowcast_api.tasks import Tasks
from support.clock import VirtualClock
from support.live import SOUP, channel_message, make_state


def message(message_id: int, *flags: str) -> Message:
    """A message in `SOUP`."""
    return read_message(channel_message(message_id, "soup", flags=list(flags)))


def page(*ids: int, anchor: int | None = None, oldest: bool = False, newest: bool = False) -> Page:
    """A page of messages; whether it reaches back to the oldest, and on to the newest."""
    return Page([message(i, "read") for i in ids], anchor, oldest, newest)


def seen(view: MessageView) -> tuple[list[int], bool]:
    """The texts of the messages shown, and whether a gap is."""
    return list(view.ids), bool(view.gaps)


class HeldPages(Pages):
    """Records what the views request; each response comes when the test gives it."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self.asked: list[tuple[Anchor | datetime, int, int, bool]] = []
        self.responses: list[asyncio.Future[Page]] = []
        self.matching: dict[int, Match] | NarrowcastError = {}
        self.from_cache: list[Message] = []
        self.cached_before: list[int | None] = []
        self.asked_to_match: list[int] = []

    async def fetch(
        self, narrow: Narrow, anchor: Anchor | datetime, before: int, after: int, *, include_anchor: bool
    ) -> Page:
        self.asked.append((anchor, before, after, include_anchor))
        response: asyncio.Future[Page] = asyncio.get_running_loop().create_future()
        self.responses.append(response)
        found = await response
        self._context.state.add_messages(found.messages)
        return found

    async def match(self, narrow: Narrow, message_ids: Sequence[int]) -> Mapping[int, Match]:
        self.asked_to_match.extend(message_ids)
        if isinstance(self.matching, NarrowcastError):
            raise self.matching
        return {
            message_id: self.matching[message_id] for message_id in message_ids if message_id in self.matching
        }

    def cached(self, narrow: Narrow, before: int | None) -> Sequence[Message]:
        self.cached_before.append(before)
        return [found for found in self.from_cache if before is None or found.id < before]


class HeldTasks(Tasks):
    """Background work that the test runs itself."""

    def __init__(self) -> None:
        super().__init__()
        self.works: list[Coroutine[Any, Any, None]] = []

    def start(self, work: Awaitable[object], name: str) -> asyncio.Task[None]:
        assert isinstance(work, Coroutine)
        self.works.append(work)
        return asyncio.get_running_loop().create_task(asyncio.sleep(0))


class ViewBench(SessionContext):
    """A live context without files and connection, and its views. ``asked``, ``responses`` and so on are those of
    `HeldPages`.
    """

    def __init__(self, clock: VirtualClock | None = None) -> None:
        self.clock = clock or VirtualClock()
        self.state = make_state()
        self.status = ConnectionStatus(ConnectionKind.LIVE, self.clock.now())
        self.bus = ChangeBus(asyncio.get_running_loop())
        self.tasks = self._held = HeldTasks()
        self.changes: list[Change] = []
        self.pages = HeldPages(self)
        self.views = Views(self, self.pages)

    def publish(self, *changes: Change) -> None:
        self.changes.extend(changes)
        super().publish(*changes)

    @property
    def works(self) -> list[Coroutine[Any, Any, None]]:
        return self._held.works

    @property
    def asked(self) -> list[tuple[Anchor | datetime, int, int, bool]]:
        return self.pages.asked

    async def respond(self, with_page: Page | Exception, which: int = -1) -> None:
        """Responds to one of the requests and lets the view process it."""
        await asyncio.sleep(0)
        if isinstance(with_page, Exception):
            self.pages.responses[which].set_exception(with_page)
        else:
            self.pages.responses[which].set_result(with_page)
        for _ in range(3):
            await asyncio.sleep(0)

    async def serve(self, work: Coroutine[Any, Any, None], with_page: Page | Exception) -> None:
        """Runs what makes one request, and responds to it."""
        task = asyncio.create_task(work)
        await self.respond(with_page)
        await task


async def opened(
    bench: ViewBench, with_page: Page, narrow: Narrow = SOUP, anchor: Anchor | None = None
) -> MessageView:
    """Returns a view that was opened and has received this page."""
    view = bench.views.get(narrow)
    await bench.serve(view.open(anchor), with_page)
    return view
