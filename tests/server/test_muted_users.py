"""Muting and unmuting users."""

from __future__ import annotations

from support.server import TestServer


async def test_a_muted_user_can_be_unmuted(server: TestServer) -> None:
    path = f"/users/me/muted_users/{server.id('dario')}"
    await server.call("elif", "POST", path)
    listener = await server.listen("elif")
    await server.call("elif", "DELETE", path)
    (event,) = await listener.events("muted_users")
    assert event["muted_users"] == []
    await server.send("dario", "general", "t")
    (event,) = await listener.events("message")
    assert event["flags"] == []
    await server.refusal("elif", "DELETE", path)
