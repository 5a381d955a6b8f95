"""When the server asks to slow down, all requests of the account wait together."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.account import Account
from narrowcast_api.errors import RateLimited
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.rate_limit import RateGate, shared_gate
from narrowcast_api.http.secret import Secret
from support.api import make_connection
from support.clock import VirtualClock
from support.ledger import proves
from support.scripted import ScriptedTransport


def limited(transport: ScriptedTransport, *, body: object = 3.5, header: str | None = "3.5") -> None:
    transport.prepare(
        "GET",
        "/api/v1/x",
        status=429,
        json={"result": "error", "msg": "slow", "code": "RATE_LIMIT_HIT", "retry-after": body},
        headers={} if header is None else {"retry-after": header},
    )


@proves("LIM-01")
async def test_a_refused_request_is_repeated_after_the_time_that_the_server_names() -> None:
    clock = VirtualClock()
    seen: list[float] = []
    with ScriptedTransport() as transport:
        limited(transport)
        transport.prepare("GET", "/api/v1/x", json={"id": 1})
        async with make_connection(transport, clock=clock) as connection:
            connection.on_rate_limited = seen.append
            task = asyncio.create_task(connection.request("GET", "/x"))
            await clock.advance(3.4)
            assert len(transport.requests) == 1
            await clock.advance(1.0)
            assert (await task)["id"] == 1
    assert seen == [3.5]


async def test_a_wait_past_the_patience_is_an_error_at_once_and_nothing_more_is_sent() -> None:
    clock = VirtualClock()
    with ScriptedTransport() as transport:
        limited(transport, body=57.76, header="57.76")
        async with make_connection(transport, clock=clock) as connection:
            with pytest.raises(RateLimited) as caught:
                await connection.request("GET", "/x")
            assert caught.value.retry_after == 57.76
            await clock.advance(40)
            with pytest.raises(RateLimited) as again:
                await connection.request("POST", "/y")
            assert again.value.retry_after == pytest.approx(17.76, abs=0.01)
        assert len(transport.requests) == 1


@pytest.mark.parametrize(
    ("body", "header", "seconds"),
    [
        (2.5, None, 2.5),
        (None, "4.25", 4.25),
        ("3", None, 3.0),
        (2, "6", 6.0),
        (None, None, 5.0),
        ("soon", "Wed, 21 Oct 2026 07:28:00 GMT", 5.0),
        (-4, "-1", 5.0),
        (True, None, 5.0),
        (10**12, None, 3600.0),
    ],
)
async def test_the_time_is_read_from_body_and_header(
    body: object, header: str | None, seconds: float
) -> None:
    with ScriptedTransport() as transport:
        limited(transport, body=body, header=header)
        async with make_connection(transport, patience=0) as connection:
            with pytest.raises(RateLimited) as caught:
                await connection.request("GET", "/x")
    assert caught.value.retry_after == seconds
    assert "Try again in" in caught.value.user_message


async def test_a_429_without_json_is_understood_too() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/x", status=429, content=b"<html>", headers={"retry-after": "7"})
        async with make_connection(transport, patience=0) as connection:
            with pytest.raises(RateLimited) as caught:
                await connection.request("GET", "/x")
    assert caught.value.retry_after == 7.0


async def test_a_shorter_wait_does_not_shorten_a_longer_one() -> None:
    gate = RateGate(VirtualClock())
    gate.close(10)
    gate.close(2)
    assert gate.remaining() == 10
    gate.close(12)
    assert gate.remaining() == 12


async def test_everyone_who_waits_goes_on_at_a_moment_of_their_own() -> None:
    clock, jitter = VirtualClock(), iter([0.1, 0.9, 0.5])
    gate = RateGate(clock, jitter=lambda: next(jitter))
    gate.close(10)
    woken: list[tuple[str, float]] = []

    async def wait(name: str) -> None:
        await gate.enter(60)
        woken.append((name, clock.monotonic()))

    tasks = [asyncio.create_task(wait(name)) for name in "abc"]
    await clock.advance(20)
    await asyncio.gather(*tasks)
    assert woken == [("a", 10.1), ("c", 10.5), ("b", 10.9)]


async def test_a_gate_that_closes_again_holds_who_waits() -> None:
    clock = VirtualClock()
    gate = RateGate(clock, jitter=lambda: 0.0)
    gate.close(5)
    task = asyncio.create_task(gate.enter(60))
    await clock.advance(4)
    gate.close(10)
    await clock.advance(5)
    assert not task.done()
    await clock.advance(6)
    assert task.done()
    gate.close(-1)
    assert gate.remaining() == 0


async def test_polls_of_events_are_counted_apart() -> None:
    clock = VirtualClock()
    with ScriptedTransport() as transport:
        limited(transport, body=30)
        transport.prepare("GET", "/api/v1/events")
        async with make_connection(transport, clock=clock, patience=0) as connection:
            with pytest.raises(RateLimited):
                await connection.request("GET", "/x")
            await connection.request("GET", "/events", bucket="events")


async def test_connections_of_one_account_share_the_gate_and_others_do_not() -> None:
    clock = VirtualClock()
    ada = Account("https://chat.example.org", "ada@example.org", Secret("k"))
    bob = Account("https://chat.example.org", "bob@example.org", Secret("k"))
    with ScriptedTransport() as transport:
        limited(transport, body=30)
        transport.prepare("GET", "/api/v1/x")
        first = Connection(ada, transport=transport, clock=clock, patience=0)
        second = Connection(ada, transport=transport, clock=clock, patience=0)
        other = Connection(bob, transport=transport, clock=clock, patience=0)
        with pytest.raises(RateLimited):
            await first.request("GET", "/x")
        with pytest.raises(RateLimited):
            await second.request("GET", "/x")
        await other.request("GET", "/x")
        assert shared_gate(ada.site, ada.email, clock).remaining() > 0


async def test_a_wait_as_long_as_the_patience_is_not_waited_for() -> None:
    clock = VirtualClock()
    with ScriptedTransport() as transport:
        limited(transport, body=10.0, header="10.0")
        async with make_connection(transport, clock=clock, patience=10.0) as connection:
            task = asyncio.create_task(connection.request("GET", "/x"))
            await clock.advance(0.1)
            assert task.done()
            with pytest.raises(RateLimited):
                await task
        assert len(transport.requests) == 1


async def test_a_request_that_is_refused_again_and_again_is_given_up_whatever_the_patience() -> None:
    clock = VirtualClock()
    with ScriptedTransport() as transport:
        for _ in range(4):
            limited(transport, body=1, header="1")
        async with make_connection(transport, clock=clock, patience=60.0) as connection:
            task = asyncio.create_task(connection.request("GET", "/x"))
            await clock.advance(20)
            with pytest.raises(RateLimited):
                await task
        assert len(transport.requests) == 4
