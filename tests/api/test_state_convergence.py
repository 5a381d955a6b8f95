"""After any history the state updated by events equals the state of a fresh snapshot."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.client import Client
from narrowcast_api.wire.vocabulary import LATEST_LEVEL
from support.altered_servers import Event, sending_events_to
from support.histories import OBSERVERS, History, Observer, Step
from support.history_steps import STEPS
from support.ledger import proves
from support.properties import examples
from support.server import running_server

_NUMBER = st.integers(0, 49)
_STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), _NUMBER, _NUMBER, _NUMBER), min_size=8, max_size=40
)
_AT_ONCE = 5
_SERVERS = st.sampled_from(
    [
        (LATEST_LEVEL, "service"),
        (LATEST_LEVEL, "zulip"),
        (0, "zulip"),
        (133, "service"),
        (255, "service-only"),
    ]
)


async def live_through(steps: list[Step], level: int, dialect: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with running_server(Path(folder), feature_level=level, dialect=dialect) as server:
            history = History(server)
            observers = {name: await Observer.of(Client.open(server.account(name))) for name in OBSERVERS}
            for number, step in enumerate(steps, 1):
                await history.step(step)
                if number % _AT_ONCE == 0 or number == len(steps):
                    for observer in observers.values():
                        await observer.catch_up()
            for name, observer in observers.items():
                assert await observer.differences() == {}, name
                await observer.client.aclose()


@proves("EVT-01", "EVT-04", "EVT-05", "EVT-07")
@examples(25)
@given(_STEPS, _SERVERS)
def test_after_any_history_the_state_equals_that_of_a_fresh_snapshot(
    steps: list[Step], server: tuple[int, str]
) -> None:
    asyncio.run(live_through(steps, *server))


async def test_a_channel_that_became_private_goes_when_it_is_looked_at_where_a_server_says_nothing_of_it(
    tmp_path: Path,
) -> None:
    """Found on a live server: users outside the channel receive no event."""

    def but_losers(event: Event, people: set[int]) -> set[int]:
        return set() if (event["type"], event.get("op")) == ("stream", "delete") else people

    async with (
        running_server(tmp_path, dialect="zulip") as server,
        Client.open(server.account("greta")) as client,
    ):
        general = server.channel("general")
        await server.call("greta", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
        greta = await Observer.of(client)
        private = {"is_private": True, "history_public_to_subscribers": False}
        await server.call("ada", "DELETE", "/default_streams", {"stream_id": general})
        with sending_events_to(server, but_losers):
            await server.call("ada", "PATCH", f"/streams/{general}", private)
        await greta.catch_up()
        assert set((await greta.differences())["channels"]) == {general}  # type: ignore[call-overload]
        await greta.look_at_channels()
        assert await greta.differences() == {}
