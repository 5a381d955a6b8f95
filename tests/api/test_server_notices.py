"""Notices that a server adds to its responses are shown to the user."""

from __future__ import annotations

from narrowcast_api.state.changes import Change
from narrowcast_api.sync.server_notices import REPEAT_AFTER, ServerNotices
from support.api import make_connection
from support.clock import VirtualClock
from support.scripted import ScriptedTransport

IGNORED = {"ignored_parameters_unsupported": ["colour", "shape"]}


async def test_what_was_ignored_is_told_once_for_each_kind_of_request() -> None:
    told: list[Change] = []
    with ScriptedTransport() as transport:
        for _ in range(2):
            transport.prepare("POST", "/api/v1/thing", json=IGNORED)
        transport.prepare("PATCH", "/api/v1/thing", json=IGNORED)
        async with make_connection(transport) as connection:
            ServerNotices(told.append, VirtualClock()).attach(connection)
            await connection.request("POST", "/thing")
            await connection.request("POST", "/thing")
            await connection.request("PATCH", "/thing")
    texts = [str(change) for change in told]
    assert len(texts) == 2
    assert "colour, shape" in texts[0]
    assert "PATCH /thing" in texts[1]


async def test_long_rate_limits_are_reported_now_and_then_and_short_ones_never() -> None:
    told: list[Change] = []
    clock = VirtualClock()
    async with make_connection(ScriptedTransport()) as connection:
        ServerNotices(told.append, clock).attach(connection)
        assert connection.on_rate_limited is not None
        connection.on_rate_limited(0.5)
        assert told == []
        for _ in range(3):
            connection.on_rate_limited(12.0)
        assert len(told) == 1
        assert "12 s" in str(told[0])
        await clock.advance(REPEAT_AFTER + 1)
        connection.on_rate_limited(12.0)
        assert len(told) == 2
