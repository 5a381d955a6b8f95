"""Drafts of two devices under any order of keys, responses, events, failures and crashes.

A text is live from its last key until the user who sees it changes or deletes it. Invariant: each live text
is on a device or on its way to one, and once the network is calm both devices and the server have the same
drafts, among them every live text exactly once.

One exception is the server's: if a device overwrites or deletes an edit whose event it never receives,
because its queue was lost just then, the loss cannot be detected.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from support.clock import VirtualClock
from support.draft_server import FAILURES, LUNCH, DraftClient, DraftServer
from support.properties import exploring

PLACES: list[Destination | None] = [LUNCH, ChannelDestination(7, "tea"), None]
HOW = ["ok", "ok", "ok", *(name for name in FAILURES if name != "refused")]
devices = st.sampled_from([0, 1])


class DraftMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = VirtualClock()
        self.server = DraftServer()
        self.clients = [DraftClient(self.server, self.folder, self.clock, name) for name in "ab"]
        for client in self.clients:
            client.hold = True
        self.alive: set[str] = set()
        self.written = 0

    def run(self, work: Coroutine[object, object, object]) -> None:
        self.loop.run_until_complete(work)

    async def _open(self, client: DraftClient) -> None:
        client.open()
        client.register()
        await self.clock.settle()

    @initialize()
    def start(self) -> None:
        for client in self.clients:
            self.run(self._open(client))

    @rule(device=devices, data=st.data(), new=st.booleans(), place=st.sampled_from(PLACES))
    def a_user_types(self, device: int, data: st.DataObject, new: bool, place: Destination | None) -> None:
        client = self.clients[device]
        shown = client.drafts.all()
        draft = None if new or not shown else data.draw(st.sampled_from(shown))
        self.written += 1
        text = f"text {self.written}"
        if draft is not None:
            self.alive.discard(draft.content)
        self.alive.add(text)

        async def type_it() -> None:
            client.drafts.save(None if draft is None else draft.draft_id, place, text)
            # A kill before the text is on the disk may lose it: only text on the disk is promised to survive.
            await self.clock.advance(0.4)

        self.run(type_it())

    @precondition(lambda self: any(client.drafts.all() for client in self.clients))
    @rule(data=st.data(), device=devices)
    def a_user_deletes(self, data: st.DataObject, device: int) -> None:
        client = self.clients[device]
        shown = client.drafts.all()
        if shown:
            draft = data.draw(st.sampled_from(shown))
            self.alive.discard(draft.content)

            async def delete() -> None:
                client.drafts.delete(draft.draft_id)
                await self.clock.settle()

            self.run(delete())

    @precondition(lambda self: any(client.held for client in self.clients))
    @rule(data=st.data(), how=st.sampled_from(HOW))
    def a_request_ends(self, data: st.DataObject, how: str) -> None:
        client = data.draw(st.sampled_from([client for client in self.clients if client.held]))

        async def finish() -> None:
            client.finish(client.held[0], how)
            await self.clock.settle()

        self.run(finish())

    @precondition(lambda self: any(client.held for client in self.clients))
    @rule(data=st.data())
    def the_event_comes_before_the_response(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from([client for client in self.clients if client.held]))

        async def finish() -> None:
            held = client.held[0]
            response, held.response = held.response, self.loop.create_future()
            client.finish(held, "ok")
            await client.catch_up()
            if held.response.exception() is not None:
                response.set_exception(held.response.exception() or AssertionError)
            else:
                response.set_result(held.response.result())
            await self.clock.settle()

        self.run(finish())

    @rule(device=devices, many=st.integers(1, 3))
    def events_come(self, device: int, many: int) -> None:
        async def deliver() -> None:
            for _ in range(many):
                self.clients[device].event()
            await self.clock.settle()

        self.run(deliver())

    @rule(seconds=st.sampled_from([0.5, 2.5, 12.0, 70.0]))
    def time_passes(self, seconds: float) -> None:
        self.run(self.clock.advance(seconds))

    @rule(device=devices)
    def the_queue_is_lost(self, device: int) -> None:
        async def register() -> None:
            self.clients[device].register()
            await self.clock.settle()

        self.run(register())

    @rule(device=devices, online=st.booleans())
    def the_connection_changes(self, device: int, online: bool) -> None:
        client = self.clients[device]
        client.online = online

        async def wake() -> None:
            client.drafts.wake()
            await self.clock.settle()

        self.run(wake())

    @rule(device=devices, arrives=st.booleans())
    def the_process_is_killed(self, device: int, arrives: bool) -> None:
        client = self.clients[device]

        async def crash() -> None:
            await client.crash()
            for held in list(client.held):
                client.finish(held, "lost after" if arrives else "lost before")
            await self._open(client)

        self.run(crash())

    @invariant()
    def every_living_text_is_somewhere(self) -> None:
        if not all(hasattr(client, "journal") for client in self.clients):
            return
        kept = {
            record.version.content
            for client in self.clients
            for record in client.journal.load_drafts()
            if record.is_listed
        }
        coming = {event.draft.content for client in self.clients for event in client.queue}
        lost = self.alive - kept - coming - set(self.server.texts()) - self.server.unheard
        assert not lost, f"nowhere: {lost}"

    def teardown(self) -> None:
        try:
            self.run(self._calm())
            texts = [*(client.texts() for client in self.clients), sorted(self.server.texts())]
            assert texts[0] == texts[1] == texts[2]
            lost = self.alive - set(texts[0]) - self.server.unheard
            assert not lost, f"lost: {lost}"
            doubled = [text for text, many in Counter(texts[0]).items() if many > 1]
            assert not doubled, f"doubled: {doubled}"
        finally:
            for client in self.clients:
                self.run(client.crash())
            self.run(self.clock.settle())
            self.loop.close()
            shutil.rmtree(self.folder)

    async def _calm(self) -> None:
        """The network works again, and all that is pending completes."""
        for client in self.clients:
            client.hold, client.online = False, True
            for held in list(client.held):
                client.finish(held, "ok")
            client.drafts.wake()
        for _ in range(12):
            await self.clock.advance(70)
            for client in self.clients:
                await client.catch_up()


TestDrafts = DraftMachine.TestCase
TestDrafts.settings = exploring(steps=40)
