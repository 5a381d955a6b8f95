"""Deleting a topic: repeated until complete, at every level, and stopped when asked."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.errors import (
    BadRequest,
    InvalidInput,
    PermissionDenied,
    ServerFault,
    UnauthorizedPrincipal,
    Unsupported,
)
from narrowcast_api.server_info import RequestLimits
from support.api import boundary_levels, scripted_client
from support.clock import VirtualClock
from support.ledger import proves

PATH = "/api/v1/streams/31/delete_topic"


@proves("DTOP-01", "DTOP-03", "DTOP-04", "DTOP-06", "DTOP-07")
async def test_a_topic_that_is_complete_is_asked_for_once() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json={"complete": True}, params={"topic_name": "tides"})
        assert (await client.topics.delete(channel_id=31, topic="tides")).complete
        with pytest.raises(InvalidInput):
            await client.topics.delete(channel_id=-1, topic="tides")


@proves("DTOP-08")
async def test_the_same_request_is_repeated_until_it_is_complete() -> None:
    rounds: list[int] = []
    async with scripted_client() as (client, transport):
        for complete in (False, False, True):
            transport.prepare("POST", PATH, json={"complete": complete}, params={"topic_name": "tides"})
        result = await client.topics.delete(channel_id=31, topic="tides", progress=rounds.append)
        assert result.complete
        assert len(transport.requests) == 3
    assert rounds == [1, 2]


async def test_it_stops_after_the_round_when_asked() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json={"complete": False})
        result = await client.topics.delete(channel_id=31, topic="tides", progress=lambda _: False)
        assert not result.complete
        assert len(transport.requests) == 1


def slow_down(seconds: float) -> dict[str, object]:
    """The server asks for a pause."""
    return {"result": "error", "msg": "slow", "code": "RATE_LIMIT_HIT", "retry-after": seconds}


async def test_a_rate_limit_is_waited_for_however_long_and_can_be_stopped_meanwhile() -> None:
    asked: list[tuple[int, float]] = []
    clock = VirtualClock()
    async with scripted_client(clock=clock) as (client, transport):

        def progress(rounds: int) -> bool:
            asked.append((rounds, clock.monotonic()))
            return clock.monotonic() < 60

        transport.prepare("POST", PATH, json={"complete": False})
        transport.prepare("POST", PATH, status=429, json=slow_down(22.0))
        transport.prepare("POST", PATH, json={"complete": False})
        transport.prepare("POST", PATH, status=429, json=slow_down(600.0))
        work = asyncio.create_task(client.topics.delete(channel_id=31, topic="tides", progress=progress))
        await clock.advance(100)
        result = await work
    assert not result.complete
    assert len(transport.requests) == 4
    assert [rounds for rounds, _ in asked][:2] == [1, 1]
    assert asked[-1][0] == 2
    assert 60 <= asked[-1][1] <= 65, "asked every few seconds while the server wants a pause"


async def test_a_failed_first_round_raises_but_a_later_one_is_retried() -> None:
    clock = VirtualClock()
    async with scripted_client(clock=clock) as (client, transport):
        transport.prepare("POST", PATH, status=502, content=b"<html>")
        with pytest.raises(ServerFault):
            await client.topics.delete(channel_id=31, topic="tides")
        transport.prepare("POST", PATH, json={"complete": False})
        for _ in range(4):
            transport.prepare("POST", PATH, status=502, content=b"<html>")
        transport.prepare("POST", PATH, json={"complete": True})
        work = asyncio.create_task(client.topics.delete(channel_id=31, topic="tides"))
        await clock.advance(14.9)
        assert not work.done()
        await clock.advance(0.2)
        assert (await work).complete
        transport.prepare("POST", PATH, json={"complete": False})
        for _ in range(5):
            transport.prepare("POST", PATH, status=502, content=b"<html>")
        work = asyncio.create_task(client.topics.delete(channel_id=31, topic="tides"))
        await clock.advance(20)
        with pytest.raises(ServerFault):
            await work


@proves("DTOP-10", "DTOP-11", "DTOP-12")
async def test_below_211_partial_completion_is_a_result_and_plain_success_is_complete() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            if level < 211:
                for code in ("REQUEST_TIMEOUT", "ANYTHING", None):
                    extra = {} if code is None else {"code": code}
                    transport.prepare(
                        "POST", PATH, json={"result": "partially_completed", "msg": "", **extra}
                    )
                transport.prepare("POST", PATH)
            else:
                for complete in (False, False, False, True):
                    transport.prepare("POST", PATH, json={"complete": complete})
            assert (await client.topics.delete(channel_id=31, topic="tides")).complete
            assert len(transport.requests) == 4


@proves("DTOP-05", "CONV-11")
async def test_the_empty_topic_travels_as_such_from_334_and_is_refused_before() -> None:
    limits = RequestLimits(empty_topic_name="the open sea")
    async with scripted_client(334, limits=limits) as (client, transport):
        for topic in ("", "(no topic)", "the open sea"):
            transport.prepare("POST", PATH, json={"complete": True}, params={"topic_name": ""})
            await client.topics.delete(channel_id=31, topic=topic)
    async with scripted_client(333, limits=limits) as (client, transport):
        with pytest.raises(Unsupported):
            await client.topics.delete(channel_id=31, topic="")
        assert transport.requests == []


@proves("DTOP-02", "DTOP-09", "DTOP-14")
@pytest.mark.parametrize("status", [400, 403])
async def test_only_administrators_may_delete_whatever_the_http_status_of_the_refusal(status: int) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error(
            "POST",
            PATH,
            code="UNAUTHORIZED_PRINCIPAL",
            msg="Must be an organization administrator",
            status=status,
        )
        with pytest.raises(UnauthorizedPrincipal) as refusal:
            await client.topics.delete(channel_id=31, topic="tides")
    assert isinstance(refusal.value, PermissionDenied)


@proves("DTOP-13")
async def test_a_topic_that_is_gone_is_done_and_an_unknown_channel_is_a_bad_request() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json={"complete": True})
        assert (await client.topics.delete(channel_id=31, topic="gone")).complete
        transport.prepare_error("POST", PATH, code="BAD_REQUEST", msg="Invalid channel ID")
        with pytest.raises(BadRequest):
            await client.topics.delete(channel_id=31, topic="tides")
