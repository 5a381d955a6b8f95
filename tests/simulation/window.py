"""A running client without its screen; it can quit, be killed at any moment, and start again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext, suppress
from random import Random
from typing import NamedTuple

from narrowcast_api.account import Account
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.messages import Reaction
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.windows import Machine
from narrowcast_api.sync.session import Session
from narrowcast_api.sync.startup_cache import load_state
from simulation.disk import Home, SlowWriter
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.network import Network
from simulation.service import Service

MACHINE = Machine("simulated", "simulated")
ME, OTHER = 1, 2
"""The users who have windows."""


class Typed(NamedTuple):
    """Text that a user wrote."""

    over: str
    """The previous text."""
    words: str
    """The whole text in the end; empty if the edit was rejected."""
    is_sent: bool = False


class Window:
    """A window of `user_id` in a home directory, which it may share."""

    most_tasks = 40
    """Names of tasks that it may have when it is idle."""

    def __init__(
        self, name: str, user_id: int, service: Service, home: Home, loop: SimulatedLoop, chance: Random
    ) -> None:
        self.name = name
        self.user_id = user_id
        self.home = home
        self._loop = loop
        self.clock = SimulatedClock(loop, home.skew)
        self._chance = chance
        self.network = Network(service, user_id, chance, self.clock)
        self.account = Account("http://chat.example", f"user{user_id}@demo.example", Secret("key"))
        self._task: asyncio.Task[None] | None = None
        self.writers: list[SlowWriter] = []
        self.session: Session
        self.corrected: list[tuple[str, float]] = []
        """Text that was appended to own messages, and when, since these were last recorded."""
        self.overwrote: set[str] = set()
        """Texts of messages that their user saw and overwrote."""
        self.was_on_screen: set[int] | None = None
        """The messages that were on its screen; None if it has none."""
        self.seen: dict[Narrow, None] = {}
        """Objects opened since the start."""

    @classmethod
    def using_time_of(cls, loop: SimulatedLoop) -> AbstractContextManager[None]:
        """During the block, such windows use the time of the loop; it is passed in here."""
        return nullcontext()

    def _writer(self, _name: str) -> Executor:
        writer = SlowWriter(self._loop, self._chance)
        self.writers.append(writer)
        return writer

    @property
    def journal_writer(self) -> SlowWriter:
        """The object that writes the journal."""
        return self.writers[0]

    @property
    def is_open(self) -> bool:
        """Whether it was started and has not ended."""
        return self._task is not None

    @property
    def running(self) -> asyncio.Task[None]:
        """The task that keeps the session live."""
        assert self._task is not None
        return self._task

    async def start(self) -> None:
        """Opens the files of the disk and goes live."""
        self.writers.clear()
        self.seen.clear()
        self.network.is_dead = False
        folder = self.home.folder
        storage = AccountStorage.open(
            folder / "data",
            folder / "cache",
            self.account.site,
            self.account.email,
            machine=MACHINE,
            executor=self._writer,
        )
        assert not storage.read_only
        state = load_state(storage.cache, self.clock)
        self.session = Session(self.account, storage, state, clock=self.clock, transport=self.network)
        self.session.client.connection.exchange = self.network.carry
        self._task = asyncio.create_task(self.session.run())
        view = self.session.view(Narrow.all())
        self.session.spawn(view.open(), "the open view")

    async def quit(self) -> None:
        """Quits cleanly."""
        for writer in self.writers:
            writer.hurry = True
            writer.catch_up()
        await self.session.close()
        await self._ended()

    def die(self) -> None:
        """Kills the process: nothing of it has an effect from now on."""
        for writer in self.writers:
            writer.kill()
        self.network.is_dead = True
        if self.session.storage.window is not None:
            self.session.storage.window.release_locks()

    async def kill(self) -> None:
        """Ends without cleanup, and without leaving any of its coroutines."""
        self.die()
        await self._ended()
        storage = self.session.storage
        with suppress(Exception):
            storage.journal.close(0.0)
        storage.cache.file.close()

    # user actions

    async def say(self, place: Destination, text: str) -> Typed:
        """Sends a message."""
        try:
            self.session.outbox.send(place, text)
        except NarrowcastError:
            return Typed("", "")
        return Typed("", text, is_sent=True)

    async def draft(self, place: Destination, text: str, over: str | None) -> Typed:
        """Starts a draft, or replaces the one whose id is `over`."""
        before = self.session.drafts.get(over) if over is not None else None
        self.session.drafts.save(over, place, text)
        return Typed(before.content if before is not None else "", text)

    async def read(self, message_ids: Sequence[int]) -> None:
        """Marks unread messages as read."""
        self.session.read_marks.seen(message_ids)

    async def react(self, message_id: int) -> None:
        """Adds a reaction."""
        reaction = Reaction("tada", "1f389", "unicode_emoji", self.session.state.me)
        self._spawn(self.session.message_actions.reaction(message_id, reaction, True), "a reaction")

    async def star(self, message_id: int, is_starred: bool) -> None:
        """Stars or unstars a message."""
        self._spawn(self.session.message_actions.flag(message_id, "starred", is_starred), "a star")

    async def look(self, narrow: Narrow, seconds: float) -> None:
        """Goes to a conversation, and back."""
        self.seen[narrow] = None
        self.session.spawn(self.session.view(narrow).open(), "a view")
        await asyncio.sleep(seconds)
        self.session.spawn(self.session.view(Narrow.all()).open(), "the view before")

    async def correct(self, meanwhile: Callable[[int], Awaitable[None]]) -> None:
        """Appends words to the newest own message; after the words are typed, awaits `meanwhile` with its id."""

    async def wander(self) -> None:
        """Goes to the first message and back to the last."""

    @property
    def open_place(self) -> Destination | None:
        """The conversation on its screen, if nothing is written there."""
        return None

    def in_boxes(self) -> list[str]:
        """The texts in its compose boxes, without edits."""
        return []

    def left_over(self) -> list[str]:
        """Those of them that are no drafts."""
        return []

    def saving(self) -> list[str]:
        """The texts of messages whose edit is being saved."""
        return []

    async def wrong(self) -> list[str]:
        """Lists what the user sees that differs from the session, once everything has settled."""
        return []

    def _spawn(self, work: Awaitable[object], what: str) -> None:
        """Sends a request that may be rejected or lost: then its author is informed, and nothing else happens."""

        async def done() -> None:
            with suppress(NarrowcastError):
                await work

        self.session.spawn(done(), what)

    async def _ended(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
