"""GET /users/me/{stream_id}/topics, and users' visibility policies for topics."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import JsonObject, TestServer


async def topics(server: TestServer, name: str, channel: str, **fields: object) -> list[JsonObject]:
    response = await server.call(name, "GET", f"/users/me/{server.channel(channel)}/topics", fields)
    found: list[JsonObject] = response["topics"]
    return found


@proves("TOP-01", "TOP-06", "TOP-07", "TOP-08")
async def test_topics_are_listed_the_most_recent_first(server: TestServer) -> None:
    await server.send("ada", "general", "one")
    two = await server.send("ada", "general", "two")
    one = await server.send("ada", "general", "One")
    assert await topics(server, "dario", "general") == [
        {"name": "One", "max_id": one},
        {"name": "two", "max_id": two},
    ]


@proves("TOP-02", "TOP-12")
@pytest.mark.parametrize("path", ["/users/me/abc/topics", "/users/me/999999/topics", "/users/me/-1/topics"])
async def test_an_unknown_channel_is_rejected(server: TestServer, path: str) -> None:
    refusal = await server.refusal("dario", "GET", path)
    assert refusal["code"] == "BAD_REQUEST"


@proves("TOP-03", "TOP-04", "TOP-05")
async def test_the_empty_topic_is_named_unless_the_client_knows_it(server: TestServer) -> None:
    await server.send("ada", "general", "")
    assert [topic["name"] for topic in await topics(server, "dario", "general")] == ["general chat"]
    named = await topics(server, "dario", "general", allow_empty_topic_name=True)
    assert [topic["name"] for topic in named] == [""]
    server.set_level(333)
    path = f"/users/me/{server.channel('general')}/topics"
    response = await server.call("dario", "GET", path, {"allow_empty_topic_name": True})
    assert response["ignored_parameters_unsupported"] == ["allow_empty_topic_name"]
    assert [topic["name"] for topic in response["topics"]] == ["general chat"]


@proves("TOP-09", "TOP-13")
async def test_a_private_channel_gets_the_same_response_as_an_unknown_one(server: TestServer) -> None:
    path = f"/users/me/{server.channel('operations')}/topics"
    hidden = await server.refusal("elif", "GET", path)
    unknown = await server.refusal("elif", "GET", "/users/me/999999/topics")
    assert hidden == unknown
    guests = await server.refusal("hugo", "GET", f"/users/me/{server.channel('general')}/topics")
    assert guests == unknown


@proves("TOP-08", "TOP-10", "TOP-11", "TOP-14")
async def test_protected_history_begins_with_the_subscription_of_a_user_or_their_bot(
    server: TestServer,
) -> None:
    await server.send("bruno", "operations", "old")
    shared = await server.send("bruno", "operations", "both")
    await server.subscribe("bruno", "operations", "elif", "iris")
    new = await server.send("bruno", "operations", "new")
    for name in ("elif", "iris"):
        assert await topics(server, name, "operations") == [{"name": "new", "max_id": new}]
    assert len(await topics(server, "bruno", "operations")) == 3
    await server.refusal("elif", "GET", f"/messages/{shared}")
    newest = await server.send("bruno", "operations", "both")
    assert (await topics(server, "elif", "operations"))[0] == {"name": "both", "max_id": newest}
    await server.call("bruno", "DELETE", f"/messages/{newest}")
    assert await topics(server, "elif", "operations") == [{"name": "new", "max_id": new}]


async def test_shared_history_is_open_to_new_subscribers(server: TestServer) -> None:
    await server.send("ada", "leads", "plans")
    await server.subscribe("ada", "leads", "elif")
    assert [topic["name"] for topic in await topics(server, "elif", "leads")] == ["plans"]


async def test_policies_are_stored_announced_and_in_the_snapshot(server: TestServer) -> None:
    general = server.channel("general")
    listener = await server.listen("dario", event_types=["user_topic"])
    old = await server.listen("dario", event_types=["muted_topics"])
    for policy in (1, 1, 3, 0):
        fields = {"stream_id": general, "topic": "lunch", "visibility_policy": policy}
        await server.call("dario", "POST", "/user_topics", fields)
    assert [event["visibility_policy"] for event in await listener.events()] == [1, 3, 0]
    muted = [[row[:2] for row in event["muted_topics"]] for event in await old.events()]
    assert muted == [[["general", "lunch"]], [], []]
    fields = {"stream_id": general, "topic": "LUNCH", "visibility_policy": 2}
    await server.call("dario", "POST", "/user_topics", fields)
    snapshot = (await server.listen("dario")).snapshot
    assert [(row["topic_name"], row["visibility_policy"]) for row in snapshot["user_topics"]] == [
        ("LUNCH", 2)
    ]


@pytest.mark.parametrize(
    "changes",
    [{"visibility_policy": 999}, {"stream_id": 999999}, {"topic": "x" * 61}, {"visibility_policy": "x"}],
)
async def test_invalid_visibility_policies_are_rejected(
    server: TestServer, changes: dict[str, object]
) -> None:
    fields = {"stream_id": server.channel("general"), "topic": "t", "visibility_policy": 1, **changes}
    await server.refusal("dario", "POST", "/user_topics", fields)
