"""POST /messages/flags and related operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ledger import proves
from support.server import JsonObject, TestServer, running_server

PATH = "/messages/flags"
WILDCARDS = {"stream_wildcard_mentioned", "topic_wildcard_mentioned", "wildcard_mentioned"}


async def flags(server: TestServer, name: str, message_id: int) -> set[str]:
    response = await server.call(name, "GET", f"/messages/{message_id}")
    return set(response["message"]["flags"])


async def change(server: TestServer, name: str, op: str, flag: str, *ids: int) -> JsonObject:
    return await server.call(name, "POST", PATH, {"messages": list(ids), "op": op, "flag": flag})


@proves("FLG-01", "FLG-05", "FLG-07", "FLG-08", "FLG-09", "FLG-18", "FLG-19", "FLG-21")
@pytest.mark.parametrize("flag", ["read", "starred", "collapsed"])
async def test_adding_and_removing_a_flag_is_reported_to_the_users_own_clients(
    server: TestServer, flag: str
) -> None:
    message_id = await server.send("ada", "general", "t")
    own, other = await server.listen("dario"), await server.listen("elif")
    assert (await change(server, "dario", "add", flag, message_id))["messages"] == [message_id]
    assert flag in await flags(server, "dario", message_id)
    assert (await change(server, "dario", "add", flag, message_id))["messages"] == []
    assert (await change(server, "dario", "remove", flag, message_id))["messages"] == [message_id]
    assert flag not in await flags(server, "dario", message_id)
    events = await own.events("update_message_flags")
    assert [(event["op"], event["flag"], event["messages"]) for event in events] == [
        ("add", flag, [message_id]),
        ("remove", flag, [message_id]),
    ]
    assert await other.events("update_message_flags") == []


@proves("FLG-02", "FLG-03", "FLG-04")
@pytest.mark.parametrize(
    "fields",
    [
        {"op": "add", "flag": "read"},
        {"messages": [1], "flag": "read"},
        {"messages": [1], "op": "add"},
        {"messages": [1], "op": "toggle", "flag": "read"},
        {"messages": [1], "op": "add", "flag": "foo"},
        {"messages": "x", "op": "add", "flag": "read"},
    ],
)
async def test_malformed_changes_of_flags_are_rejected(server: TestServer, fields: dict[str, object]) -> None:
    refusal = await server.refusal("dario", "POST", PATH, fields)
    assert refusal["code"] == "BAD_REQUEST"


@proves("FLG-06", "FLG-19", "FLG-22")
async def test_marking_as_unread_skips_channels_that_the_user_has_left(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t")
    await server.call("dario", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
    key = "ignored_because_not_subscribed_channels"
    server.set_level(355)
    response = await change(server, "dario", "remove", "read", message_id)
    assert response[key] == [server.channel("general")]
    assert response["messages"] == []
    assert "read" in await flags(server, "dario", message_id)
    assert key not in await change(server, "dario", "add", "starred", message_id)
    server.set_level(354)
    response = await change(server, "dario", "remove", "read", message_id)
    assert key not in response
    assert response["messages"] == []


@proves("FLG-22")
async def test_flags_of_an_invisible_message_are_rejected(server: TestServer) -> None:
    secret = await server.send_direct("ada", ["bruno"])
    fields = {"messages": [secret], "op": "add", "flag": "starred"}
    refusal = await server.refusal("dario", "POST", PATH, fields)
    assert refusal["code"] == "BAD_REQUEST"
    assert (await change(server, "dario", "add", "read", secret, 999999))["messages"] == []


@proves("FLG-10", "FLG-20")
async def test_editing_a_message_adds_and_removes_mentions(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t", "hello")
    assert "mentioned" not in await flags(server, "dario", message_id)
    await server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "hello @**Dario Vance**"})
    assert "mentioned" in await flags(server, "dario", message_id)
    await server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "hello"})
    assert "mentioned" not in await flags(server, "dario", message_id)


@proves("FLG-10")
async def test_a_mentioned_group_mentions_its_members(server: TestServer) -> None:
    await server.create_group("ada", "backend", "dario")
    message_id = await server.send("ada", "general", "t", "@*backend* look")
    assert "mentioned" in await flags(server, "dario", message_id)
    assert "mentioned" not in await flags(server, "elif", message_id)


@proves("FLG-10", "FLG-11", "FLG-12", "FLG-13", "FLG-14", "FLG-15", "FLG-20")
@pytest.mark.parametrize(
    "flag",
    [
        "mentioned",
        "stream_wildcard_mentioned",
        "topic_wildcard_mentioned",
        "wildcard_mentioned",
        "has_alert_word",
        "historical",
    ],
)
async def test_the_servers_flags_cannot_be_changed(server: TestServer, flag: str) -> None:
    message_id = await server.send("ada", "general", "t")
    for op in ("add", "remove"):
        fields = {"messages": [message_id], "op": op, "flag": flag}
        refusal = await server.refusal("dario", "POST", PATH, fields)
        assert refusal["code"] == "BAD_REQUEST"


@proves("FLG-11", "FLG-12", "FLG-15", "FLG-16")
async def test_wildcard_mentions_are_split_from_224(server: TestServer) -> None:
    await server.send("dario", "general", "t", "I was here")
    everybody = await server.send("ada", "general", "t", "@**all** hear")
    topic = await server.send("ada", "general", "t", "@**topic** hear")
    server.set_level(224)
    found = await flags(server, "dario", everybody)
    assert found & WILDCARDS == {"stream_wildcard_mentioned", "wildcard_mentioned"}
    found = await flags(server, "dario", topic)
    assert found & WILDCARDS == {"topic_wildcard_mentioned", "wildcard_mentioned"}
    assert await flags(server, "elif", topic) & WILDCARDS == set()
    server.set_level(223)
    for message_id in (everybody, topic):
        assert await flags(server, "dario", message_id) & WILDCARDS == {"wildcard_mentioned"}


@proves("FLG-13")
async def test_alert_words_mark_messages(server: TestServer) -> None:
    await server.call("dario", "POST", "/users/me/alert_words", {"alert_words": ["soup"]})
    message_id = await server.send("ada", "general", "t", "there is soup.")
    assert "has_alert_word" in await flags(server, "dario", message_id)
    assert "has_alert_word" not in await flags(server, "elif", message_id)


@proves("FLG-14")
async def test_messages_from_before_the_subscription_are_historical(server: TestServer) -> None:
    message_id = await server.send("ada", "engineering", "t")
    assert await flags(server, "greta", message_id) == {"read", "historical"}
    await server.subscribe("greta", "engineering")
    assert await flags(server, "greta", message_id) == {"read", "historical"}
    await change(server, "greta", "add", "starred", message_id)
    assert await flags(server, "greta", message_id) == {"read", "historical", "starred"}
    assert await flags(server, "dario", message_id) == set()


@proves("FLG-17")
async def test_messages_start_unread_except_for_senders_whose_client_marks_them_as_read(
    server: TestServer,
) -> None:
    fields = {"type": "stream", "to": "general", "topic": "t", "content": "x"}
    for agent, read in (("narrowcast/0.1", True), ("ZulipTerminal/0.7.0", True), ("some-bot/1", False)):
        response = await server.raw("ada", "POST", "/messages", fields, headers={"User-Agent": agent})
        message_id = response.json()["id"]
        assert ("read" in await flags(server, "ada", message_id)) is read
        assert "read" not in await flags(server, "dario", message_id)
    for wanted in (True, False):
        body = await server.call("ada", "POST", "/messages", {**fields, "read_by_sender": wanted})
        assert ("read" in await flags(server, "ada", body["id"])) is wanted


async def test_events_about_unread_messages_include_their_places(server: TestServer) -> None:
    channel = await server.send("ada", "general", "lunch", "@**Dario Vance**")
    direct = await server.send_direct("ada", ["dario", "elif"])
    await change(server, "dario", "add", "read", channel, direct)
    listener = await server.listen("dario")
    await change(server, "dario", "remove", "read", channel, direct)
    (event,) = await listener.events("update_message_flags")
    assert event["message_details"] == {
        str(channel): {
            "type": "stream",
            "stream_id": server.channel("general"),
            "topic": "lunch",
            "unmuted_stream_msg": True,
            "mentioned": True,
        },
        str(direct): {"type": "private", "user_ids": [server.id("ada"), server.id("elif")]},
    }


async def test_a_narrow_is_marked_as_read_in_pages(server: TestServer) -> None:
    sent = [await server.send("ada", "general", "t") for _ in range(5)]
    await server.send("ada", "general", "other")
    narrow = [{"operator": "topic", "operand": "t"}, {"operator": "is", "operand": "unread"}]
    fields = {"num_before": 0, "num_after": 2, "op": "add", "flag": "read", "narrow": narrow}
    response = await server.call("dario", "POST", "/messages/flags/narrow", {**fields, "anchor": "oldest"})
    assert (response["processed_count"], response["updated_count"]) == (2, 2)
    assert (response["first_processed_id"], response["last_processed_id"]) == (sent[0], sent[1])
    assert (response["found_oldest"], response["found_newest"]) == (True, False)
    rest = {**fields, "num_after": 1000, "anchor": response["last_processed_id"], "include_anchor": False}
    response = await server.call("dario", "POST", "/messages/flags/narrow", rest)
    assert (response["processed_count"], response["found_newest"]) == (3, True)
    snapshot = (await server.listen("dario")).snapshot
    assert snapshot["unread_msgs"]["count"] == 1


async def test_all_messages_a_channel_or_a_topic_can_be_marked_as_read(server: TestServer) -> None:
    first = await server.send("ada", "general", "t")
    second = await server.send("ada", "general", "u")
    await server.send("ada", "engineering", "v")
    general = server.channel("general")
    listener = await server.listen("dario")
    await server.call("dario", "POST", "/mark_topic_as_read", {"stream_id": general, "topic_name": "T"})
    await server.call("dario", "POST", "/mark_stream_as_read", {"stream_id": general})
    await server.call("dario", "POST", "/mark_all_as_read")
    events = await listener.events("update_message_flags")
    assert [(event["messages"], event["all"]) for event in events] == [
        ([first], False),
        ([second], False),
        ([], True),
    ]
    assert (await server.listen("dario")).snapshot["unread_msgs"]["count"] == 0
    fields = {"stream_id": general, "topic_name": "zzz"}
    await server.refusal("dario", "POST", "/mark_topic_as_read", fields)


async def test_messages_of_muted_users_are_read(server: TestServer) -> None:
    before = await server.send("ada", "general", "t")
    await server.call("dario", "POST", f"/users/me/muted_users/{server.id('ada')}")
    after = await server.send("ada", "general", "t")
    assert "read" in await flags(server, "dario", before)
    assert "read" in await flags(server, "dario", after)


async def test_flags_survive_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        message_id = await server.send("ada", "general", "t")
        await change(server, "dario", "add", "starred", message_id)
    async with running_server(tmp_path) as server:
        assert await flags(server, "dario", message_id) == {"starred"}
