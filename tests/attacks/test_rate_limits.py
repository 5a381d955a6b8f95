"""How many requests a user may make, over time and at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from narrowcast_server.organization.config import RateLimit, ServerConfig
from narrowcast_server.serve import (
    ANONYMOUS_RATE_LIMITS,
    EVENT_RATE_LIMITS,
    RATE_LIMITS,
    Options,
    open_organization,
)
from support.clock import VirtualClock
from support.server import limited, running_server
from support.sessions import until


def test_a_server_has_rate_limits_unless_it_is_a_demo(tmp_path: Path) -> None:
    organization = open_organization(Options(data=tmp_path / "team"), "http://x")
    assert organization.config.rate_limits == RATE_LIMITS
    assert organization.config.event_rate_limits == EVENT_RATE_LIMITS
    assert organization.config.anonymous_rate_limits == ANONYMOUS_RATE_LIMITS
    organization.close()
    organization = open_organization(Options(data=tmp_path / "demo", demo=True), "http://x")
    assert organization.config.rate_limits == organization.config.event_rate_limits == ()
    organization.close()


@pytest.mark.parametrize("demo", [False, True])
def test_the_operators_rate_limit_replaces_the_default(tmp_path: Path, demo: bool) -> None:
    organization = open_organization(Options(data=tmp_path, demo=demo, rate_limits=((7, 10),)), "http://x")
    assert organization.config.rate_limits == (RateLimit(10, 7),)
    organization.close()


async def test_requests_for_events_have_their_own_rate_limit(tmp_path: Path) -> None:
    config = ServerConfig(rate_limits=(RateLimit(60, 2),), event_rate_limits=(RateLimit(60, 3),))
    async with running_server(tmp_path, config=config, clock=VirtualClock()) as server:
        listener = await server.listen("ada")
        await server.call("ada", "GET", "/users/me")
        for _ in range(3):
            await listener.events()
        refusal = await server.refusal("ada", "GET", "/events", listener.poll(), status=429)
        assert refusal["code"] == "RATE_LIMIT_HIT"
        await server.refusal("ada", "GET", "/users/me", status=429)


async def test_all_configured_rate_limits_apply(tmp_path: Path) -> None:
    clock = VirtualClock()
    config = ServerConfig(rate_limits=(RateLimit(10, 2), RateLimit(100, 3)))
    async with running_server(tmp_path, config=config, clock=clock) as server:
        for _ in range(2):
            await server.call("ada", "GET", "/users/me")
        first = await server.refusal("ada", "GET", "/users/me", status=429)
        assert first["retry-after"] == pytest.approx(10, abs=1)
        await clock.advance(11)
        await server.call("ada", "GET", "/users/me")
        second = await server.refusal("ada", "GET", "/users/me", status=429)
        assert second["retry-after"] == pytest.approx(89, abs=1)


async def test_simultaneous_requests_of_a_user_are_limited(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(requests_at_once=3)) as server:
        waiting = []
        for _ in range(3):
            listener = await server.listen("elif", event_types=["message"])
            waiting.append(asyncio.create_task(server.call("elif", "GET", "/events", listener.poll())))
            await until(lambda: server.connections.busy == len(waiting))
        refusal = await server.refusal("elif", "GET", "/users/me", status=429)
        assert refusal["code"] == "RATE_LIMIT_HIT"
        await server.send("ada", "general", "t", "go on")
        await asyncio.gather(*waiting)
        await server.call("elif", "GET", "/users/me")


@pytest.mark.parametrize(("path", "status"), [("/users/me", 200), ("/messages", 400)])
async def test_every_request_to_an_operation_counts_however_it_ends(
    tmp_path: Path, path: str, status: int
) -> None:
    config = ServerConfig(rate_limits=(RateLimit(60, 2),))
    async with running_server(tmp_path, config=config, clock=VirtualClock()) as server:
        seen = [(await server.raw("ada", "GET", path)).status_code for _ in range(4)]
    assert seen == [status, status, 429, 429]


def limit_headers(response: httpx2.Response) -> tuple[int, int, int]:
    """Limit, remaining requests and reset time (by the server's clock) in a response's headers."""
    names = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
    limit, left, reset = (int(response.headers[name]) for name in names)
    return limit, left, reset


async def test_every_response_has_the_remaining_rate_limit(tmp_path: Path) -> None:
    clock = VirtualClock()
    config = ServerConfig(rate_limits=(RateLimit(10, 20), RateLimit(100, 4)))
    async with running_server(tmp_path, config=config, clock=clock) as server:
        begun = int(clock.now())
        assert limit_headers(await server.raw("ada", "GET", "/users/me")) == (4, 3, begun + 100)
        await clock.advance(30)
        refused = await server.raw("ada", "POST", "/messages")
        assert (refused.status_code, limit_headers(refused)) == (400, (4, 2, begun + 130))
        for left in (1, 0):
            assert limit_headers(await server.raw("ada", "GET", "/users/me"))[1] == left
        too_many = await server.raw("ada", "GET", "/users/me")
        assert (too_many.status_code, limit_headers(too_many)) == (429, (4, 0, begun + 100))
        assert float(too_many.headers["Retry-After"]) == pytest.approx(70, abs=1)
        assert limit_headers(await server.raw("bruno", "GET", "/users/me"))[1] == 3


async def test_without_a_rate_limit_responses_have_no_rate_limit_headers(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        response = await server.raw("ada", "GET", "/users/me")
        assert not [name for name in response.headers if name.startswith("x-ratelimit")]
