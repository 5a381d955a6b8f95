"""Event queues: their number, memory and lifetime are bounded, whoever requests them."""

from __future__ import annotations

import asyncio
import gc
import json
from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from narrowcast_server.organization.event_variants import QueueOptions
from support.clock import VirtualClock
from support.server import TestServer, running_server
from support.sessions import until
from support.timing import held

NOTHING = {"event_types": ["message"], "fetch_event_types": ["muted_users"]}


def limited(**limits: object) -> ServerConfig:
    """A configuration with these limits, and defaults for the others."""
    return ServerConfig(limits=replace(ServiceLimits(), **limits))  # type: ignore[arg-type]


async def test_the_number_of_queues_of_a_user_is_limited(server: TestServer) -> None:
    most = server.organization.config.limits.max_queues_a_user
    for _ in range(most + 20):
        await server.listen("hugo", **NOTHING)
    assert server.organization.hub.count == most


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_the_oldest_queues_are_ended_first(tmp_path: Path, most: int) -> None:
    async with running_server(tmp_path, config=limited(max_queues_a_user=most)) as server:
        listeners = [await server.listen("hugo", **NOTHING) for _ in range(most + 3)]
        for listener in listeners[:3]:
            response = await server.refusal("hugo", "GET", "/events", listener.poll(dont_block=True))
            assert response["code"] == "BAD_EVENT_QUEUE_ID"
        for listener in listeners[3:]:
            assert await listener.events() == []


async def test_a_queue_that_is_being_read_is_not_ended(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(max_queues_a_user=2)) as server:
        first = await server.listen("elif", **NOTHING)
        waiting = asyncio.create_task(server.call("elif", "GET", "/events", first.poll()))
        await until(lambda: first.is_read_now)
        for _ in range(5):
            await server.listen("elif", **NOTHING)
        await server.send("ada", "general", "still", "here")
        assert [event["type"] for event in (await waiting)["events"]] == ["message"]


async def test_the_queues_of_a_user_do_not_end_those_of_others(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(max_queues=10, max_queues_a_user=40)) as server:
        victim = await server.listen("ada", **NOTHING)
        for _ in range(30):
            await server.listen("hugo", **NOTHING)
        assert server.organization.hub.count == 10
        assert await victim.events() == []


async def test_polls_without_a_queue_cannot_exceed_the_limit_of_queues(server: TestServer) -> None:
    most = server.organization.config.limits.max_queues_a_user
    for _ in range(most + 5):
        await server.call("hugo", "GET", "/events", {"dont_block": True})
    assert server.organization.hub.count == most


@pytest.mark.parametrize("asked", [86_401, 7 * 86_400, 2**40, 2**53])
async def test_a_queue_is_kept_a_day_at_most(server: TestServer, asked: int) -> None:
    listener = await server.listen("hugo", **NOTHING, queue_lifespan_secs=asked)
    assert server.organization.hub.get(listener.queue_id, server.id("hugo")).idle_seconds == 86_400


async def test_a_queue_ends_at_the_configured_maximum_lifespan(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running_server(
        tmp_path, clock=clock, config=limited(queue_longest_idle_seconds=700)
    ) as server:
        await server.listen("hugo", **NOTHING, queue_lifespan_secs=10_000)
        await clock.advance(690)
        server.organization.hub.collect()
        assert server.organization.hub.count == 1
        await clock.advance(20)
        server.organization.hub.collect()
        assert server.organization.hub.count == 0


async def test_the_minimum_lifespan_of_a_queue_is_ten_minutes(
    server: TestServer, clock: VirtualClock
) -> None:
    await server.listen("hugo", **NOTHING, queue_lifespan_secs=1)
    await clock.advance(590)
    server.organization.hub.collect()
    assert server.organization.hub.count == 1
    await clock.advance(20)
    server.organization.hub.collect()
    assert server.organization.hub.count == 0


async def test_unknown_capabilities_are_not_stored(server: TestServer) -> None:
    for number in range(20):
        made_up = {f"capability {number} {other}": True for other in range(50)}
        await server.listen("hugo", **NOTHING, client_capabilities=made_up)
    assert len(server.organization.hub.kinds) == 1


def capabilities(server: TestServer) -> list[list[str]]:
    return [sorted(kind.capabilities) for kind in server.organization.hub.kinds]


async def test_capabilities_are_forgotten_with_the_last_queue_that_has_them(server: TestServer) -> None:
    listener = await server.listen(
        "hugo", **NOTHING, client_capabilities={"bulk_message_deletion": True, "archived_channels": False}
    )
    assert capabilities(server) == [["bulk_message_deletion"]]
    await server.call("hugo", "DELETE", "/events", {"queue_id": listener.queue_id})
    gc.collect()
    assert capabilities(server) == []


async def test_queues_with_the_same_options_share_event_texts(server: TestServer) -> None:
    hub, elif_ = server.organization.hub, server.id("elif")
    queues = [hub.register(elif_, QueueOptions(capabilities=frozenset({"x"}))) for _ in range(3)]
    await server.send("ada", "general", "t", "shared")
    assert len({id(queue.events[-1][1]) for queue in queues}) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("event_types", [f"type {number}" for number in range(201)]),
        ("fetch_event_types", [f"type {number}" for number in range(201)]),
        ("event_types", ["x" * 61]),
        ("fetch_event_types", ["x" * 61]),
        ("narrow", [["topic", "x" * 10_000]]),
        ("narrow", [["topic", "x"]] * 51),
    ],
)
async def test_the_stored_options_of_a_queue_are_bounded(
    server: TestServer, field: str, value: object
) -> None:
    await server.refusal("hugo", "POST", "/register", {field: value})
    assert server.organization.hub.count == 0


