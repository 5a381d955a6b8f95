"""Sending, fetching, editing, moving and deleting messages."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.resources.users.accounts import create_user
from narrowcast_server.rules.access import subscriber_ids
from support.clock import VirtualClock
from support.ledger import proves
from support.server import JsonObject, TestServer, running_server

BULK = {"bulk_message_deletion": True, "empty_topic_name": True}


async def message(server: TestServer, name: str, message_id: int) -> JsonObject:
    response = await server.call(name, "GET", f"/messages/{message_id}")
    found: JsonObject = response["message"]
    return found


def to_channel(**changes: object) -> dict[str, object]:
    fields: dict[str, object] = {"type": "stream", "to": "general", "topic": "t", "content": "x"}
    return {key: value for key, value in {**fields, **changes}.items() if value is not None}


@pytest.mark.parametrize("form", ["name", "id", "list of a name", "list of an id", "quoted name"])
async def test_a_channel_can_be_given_by_id_or_name(server: TestServer, form: str) -> None:
    channel_id = server.channel("general")
    to: dict[str, object] = {
        "name": "general",
        "id": channel_id,
        "list of a name": ["general"],
        "list of an id": [channel_id],
        "quoted name": '"general"',
    }
    response = await server.call("dario", "POST", "/messages", to_channel(to=to[form]))
    assert (await message(server, "ada", response["id"]))["display_recipient"] == "general"


@pytest.mark.parametrize("form", ["ids", "addresses", "plain address", "with oneself"])
async def test_recipients_can_be_given_by_ids_or_emails(server: TestServer, form: str) -> None:
    to: dict[str, object] = {
        "ids": [server.id("elif")],
        "addresses": ["elif@demo.example"],
        "plain address": "elif@demo.example",
        "with oneself": [server.id("elif"), server.id("dario")],
    }
    fields = {"type": "direct", "to": to[form], "content": "x"}
    response = await server.call("dario", "POST", "/messages", fields)
    people = (await message(server, "elif", response["id"]))["display_recipient"]
    assert {person["id"] for person in people} == {server.id("dario"), server.id("elif")}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (to_channel(to="nosuch"), "Channel 'nosuch' does not exist"),
        (to_channel(to=999999), "Channel with ID '999999' does not exist"),
        (to_channel(to=["general", "design"]), "Expected exactly one channel"),
        (to_channel(content=""), "Message must not be empty"),
        (to_channel(content=" \n"), "Message must not be empty"),
        (to_channel(content="a\x00b"), "Message must not contain null bytes"),
        (to_channel(content="x" * 10_001), "Message is too long (limit: 10000 characters)"),
        (to_channel(topic="x" * 61), "topic is too long (limit: 60 characters)"),
        (to_channel(topic="a\nb"), "Invalid character in topic, at position 2!"),
        (to_channel(topic=None), "Missing topic"),
        (to_channel(to=None), "Missing channel"),
        (to_channel(type="foo"), "Invalid type"),
        (to_channel(to="operations"), "Channel 'operations' does not exist"),
        (to_channel(to="announcements"), "You do not have permission to post in this channel."),
        ({"type": "direct", "to": [], "content": "x"}, "Message must have recipients"),
        ({"type": "direct", "to": [999999], "content": "x"}, "Invalid user ID 999999"),
        ({"type": "direct", "to": ["x@y.z"], "content": "x"}, "Invalid email 'x@y.z'"),
        ({"type": "direct", "to": ["x@y.z", 1], "content": "x"}, "Recipient lists may contain emails"),
        ({"type": "direct", "to": 5, "content": "x"}, "Invalid data type for recipients"),
    ],
)
async def test_invalid_messages_are_rejected(
    server: TestServer, fields: dict[str, object], text: str
) -> None:
    refusal = await server.refusal("elif", "POST", "/messages", fields)
    assert refusal["msg"].startswith(text)


@proves("LIM-03")
async def test_limits_of_lengths_count_code_points(server: TestServer) -> None:
    fields = to_channel(topic="ü" * 60, content="💬" * 10_000)
    response = await server.call("elif", "POST", "/messages", fields)
    assert (await message(server, "elif", response["id"]))["subject"] == "ü" * 60


@proves("LIM-02")
async def test_the_configured_limits_are_reported_and_enforced(tmp_path: Path) -> None:
    limits = replace(ServiceLimits(), max_message_length=5, max_topic_length=3)
    async with running_server(tmp_path, config=ServerConfig(limits=limits)) as server:
        snapshot = (await server.listen("ada")).snapshot
        assert (snapshot["max_message_length"], snapshot["max_topic_length"]) == (5, 3)
        await server.call("ada", "POST", "/messages", to_channel(content="12345", topic="abc"))
        await server.refusal("ada", "POST", "/messages", to_channel(content="123456"))
        await server.refusal("ada", "POST", "/messages", to_channel(topic="abcd"))


async def test_a_page_has_the_requested_messages_around_the_anchor(server: TestServer) -> None:
    ids = [await server.send("ada", "general", "t", str(number)) for number in range(6)]

    async def page(**fields: object) -> tuple[list[int], bool, bool, bool, int]:
        response = await server.call("dario", "GET", "/messages", {"num_before": 0, "num_after": 0, **fields})
        found = [row["id"] for row in response["messages"]]
        return (
            found,
            response["found_anchor"],
            response["found_oldest"],
            response["found_newest"],
            response["anchor"],
        )

    assert await page(anchor=ids[2], num_before=1, num_after=1) == (ids[1:4], True, False, False, ids[2])
    assert await page(anchor="newest", num_before=2) == (ids[4:], False, False, True, 10**16)
    assert await page(anchor="oldest", num_after=9) == (ids, False, True, True, 0)
    assert await page(anchor=ids[2], num_before=9, include_anchor=False) == (
        ids[:2], False, True, False, ids[2],
    )  # fmt: skip
    flags = {"messages": ids[:3], "op": "add", "flag": "read"}
    await server.call("dario", "POST", "/messages/flags", flags)
    assert (await page(anchor="first_unread", num_after=1))[0] == ids[3:5]
    response = await server.call("dario", "GET", "/messages", {"message_ids": [ids[4], ids[1], 999999]})
    assert [row["id"] for row in response["messages"]] == [ids[1], ids[4]]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"num_before": 1, "num_after": 1}, "Missing 'anchor' argument"),
        ({"anchor": "xyz"}, "Invalid anchor"),
        ({"anchor": "newest", "num_before": -1}, "num_before is too small"),
        ({"anchor": "newest", "num_before": 5001}, "Too many messages requested (maximum 5000)."),
        ({"anchor": 1, "num_before": 1, "num_after": 1, "include_anchor": False}, "The anchor can only be"),
        ({"anchor": 1, "message_ids": [1]}, "Unsupported parameter combination"),
    ],
)
async def test_invalid_pages_are_rejected(server: TestServer, fields: dict[str, object], text: str) -> None:
    refusal = await server.refusal("dario", "GET", "/messages", fields)
    assert refusal["msg"].startswith(text)


async def test_an_edit_is_stored_announced_and_added_to_the_history(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t", "old **text**")
    listener, outsider = await server.listen("dario"), await server.listen("hugo")
    await server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "new text"})
    (event,) = await listener.events("update_message")
    assert event["content"] == "new text"
    assert event["orig_content"] == "old **text**"
    assert event["rendered_content"] == "<p>new text</p>"
    assert event["orig_rendered_content"] == "<p>old <strong>text</strong></p>"
    assert (event["message_id"], event["message_ids"]) == (message_id, [message_id])
    assert event["user_id"] == server.id("ada")
    assert event["rendering_only"] is False
    assert await outsider.events("update_message") == []
    history = (await server.call("dario", "GET", f"/messages/{message_id}/history"))["message_history"]
    assert [version["content"] for version in history] == ["old **text**", "new text"]
    assert history[1]["prev_content"] == "old **text**"
    assert "highlight_text_inserted" in history[1]["content_html_diff"]
    assert "last_edit_timestamp" in await message(server, "dario", message_id)


async def test_an_edit_based_on_an_outdated_text_is_rejected(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t", "base")
    digest = hashlib.sha256(b"base").hexdigest()
    fields = {"content": "mine", "prev_content_sha256": digest}
    await server.call("ada", "PATCH", f"/messages/{message_id}", fields)
    refusal = await server.refusal("ada", "PATCH", f"/messages/{message_id}", fields)
    assert refusal["code"] == "EXPECTATION_MISMATCH"


async def test_only_the_author_can_edit_and_only_within_the_time_limit(
    server: TestServer, clock: VirtualClock
) -> None:
    message_id = await server.send("dario", "general", "t")
    path = f"/messages/{message_id}"
    await server.refusal("ada", "PATCH", path, {"content": "y"})
    await server.refusal("dario", "PATCH", path)
    await clock.advance(500)
    await server.call("dario", "PATCH", path, {"content": "y"})
    await clock.advance(200)
    await server.refusal("dario", "PATCH", path, {"content": "z"})
    await server.call("ada", "PATCH", "/realm", {"allow_message_editing": False})
    late = await server.send("dario", "general", "t")
    await server.refusal("dario", "PATCH", f"/messages/{late}", {"content": "z"})


@pytest.mark.parametrize(
    ("mode", "moved"), [("change_one", [1]), ("change_later", [1, 2]), ("change_all", [0, 1, 2])]
)
async def test_the_propagate_mode_selects_which_messages_are_moved(
    server: TestServer, mode: str, moved: list[int]
) -> None:
    ids = [await server.send("dario", "general", "old") for _ in range(3)]
    listener = await server.listen("elif")
    fields = {
        "topic": "new",
        "propagate_mode": mode,
        "send_notification_to_new_thread": False,
    }
    await server.call("dario", "PATCH", f"/messages/{ids[1]}", fields)
    (event,) = await listener.events("update_message")
    assert (event["orig_subject"], event["subject"], event["propagate_mode"]) == ("old", "new", mode)
    assert event["message_ids"] == [ids[index] for index in moved]
    for index, message_id in enumerate(ids):
        expected = "new" if index in moved else "old"
        assert (await message(server, "elif", message_id))["subject"] == expected


async def test_moving_a_topic_keeps_its_visibility_policy_and_posts_a_notice(server: TestServer) -> None:
    general = server.channel("general")
    message_id = await server.send("dario", "general", "old")
    fields = {"stream_id": general, "topic": "old", "visibility_policy": 3}
    await server.call("elif", "POST", "/user_topics", fields)
    listener = await server.listen("elif")
    move = {"topic": "new", "propagate_mode": "change_all", "send_notification_to_old_thread": True}
    await server.call("dario", "PATCH", f"/messages/{message_id}", move)
    policies = [(e["topic_name"], e["visibility_policy"]) for e in await listener.events("user_topic")]
    assert policies == [("old", 0), ("new", 3)]
    topics = (await server.call("elif", "GET", f"/users/me/{general}/topics"))["topics"]
    assert [topic["name"] for topic in topics] == ["old", "new"]


async def test_the_readers_of_both_channels_receive_the_move_of_a_message(server: TestServer) -> None:
    message_id = await server.send("bruno", "operations", "t")
    newcomer, reader = await server.listen("elif"), await server.listen("dario")
    stranger = await server.listen("hugo")
    fields = {"stream_id": server.channel("general"), "send_notification_to_new_thread": False}
    await server.call("bruno", "PATCH", f"/messages/{message_id}", fields)
    for listener in (newcomer, reader):
        (event,) = await listener.events("update_message")
        assert (event["message_ids"], event["new_stream_id"]) == ([message_id], server.channel("general"))
    assert await stranger.events("update_message") == []
    assert (await message(server, "elif", message_id))["stream_id"] == server.channel("general")


async def test_all_subscribers_of_a_channel_with_protected_history_receive_messages_moved_there(
    server: TestServer,
) -> None:
    for channel, person in (("vault", "bruno"), ("operations", "greta")):
        await server.subscribe("bruno", channel, person, invite_only=True)
    message_id = await server.send("bruno", "vault", "t")
    newcomer = await server.listen("greta")
    fields = {"stream_id": server.channel("operations"), "send_notification_to_new_thread": False}
    await server.call("bruno", "PATCH", f"/messages/{message_id}", fields)
    (event,) = await newcomer.events("update_message")
    assert event["message_ids"] == [message_id]
    assert set(event["flags"]) == {"read", "historical"}
    assert "vault" not in str(event)
    assert set((await message(server, "greta", message_id))["flags"]) == {"read", "historical"}
    assert (await server.listen("greta")).snapshot["unread_msgs"]["streams"] == []


async def test_resolving_a_topic_renames_it_and_posts_a_notice(server: TestServer) -> None:
    message_id = await server.send("dario", "general", "bug")
    fields = {"topic": "✔ bug", "propagate_mode": "change_all"}
    await server.call("elif", "PATCH", f"/messages/{message_id}", fields)
    general = server.channel("general")
    topics = (await server.call("elif", "GET", f"/users/me/{general}/topics"))["topics"]
    assert [topic["name"] for topic in topics] == ["✔ bug"]
    shown = await message(server, "elif", topics[0]["max_id"])
    assert "has marked this topic as resolved" in shown["content"]


async def test_users_who_cannot_read_the_new_channel_lose_the_messages(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t")
    await server.send("ada", "general", "t")
    loser = await server.listen("dario", client_capabilities=BULK)
    keeper = await server.listen("chiyo", client_capabilities=BULK)
    fields = {
        "stream_id": server.channel("leads"),
        "propagate_mode": "change_all",
        "send_notification_to_new_thread": False,
    }
    await server.call("ada", "PATCH", f"/messages/{message_id}", fields)
    events = await loser.events("update_message", "delete_message")
    assert [event["type"] for event in events] == ["delete_message"]
    assert events[0]["message_ids"] == [message_id, message_id + 1]
    (event,) = await keeper.events("update_message", "delete_message")
    assert (event["stream_id"], event["new_stream_id"]) == (
        server.channel("general"),
        server.channel("leads"),
    )
    assert "subject" not in event
    await server.refusal("dario", "GET", f"/messages/{message_id}")
    snapshot = (await server.listen("dario")).snapshot
    assert snapshot["unread_msgs"]["count"] == 0


async def test_for_users_not_subscribed_to_the_new_channel_moved_messages_are_read(
    server: TestServer,
) -> None:
    message_id = await server.send("ada", "general", "t")
    listener = await server.listen("greta")
    fields = {"stream_id": server.channel("engineering"), "propagate_mode": "change_all"}
    await server.call("ada", "PATCH", f"/messages/{message_id}", fields)
    (event,) = await listener.events("update_message_flags")
    assert (event["op"], event["flag"], event["messages"]) == ("add", "read", [message_id])


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "x", "stream_id": 2},
        {"topic": "t"},
        {"topic": "x", "propagate_mode": "foo"},
        {"stream_id": 999999},
        {"topic": "x" * 61},
        {},
    ],
)
async def test_invalid_edits_are_rejected(server: TestServer, fields: dict[str, object]) -> None:
    message_id = await server.send("dario", "general", "t")
    await server.refusal("dario", "PATCH", f"/messages/{message_id}", fields)


async def test_direct_messages_have_no_topic_and_no_channel(server: TestServer) -> None:
    message_id = await server.send_direct("dario", ["elif"])
    for fields in ({"topic": "x"}, {"stream_id": server.channel("general")}):
        await server.refusal("dario", "PATCH", f"/messages/{message_id}", fields)
    await server.call("dario", "PATCH", f"/messages/{message_id}", {"content": "better"})


async def test_a_deletion_is_sent_to_all_users_who_had_the_message(server: TestServer) -> None:
    message_id = await server.send("dario", "general", "t")
    direct = await server.send_direct("dario", ["elif"])
    listener, outsider = await server.listen("elif", client_capabilities=BULK), await server.listen("hugo")
    await server.refusal("elif", "DELETE", f"/messages/{message_id}")
    await server.call("ada", "DELETE", f"/messages/{message_id}")
    await server.refusal("ada", "DELETE", f"/messages/{direct}")
    await server.call("dario", "DELETE", f"/messages/{direct}")
    events = [{**event, "id": 0} for event in await listener.events("delete_message")]
    assert events == [
        {
            "type": "delete_message",
            "message_ids": [message_id],
            "message_type": "stream",
            "stream_id": server.channel("general"),
            "topic": "t",
            "id": 0,
        },
        {"type": "delete_message", "message_ids": [direct], "message_type": "private", "id": 0},
    ]
    assert await outsider.events("delete_message") == []
    await server.refusal("dario", "GET", f"/messages/{message_id}")
    assert await server.send("dario", "general", "t") > direct


async def test_read_receipts_leave_out_users_who_disabled_them(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t")
    for name in ("dario", "elif", "farid"):
        fields = {"messages": [message_id], "op": "add", "flag": "read"}
        await server.call(name, "POST", "/messages/flags", fields)
    await server.call("elif", "PATCH", "/settings", {"send_read_receipts": False})
    await server.call("ada", "POST", f"/users/me/muted_users/{server.id('farid')}")
    response = await server.call("ada", "GET", f"/messages/{message_id}/read_receipts")
    assert response["user_ids"] == [server.id("dario")]


async def test_topics_are_followed_automatically_as_configured(server: TestServer) -> None:
    settings = {"automatically_follow_topics_policy": 3, "automatically_follow_topics_where_mentioned": True}
    await server.call("dario", "PATCH", "/settings", settings)
    listener = await server.listen("dario", event_types=["user_topic", "message"])
    response = await server.call("dario", "POST", "/messages", to_channel(topic="mine"))
    assert response["automatic_new_visibility_policy"] == 3
    response = await server.call("dario", "POST", "/messages", to_channel(topic="mine"))
    assert "automatic_new_visibility_policy" not in response
    await server.send("ada", "general", "hers", "@**Dario Vance**")
    events = await listener.events()
    assert [event["type"] for event in events] == [
        "user_topic",
        "message",
        "message",
        "user_topic",
        "message",
    ]


async def test_writing_to_a_muted_topic_does_not_follow_it(server: TestServer) -> None:
    await server.call("dario", "PATCH", "/settings", {"automatically_follow_topics_policy": 3})
    muted = {"stream_id": server.channel("general"), "topic": "mine", "visibility_policy": 1}
    await server.call("dario", "POST", "/user_topics", muted)
    response = await server.call("dario", "POST", "/messages", to_channel(topic="mine"))
    assert "automatic_new_visibility_policy" not in response
    (kept,) = (await server.listen("dario")).snapshot["user_topics"]
    assert kept["visibility_policy"] == 1


async def test_only_users_with_the_permission_may_use_wildcard_mentions_in_large_channels(
    server: TestServer,
) -> None:
    general = server.organization.channels[server.channel("general")]

    def subscribed(count: int) -> None:
        missing = count - len(subscriber_ids(server.organization, general.id))
        with server.organization.transaction():
            people = [
                create_user(
                    server.organization,
                    email=f"p{count}-{number}@demo.example",
                    full_name=f"Person {count} {number}",
                    channel_ids=[],
                )
                for number in range(missing)
            ]
            subscribe(server.organization, [general], people)

    subscribed(15)
    for whom in ("all", "topic"):
        await server.call("dario", "POST", "/messages", to_channel(content=f"@**{whom}**"))
    subscribed(16)
    for whom, kind in (("all", "STREAM"), ("topic", "TOPIC")):
        fields = to_channel(content=f"@**{whom}**")
        refusal = await server.refusal("dario", "POST", "/messages", fields)
        assert refusal["code"] == f"{kind}_WILDCARD_MENTION_NOT_ALLOWED"
        await server.call("ada", "POST", "/messages", fields)


async def test_a_message_with_enormous_html_is_rejected(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), max_message_length=100))
    async with running_server(tmp_path, config=config) as server:
        fields = to_channel(content="```math\n" + "x\n\n" * 30)
        refusal = await server.refusal("ada", "POST", "/messages", fields)
        assert refusal["msg"] == "Unable to render message"
