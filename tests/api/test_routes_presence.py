"""Presence: updates and lists."""

from __future__ import annotations

import pytest

from narrowcast_api.resources.presence import Seen
from narrowcast_api.wire.vocabulary import PresenceStatus
from support.api import at_levels, scripted_client


async def test_presence_asks_for_changes_from_263() -> None:
    path = "/api/v1/users/me/presence"
    response: dict[str, object] = {
        "presences": {"7": {"active_timestamp": 5, "idle_timestamp": 6}},
        "presence_last_update_id": 9,
    }
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [262, 263]):
            transport.prepare("POST", path, json=response)
            got = await client.presence.update(status=PresenceStatus.ACTIVE, last_update_id=-1)
            expected = {
                "status": "active",
                "new_user_input": "false",
                "ping_only": "false",
                "slim_presence": "true",
            }
            assert transport.last.params == expected | ({"last_update_id": "-1"} if level >= 263 else {})
            assert got.by_user_id()[7].active == 5
        transport.prepare("GET", "/api/v1/realm/presence", json={"presences": {}})
        await client.presence.list()
        transport.prepare("GET", "/api/v1/users/7/presence", json={"presence": {}})
        await client.presence.get(user_id=7)


CLIENTS = {"aggregated": {"status": "active", "timestamp": 5}, "website": {"status": "idle", "timestamp": 6}}
TIMES = {"active_timestamp": 5, "idle_timestamp": 6}


@pytest.mark.parametrize("presence", [CLIENTS, TIMES, {**CLIENTS, **TIMES}], ids=["486", "487", "497"])
async def test_the_presence_of_a_user_is_read_in_each_form(
    presence: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/users/7/presence", json={"presence": presence})
        read = await client.presence.get(user_id=7)
    assert read.seen == Seen(5, 6)
    assert set(read.presence) == presence.keys() & CLIENTS.keys()
    assert not caplog.records
