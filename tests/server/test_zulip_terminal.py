"""The requests of zulip-terminal, replayed."""

from __future__ import annotations

from pathlib import Path

from support.server import TestServer, running_server

MESSAGE_KEYS = {
    "id", "type", "content", "timestamp", "sender_id", "sender_email", "sender_full_name", "is_me_message",
    "reactions", "flags", "display_recipient", "subject",
}  # fmt: skip
REGISTER_KEYS = {
    "queue_id", "last_event_id", "max_message_id", "zulip_version", "user_id", "email", "full_name", "realm_name",
    "realm_message_retention_days", "realm_users", "cross_realm_bots", "presences", "subscriptions",
    "starred_messages", "muted_topics", "unread_msgs", "realm_user_groups", "realm_emoji", "user_settings",
    "realm_allow_message_editing", "realm_message_content_edit_limit_seconds", "realm_allow_edit_history",
    "custom_profile_fields",
}  # fmt: skip
SUBSCRIPTION_KEYS = {
    "stream_id", "name", "description", "rendered_description", "color", "invite_only", "pin_to_top", "is_muted",
    "desktop_notifications", "message_retention_days", "subscribers", "date_created",
    "history_public_to_subscribers", "stream_weekly_traffic",
}  # fmt: skip
START = {
    "anchor": 0,
    "num_before": 30,
    "num_after": 10,
    "apply_markdown": True,
    "use_first_unread_anchor": True,
    "client_gravatar": True,
    "narrow": [],
}
EVENT_TYPES = [
    "message", "update_message", "reaction", "submessage", "subscription", "typing", "update_message_flags",
    "user_settings", "realm_emoji", "realm_user",
]  # fmt: skip
FETCH_TYPES = [
    "realm", "presence", "subscription", "message", "starred_messages", "update_message_flags", "muted_topics",
    "realm_user", "realm_user_groups", "user_settings", "realm_emoji", "custom_profile_fields", "zulip_version",
]  # fmt: skip


async def test_the_requests_of_the_client_at_startup_have_all_fields(server: TestServer) -> None:
    assert (await server.call(None, "GET", "/server_settings"))["zulip_version"]
    empty = await server.call("dario", "GET", "/messages", START)
    assert empty["messages"] == []
    assert empty["anchor"] == 10**16
    channel = await server.send("ada", "general", "t", "hello")
    direct = await server.send_direct("ada", ["dario"])
    response = await server.call("dario", "GET", "/messages", START)
    assert [message["id"] for message in response["messages"]] == [channel, direct]
    assert response["anchor"] == channel
    for message in response["messages"]:
        assert message.keys() >= MESSAGE_KEYS
    assert response["messages"][0]["stream_id"] == server.channel("general")
    people = response["messages"][1]["display_recipient"]
    assert all(person.keys() >= {"id", "email", "full_name"} for person in people)


async def test_the_registration_of_the_client_has_every_key(server: TestServer) -> None:
    await server.send("ada", "general", "t", "@**Dario Vance**")
    await server.send_direct("ada", ["dario"])
    await server.send_direct("ada", ["dario", "elif"])
    fields = {
        "event_types": EVENT_TYPES,
        "fetch_event_types": FETCH_TYPES,
        "client_gravatar": True,
        "apply_markdown": True,
        "include_subscribers": True,
    }
    snapshot = await server.call("dario", "POST", "/register", fields)
    assert snapshot.keys() >= REGISTER_KEYS
    assert {"pms", "streams", "huddles", "mentions"} <= snapshot["unread_msgs"].keys()
    assert snapshot["unread_msgs"]["pms"][0]["sender_id"] == server.id("ada")
    settings = {
        "send_private_typing_notifications",
        "twenty_four_hour_time",
        "pm_content_in_desktop_notifications",
    }
    assert settings <= snapshot["user_settings"].keys()
    assert server.id("dario") in {user["user_id"] for user in snapshot["realm_users"]}
    for subscription in snapshot["subscriptions"]:
        assert subscription.keys() >= SUBSCRIPTION_KEYS


async def test_the_later_requests_of_the_client_succeed(server: TestServer) -> None:
    general = server.channel("general")
    message_id = await server.send("ada", "general", "t", "hello")
    direct = await server.send_direct("ada", ["dario"])
    response = await server.call(
        "dario", "POST", "/users/me/presence", {"status": "active", "new_user_input": True}
    )
    assert "dario@demo.example" in response["presences"]
    assert (await server.call("dario", "GET", f"/users/me/{general}/topics"))["topics"]
    response = await server.call("dario", "GET", f"/messages/{message_id}")
    assert response["raw_content"] == "hello"
    assert (await server.call("dario", "GET", f"/messages/{message_id}/history"))["message_history"]
    for narrow, expected in (
        ([["stream", "general"]], message_id),
        ([["stream", "general"], ["topic", "t"]], message_id),
        ([["pm-with", "ada@demo.example"]], direct),
        ([["is", "private"]], direct),
        ([["search", "hello"]], message_id),
    ):
        fields = {**START, "narrow": narrow}
        response = await server.call("dario", "GET", "/messages", fields)
        assert expected in [message["id"] for message in response["messages"]]
    for operand in ("starred", "mentioned"):
        await server.call("dario", "GET", "/messages", {**START, "narrow": [["is", operand]]})
    data = [{"stream_id": general, "property": "is_muted", "value": True}]
    await server.call("dario", "POST", "/users/me/subscriptions/properties", {"subscription_data": data})
    await server.call("dario", "POST", "/typing", {"op": "start", "to": [server.id("ada")]})
    flags = {"messages": [message_id], "op": "add", "flag": "starred"}
    await server.call("dario", "POST", "/messages/flags", flags)
    reaction = {"emoji_name": "thumbs_up", "emoji_code": "1f44d", "reaction_type": "unicode_emoji"}
    await server.call("dario", "POST", f"/messages/{message_id}/reactions", reaction)


async def test_the_client_sends_edits_and_moves_messages(server: TestServer) -> None:
    fields = {"type": "stream", "to": "general", "subject": "t", "content": "hi", "read_by_sender": True}
    message_id = (await server.call("dario", "POST", "/messages", fields))["id"]
    changes = {"message_id": message_id, "topic": "u", "propagate_mode": "change_one"}
    await server.call("dario", "PATCH", f"/messages/{message_id}", changes)
    await server.call("dario", "PATCH", f"/messages/{message_id}", {"content": "hi!"})
    response = await server.call("ada", "GET", f"/messages/{message_id}")
    assert (response["message"]["subject"], response["raw_content"]) == ("u", "hi!")
    emails = {"type": "private", "to": ["ada@demo.example"], "content": "psst"}
    await server.call("dario", "POST", "/messages", emails)
    (message,) = await server.newest("ada", dm=[server.id("dario")])
    assert message["content"] == "psst"


async def test_the_client_can_start_with_the_demo_organization(tmp_path: Path) -> None:
    async with running_server(tmp_path, demo=True) as server:
        response = await server.call("ada", "GET", "/messages", START)
        assert response["messages"]
        assert all(message.keys() >= MESSAGE_KEYS for message in response["messages"])
        snapshot = await server.call("ada", "POST", "/register", {"fetch_event_types": FETCH_TYPES})
        assert snapshot.keys() >= REGISTER_KEYS
