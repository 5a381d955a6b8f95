"""Changing the user's own subscriptions, and seeing those of others."""

from __future__ import annotations

from support.server import TestServer


async def test_one_request_subscribes_and_unsubscribes(server: TestServer) -> None:
    sent = {"add": [{"name": "design"}], "delete": ["general"]}
    response = await server.call("farid", "PATCH", "/users/me/subscriptions", sent)
    assert response["subscribed"] == {str(server.id("farid")): ["design"]}
    assert response["removed"] == ["general"]
    await server.refusal("farid", "PATCH", "/users/me/subscriptions")


async def test_subscriptions_of_others_are_shown_for_visible_channels_only(server: TestServer) -> None:
    dario = server.id("dario")
    for channel, subscribed in (("design", True), ("support", False)):
        path = f"/users/{dario}/subscriptions/{server.channel(channel)}"
        assert (await server.call("elif", "GET", path))["is_subscribed"] is subscribed
    secret = server.channel("operations")
    await server.refusal("elif", "GET", f"/users/{dario}/subscriptions/{secret}")
    shown = (await server.call("elif", "GET", f"/users/{dario}/channels"))["subscribed_channel_ids"]
    assert server.channel("design") in shown
    assert secret not in shown
    shown = (await server.call("bruno", "GET", f"/users/{dario}/channels"))["subscribed_channel_ids"]
    assert secret in shown
    await server.refusal("elif", "GET", "/users/999999/channels")
