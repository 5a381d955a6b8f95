"""Who may create topics: a channel's `can_create_topic_group`."""

from __future__ import annotations

import pytest

from support.server import JsonObject, TestServer

REFUSED = "You do not have permission to create new topics in this channel."


@pytest.fixture
async def general(server: TestServer) -> int:
    """A channel in which moderators may create topics."""
    channel_id = server.channel("general")
    moderators = {"new": server.group("role:moderators")}
    await server.call("ada", "PATCH", f"/streams/{channel_id}", {"can_create_topic_group": moderators})
    return channel_id


def to(channel_id: int, topic: str) -> JsonObject:
    return {"type": "channel", "to": channel_id, "topic": topic, "content": "hello"}


async def test_users_without_the_permission_may_post_to_existing_topics(
    server: TestServer, general: int
) -> None:
    assert (await server.refusal("dario", "POST", "/messages", to(general, "news")))["msg"] == REFUSED
    message_id = await server.send("chiyo", "general", "news")
    await server.call("dario", "POST", "/messages", to(general, "news"))
    await server.call("chiyo", "DELETE", f"/messages/{message_id}")
    await server.call("dario", "POST", "/messages", to(general, "news"))
    assert (await server.refusal("dario", "POST", "/messages", to(general, "News?")))["msg"] == REFUSED


async def test_moving_or_scheduling_a_message_cannot_create_a_topic_without_permission(
    server: TestServer, general: int
) -> None:
    begun = await server.send("chiyo", "general", "news")
    other = await server.send("dario", "engineering", "plans")
    later = {**to(general, "more"), "scheduled_delivery_timestamp": server.organization.now() + 1000}
    assert (await server.refusal("dario", "POST", "/scheduled_messages", later))["msg"] == REFUSED
    move = {"stream_id": general, "topic": "more"}
    assert (await server.refusal("dario", "PATCH", f"/messages/{other}", move))["msg"] == REFUSED
    assert (await server.refusal("dario", "PATCH", f"/messages/{begun}", {"topic": "more"}))["msg"] == REFUSED
    await server.call("dario", "PATCH", f"/messages/{other}", {"stream_id": general, "topic": "news"})


async def test_users_who_may_not_create_topics_may_still_resolve_them(
    server: TestServer, general: int
) -> None:
    message_id = await server.send("chiyo", "general", "news")
    for topic in ("✔ news", "news"):
        await server.call(
            "dario", "PATCH", f"/messages/{message_id}", {"topic": topic, "propagate_mode": "change_all"}
        )
        message = (await server.call("dario", "GET", f"/messages/{message_id}"))["message"]
        assert message["subject"] == topic


@pytest.mark.parametrize(("name", "may"), [("bruno", True), ("chiyo", True), ("dario", False)])
async def test_renaming_a_topic_requires_the_permission_to_create_topics(
    server: TestServer, general: int, name: str, may: bool
) -> None:
    message_id = await server.send("chiyo", "general", "news")
    response = await server.raw(name, "PATCH", f"/messages/{message_id}", {"topic": "olds"})
    assert (response.status_code == 200) is may
    nobody = {"new": server.group("role:nobody")}
    await server.call("ada", "PATCH", f"/streams/{general}", {"can_create_topic_group": nobody})
    refusal = await server.refusal(name, "PATCH", f"/messages/{message_id}", {"topic": "older"})
    assert refusal["msg"] == REFUSED


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/users/me/subscriptions", ("subscriptions", "invite_only")),
        ("/channels/create", ("name", "invite_only")),
    ],
)
async def test_no_private_channel_with_protected_history_begins_with_limited_topics(
    server: TestServer, path: str, names: tuple[str, str]
) -> None:
    limited = {"can_create_topic_group": server.group("role:moderators")}
    named: object = [{"name": "plans"}] if names[0] == "subscriptions" else "plans"
    fields: dict[str, object] = {
        names[0]: named,
        names[1]: True,
        "subscribers": [server.id("ada")],
        **limited,
    }
    refusal = await server.refusal("ada", "POST", path, {**fields, "history_public_to_subscribers": False})
    assert "Only everyone can create topics" in refusal["msg"]
    await server.call("ada", "POST", path, {**fields, "history_public_to_subscribers": True})