async def test_repeated_event_types_are_stored_once(server: TestServer) -> None:
    await server.listen("hugo", event_types=["message"] * 5_000, fetch_event_types=["message"] * 5_000)
    (queue,) = server.organization.hub.of(server.id("hugo"))
    assert queue.event_types == frozenset({"message"})


def sizes(server: TestServer) -> list[int]:
    return [queue.size for queue in server.organization.hub.of(server.id("elif"))]


async def test_the_memory_of_all_queues_of_a_user_is_bounded(tmp_path: Path) -> None:
    config = limited(max_queued_characters=50_000, max_queued_characters_a_user=100_000, max_queues_a_user=10)
    async with running_server(tmp_path, config=config) as server:
        for number in range(10):
            await server.listen("elif", event_types=["message"], client_gravatar=bool(number % 2))
        totals = []
        while unread := sizes(server):
            assert max(unread) <= 50_000
            totals.append(sum(unread))
            await server.send("ada", "general", "flood", "x" * 5_000)
        assert 80_000 < max(totals) <= 100_000


async def test_a_queue_that_is_read_in_time_is_not_ended_for_memory(tmp_path: Path) -> None:
    config = limited(max_queued_characters=50_000, max_queued_characters_a_user=60_000, max_queues_a_user=10)
    async with running_server(tmp_path, config=config) as server:
        reader = await server.listen("elif", event_types=["message"])
        for _ in range(5):
            await server.listen("elif", event_types=["message"])
        await reader.events()
        for _ in range(30):
            await server.send("ada", "general", "flood", "x" * 5_000)
            assert len(await reader.events()) == 1


async def test_a_response_has_a_bounded_number_of_events(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(events_a_response=3)) as server:
        listener = await server.listen("elif", event_types=["message"])
        sent = [await server.send("ada", "general", "t", str(number)) for number in range(8)]
        got: list[int] = []
        sizes: list[int] = []
        while events := await listener.events():
            sizes.append(len(events))
            got += [event["message"]["id"] for event in events]
        assert got == sent
        assert sizes == [3, 3, 2]


async def test_a_response_has_a_bounded_size_but_at_least_one_event(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(characters_a_response=4_000)) as server:
        listener = await server.listen("elif", event_types=["message"])
        for length in (9_000, 100, 100, 9_000, 100):
            await server.send("ada", "general", "t", "x" * length)
        sizes = []
        while events := await listener.events():
            sizes.append(len(events))
        assert sizes == [1, 2, 1, 1]


async def test_many_idle_queues_do_not_slow_down_active_readers(server: TestServer) -> None:
    hub = server.organization.hub
    for user in server.organization.users.all():
        for _ in range(40):
            hub.register(user.id, QueueOptions())
    server.organization.config = replace(
        server.organization.config, limits=replace(server.organization.config.limits, responses_per_second=10)
    )
    reader = hub.register(server.id("ada"), QueueOptions())
    hub.beat()
    loop = asyncio.get_running_loop()
    reader.delivered = loop.time()
    begun = loop.time()
    await hub.pace(reader)
    # 400 unread queues would make it forty seconds.
    assert loop.time() - begun < 5


async def test_many_registrations_do_not_block_the_server(server: TestServer) -> None:
    with held() as watch:
        for _ in range(100):
            await server.listen("hugo")
    assert watch.longest < 0.25, watch


@pytest.mark.parametrize("lifespan", ["-1", "1.5", "1e400", '"x"', "null", "[]", "NaN"])
async def test_a_lifespan_that_is_not_a_number_is_rejected(server: TestServer, lifespan: str) -> None:
    await server.refusal("hugo", "POST", "/register", {"queue_lifespan_secs": lifespan})
    assert server.organization.hub.count == 0


async def test_a_registration_that_fails_leaves_no_queue(server: TestServer) -> None:
    await server.refusal("hugo", "POST", "/register", {"all_public_streams": True})
    await server.refusal("ada", "POST", "/register", {"narrow": json.dumps([["near", "1"]])})
    assert server.organization.hub.count == 0
