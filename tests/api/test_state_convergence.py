"""After any history the state that followed the events equals the state of a fresh snapshot."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from narrowcast_api.client import Client
from narrowcast_api.state.apply import apply as apply_event
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import parse_events
from narrowcast_api.wire.vocabulary import LATEST_LEVEL, Anchor
from support.exploring import examples
from support.histories import OBSERVERS, History, Step
from support.history_steps import STEPS
from support.ledger import proves
from support.server import TestServer, running_server
from support.state_facts import differences, facts

_NUMBER = st.integers(0, 49)
_STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), _NUMBER, _NUMBER, _NUMBER), min_size=8, max_size=40
)
_AT_ONCE = 5
_FIRST_MESSAGE_LEVEL = 256
_SERVERS = st.sampled_from(
    [
        (LATEST_LEVEL, "service"),
        (LATEST_LEVEL, "zulip"),
        (0, "zulip"),
        (133, "service"),
        (255, "service-only"),
    ]
)


def comparable(state: State) -> dict[str, object]:
    """The facts; servers below level 256 do not tell of a channel's first message (EVT-05)."""
    found = facts(state)
    if state.server.level < _FIRST_MESSAGE_LEVEL:
        found["channels"] = {
            channel.channel_id: channel._replace(
                first_message_id=None, weekly_traffic=None, is_recently_active=True
            )
            for channel in state.channels
        }
    return found


@dataclass
class Observer:
    """Somebody who only watches what happens."""

    client: Client
    state: State
    queue_id: str
    last_event_id: int

    @classmethod
    async def of(cls, server: TestServer, name: str) -> Observer:
        client = Client.open(server.account(name))
        answer = await client.registration.register()
        queue_id, last = answer["queue_id"], answer["last_event_id"]
        assert isinstance(queue_id, str)
        assert isinstance(last, int)
        return cls(client, State.from_snapshot(answer), queue_id, last)

    async def catch_up(self) -> None:
        """Applies what happened since."""
        batch = await self.client.events.get(
            queue_id=self.queue_id, last_event_id=self.last_event_id, dont_block=True
        )
        for event in parse_events(list(batch.events)):
            apply_event(self.state, event)
            self.last_event_id = max(self.last_event_id, event.id)

    async def check(self, name: str) -> None:
        """Compares with a fresh snapshot, and the messages that are known with those on the server."""
        fresh = State.from_snapshot(await self.client.registration.register())
        assert differences(comparable(self.state), comparable(fresh)) == {}, name
        page = await self.client.messages.list(anchor=Anchor.NEWEST, num_before=1000)
        there = {message.id: message for message in page.messages}
        for message in self.state.messages:
            if message.id in there:
                assert replace(message, local_id=None) == there[message.id], name


async def live_through(steps: list[Step], level: int, dialect: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with running_server(Path(folder), feature_level=level, dialect=dialect) as server:
            history = History(server)
            observers = {name: await Observer.of(server, name) for name in OBSERVERS}
            for number, step in enumerate(steps, 1):
                await history.step(step)
                if number % _AT_ONCE == 0 or number == len(steps):
                    for observer in observers.values():
                        await observer.catch_up()
            for name, observer in observers.items():
                await observer.check(name)
                await observer.client.aclose()


@proves("EVT-01", "EVT-04", "EVT-05", "EVT-07")
@examples(25)
@given(_STEPS, _SERVERS)
def test_after_any_history_the_state_equals_that_of_a_fresh_snapshot(
    steps: list[Step], server: tuple[int, str]
) -> None:
    asyncio.run(live_through(steps, *server))
