"""Presence: updates and lists."""

from __future__ import annotations

from narrowcast_api.wire.vocabulary import PresenceStatus
from support.api import at_levels, scripted_client


async def test_presence_asks_for_changes_from_263() -> None:
    path = "/api/v1/users/me/presence"
    answer: dict[str, object] = {
        "presences": {"7": {"active_timestamp": 5, "idle_timestamp": 6}},
        "presence_last_update_id": 9,
    }
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [262, 263]):
            transport.prepare("POST", path, json=answer)
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
