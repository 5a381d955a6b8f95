"""Who may see a channel, read in it, write to it, and receive its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from support.server import TestServer

EVERYBODY = ("ada", "bruno", "chiyo", "dario", "elif", "greta", "hugo", "iris")


@dataclass(frozen=True)
class Rule:
    """Who may do what in one channel of `support.world`."""

    channel: str
    writer: str
    know: set[str]
    read: set[str]
    write: set[str]
    hear: set[str]


PEOPLE = {"ada", "bruno", "chiyo", "dario", "elif", "greta", "iris"}
RULES = [
    # public
    Rule("general", "ada", PEOPLE, PEOPLE, PEOPLE, PEOPLE - {"iris"}),
    # public, with a guest as subscriber
    Rule(
        "design", "elif", PEOPLE | {"hugo"}, PEOPLE | {"hugo"}, PEOPLE | {"hugo"}, {"elif", "dario", "hugo"}
    ),
    # only moderators and above may post
    Rule("announcements", "chiyo", PEOPLE, PEOPLE, {"ada", "bruno", "chiyo"}, PEOPLE - {"iris"}),
    # web-public: guests may read it too
    Rule("support", "ada", PEOPLE | {"hugo"}, PEOPLE | {"hugo"}, PEOPLE, {"ada"}),
    # private, protected history: administrators see that it exists, but cannot read it
    Rule(
        "operations",
        "bruno",
        {"ada", "bruno", "dario"},
        {"bruno", "dario"},
        {"bruno", "dario"},
        {"bruno", "dario"},
    ),
    # private, shared history
    Rule("leads", "ada", {"ada", "bruno", "chiyo"}, {"ada", "chiyo"}, {"ada", "chiyo"}, {"ada", "chiyo"}),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.channel)
async def test_each_role_may_do_in_a_channel_what_the_table_allows(server: TestServer, rule: Rule) -> None:
    channel_id = server.channel(rule.channel)
    listeners = {name: await server.listen(name, event_types=["message"]) for name in EVERYBODY}
    message_id = await server.send(rule.writer, rule.channel, "t", "soup")
    for name in EVERYBODY:
        heard = await listeners[name].events()
        assert bool(heard) is (name in rule.hear), name

        async def works(
            method: str, path: str, fields: Mapping[str, object] | None = None, name: str = name
        ) -> bool:
            response = await server.raw(name, method, path, fields)
            assert response.status_code < 500
            return bool(response.json()["result"] == "success")

        known = {
            row["stream_id"]
            for row in (await server.call(name, "GET", "/streams", {"include_all": True}))["streams"]
        }
        assert (channel_id in known) is (name in rule.know), name
        snapshot = (await server.listen(name)).snapshot
        listed = {
            row["stream_id"]
            for part in ("subscriptions", "unsubscribed", "never_subscribed")
            for row in snapshot[part]
        }
        assert (channel_id in listed) is (name in rule.know), name
        assert await works("GET", f"/streams/{channel_id}") is (name in rule.know), name
        assert await works("GET", f"/streams/{channel_id}/members") is (name in rule.know), name
        reads = name in rule.read
        assert await works("GET", f"/users/me/{channel_id}/topics") is reads, name
        # A guest reads a web-public channel, but cannot access its messages by id.
        names = reads and (name != "hugo" or rule.channel != "support")
        assert await works("GET", f"/messages/{message_id}") is names, name
        assert await works("GET", f"/messages/{message_id}/history") is names, name
        assert await works("GET", f"/messages/{message_id}/read_receipts") is names, name
        body = await server.call(
            name, "GET", "/messages/matches_narrow", {"msg_ids": [message_id], "narrow": []}
        )
        assert bool(body["messages"]) is reads, name
        reaction = {"emoji_name": "tada"}
        assert await works("POST", f"/messages/{message_id}/reactions", reaction) is names, name
        starred = {"messages": [message_id], "op": "add", "flag": "starred"}
        assert await works("POST", "/messages/flags", starred) is names, name
        typing = {"type": "channel", "op": "start", "stream_id": channel_id, "topic": "t"}
        assert await works("POST", "/typing", typing) is reads, name
        fields = {"type": "channel", "to": channel_id, "topic": "t", "content": "x"}
        assert await works("POST", "/messages", fields) is (name in rule.write), name


async def test_searching_does_not_find_messages_that_the_user_cannot_read(server: TestServer) -> None:
    await server.send("bruno", "operations", "t", "secretword")
    await server.send_direct("ada", ["bruno"], "secretword")
    fields = {
        "anchor": "newest",
        "num_before": 10,
        "num_after": 0,
        "narrow": [{"operator": "search", "operand": "secretword"}],
    }
    for name in ("chiyo", "elif", "hugo", "iris"):
        assert (await server.call(name, "GET", "/messages", fields))["messages"] == []


async def test_messages_of_a_private_channel_are_unreadable_after_unsubscribing(server: TestServer) -> None:
    message_id = await server.send("bruno", "operations", "t")
    await server.call("dario", "GET", f"/messages/{message_id}")
    fields = {"subscriptions": ["operations"]}
    await server.call("dario", "DELETE", "/users/me/subscriptions", fields)
    await server.refusal("dario", "GET", f"/messages/{message_id}")
    page = {"anchor": "newest", "num_before": 10, "num_after": 0}
    assert (await server.call("dario", "GET", "/messages", page))["messages"] == []
    listener = await server.listen("dario")
    await server.call("bruno", "PATCH", f"/messages/{message_id}", {"content": "changed"})
    await server.call("bruno", "DELETE", f"/messages/{message_id}")
    assert await listener.events("update_message", "delete_message", "reaction") == []


async def test_an_archived_channel_can_be_read_but_not_posted_to(server: TestServer) -> None:
    message_id = await server.send("ada", "engineering", "t")
    await server.call("ada", "DELETE", f"/streams/{server.channel('engineering')}")
    await server.call("dario", "GET", f"/messages/{message_id}")
    fields = {"type": "channel", "to": "engineering", "topic": "t", "content": "x"}
    refusal = await server.refusal("ada", "POST", "/messages", fields)
    assert refusal["msg"] == "Not authorized to send to channel 'engineering'"
    snapshot = (await server.listen("dario")).snapshot
    assert "engineering" not in {row["name"] for row in snapshot["subscriptions"]}
    modern = (await server.listen("dario", client_capabilities={"archived_channels": True})).snapshot
    assert "engineering" in {row["name"] for row in modern["subscriptions"]}


async def test_guests_are_notified_of_a_channel_when_they_are_added(server: TestServer) -> None:
    listener = await server.listen("hugo")
    await server.subscribe("ada", "general", "hugo")
    assert [(event["type"], event["op"]) for event in await listener.events("stream", "subscription")] == [
        ("stream", "create"),
        ("subscription", "add"),
    ]
    await server.refusal("hugo", "POST", "/users/me/subscriptions", {"subscriptions": [{"name": "random"}]})


async def test_a_new_private_channel_is_announced_to_its_subscribers_and_administrators(
    server: TestServer,
) -> None:
    listeners = {name: await server.listen(name) for name in EVERYBODY}
    await server.subscribe("elif", "secret", "dario", invite_only=True)
    told = {name for name, listener in listeners.items() if await listener.events("stream")}
    # Elif created and administers it, so she sees it without being subscribed.
    assert told == {"ada", "bruno", "dario", "elif"}


async def test_direct_messages_can_be_disabled(server: TestServer) -> None:
    nobody = server.group("role:nobody")
    setting = {"direct_message_permission_group": {"new": nobody}}
    await server.call("ada", "PATCH", "/realm", setting)
    fields = {"type": "direct", "to": [server.id("elif")], "content": "x"}
    refusal = await server.refusal("dario", "POST", "/messages", fields)
    assert refusal["msg"] == "Direct messages are disabled in this organization."
    await server.call("dario", "POST", "/messages", {**fields, "to": [server.id("dario")]})
    await server.call("dario", "POST", "/messages", {**fields, "to": [server.id("iris")]})


async def test_deactivated_users_receive_neither_events_nor_messages(server: TestServer) -> None:
    listener = await server.listen("greta")
    await server.call("ada", "DELETE", f"/users/{server.id('greta')}")
    await server.refusal("greta", "GET", "/events", listener.poll(), status=401)
    message_id = await server.send("ada", "general", "t")
    row = server.organization.store.one(
        "SELECT 1 FROM user_messages WHERE user_id = ? AND message_id = ?", server.id("greta"), message_id
    )
    assert row is None
    fields = {"type": "direct", "to": [server.id("greta")], "content": "x"}
    await server.refusal("ada", "POST", "/messages", fields)


async def test_users_who_may_see_a_channel_but_not_read_it_cannot_act_in_it(server: TestServer) -> None:
    """As on a Zulip server: administrators see private channels that they are not subscribed to."""
    channel = server.channel("operations")
    draft = {"type": "stream", "to": [channel], "topic": "t", "content": "x", "timestamp": 1_795_400_000}
    said = "Invalid channel ID"
    for path, params in (
        ("/drafts", {"drafts": [draft]}),
        ("/mark_stream_as_read", {"stream_id": channel}),
        ("/mark_topic_as_read", {"stream_id": channel, "topic_name": "t"}),
    ):
        assert (await server.refusal("ada", "POST", path, params))["msg"] == said, path
    for named in ({"stream_id": channel}, {"stream": "operations"}):
        mute = {**named, "topic": "t", "op": "add"}
        muted = await server.refusal("ada", "PATCH", "/users/me/subscriptions/muted_topics", mute)
        assert muted["msg"] == said
    message = await server.send("ada", "general", "t")
    moved = await server.refusal("ada", "PATCH", f"/messages/{message}", {"stream_id": channel})
    assert moved["msg"] == said
    response = await server.refusal("ada", "GET", "/get_stream_id", {"stream": "operations"})
    assert response["msg"] == "Invalid channel name 'operations'"
    await server.call("ada", "GET", f"/streams/{channel}")
    await server.call("ada", "GET", f"/streams/{channel}/members")
