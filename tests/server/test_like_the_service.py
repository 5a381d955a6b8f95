"""What the server accepts, rejects and sends as the public service does (seen at level 442)."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.server import Bare, TestServer, running_server

NAMES = {
    "an ideographic space": "a\u3000b",
    "a no-break space": "a\u00a0b",
    "a soft hyphen": "a\u00adb",
    "a flag of tags": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "a newer emoji": "a \U0001faea",
}
NO_NAMES = {"a control character": "a\x07b", "no character": "a\ufffeb", "no character either": "a\ufdd0b"}


@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
async def test_unusual_characters_are_part_of_names(server: TestServer, name: str) -> None:
    await server.send("ada", "general", name, "topic")
    created = await server.call("ada", "POST", "/channels/create", {"name": name, "subscribers": []})
    assert server.organization.channels[created["id"]].name == name
    await server.call("ada", "POST", "/user_groups/create", {"name": name, "description": "", "members": []})
    await server.call("ada", "POST", "/channel_folders/create", {"name": name, "description": ""})
    await server.call("ada", "PATCH", f"/users/{server.id('greta')}", {"full_name": name})


@pytest.mark.parametrize("name", NO_NAMES.values(), ids=list(NO_NAMES))
async def test_no_characters_are_part_of_no_name(server: TestServer, name: str) -> None:
    fields = {"type": "channel", "to": server.channel("general"), "topic": name, "content": "x"}
    assert "at position 2" in (await server.refusal("ada", "POST", "/messages", fields))["msg"]
    await server.refusal("ada", "POST", "/channels/create", {"name": name, "subscribers": []})
    await server.refusal(
        "ada", "POST", "/user_groups/create", {"name": name, "description": "", "members": []}
    )
    await server.refusal("ada", "POST", "/channel_folders/create", {"name": name, "description": ""})
    await server.refusal("ada", "PATCH", f"/users/{server.id('greta')}", {"full_name": name})


async def test_muted_messages_do_not_count_as_unread(server: TestServer) -> None:
    general, soup = server.channel("general"), "soup"
    await server.send("ada", "general", soup, "1")
    await server.send("ada", "general", "other", "2")
    await server.send_direct("ada", ["elif"])
    counted = []
    for policy, muted in ((0, False), (1, False), (0, True), (2, True)):
        await server.call(
            "elif",
            "POST",
            "/user_topics",
            {"stream_id": general, "topic": soup, "visibility_policy": policy},
        )
        data = [{"stream_id": general, "property": "is_muted", "value": muted}]
        await server.call("elif", "POST", "/users/me/subscriptions/properties", {"subscription_data": data})
        unread = (await server.listen("elif")).snapshot["unread_msgs"]
        counted.append(unread["count"])
        assert len(unread["streams"]) == 2
    assert counted == [3, 2, 1, 2]


async def test_policies_of_topics_in_archived_channels_are_not_sent(server: TestServer) -> None:
    for name in ("design", "general"):
        muted = {"stream_id": server.channel(name), "topic": "soup", "visibility_policy": 1}
        await server.call("dario", "POST", "/user_topics", muted)
    await server.call("ada", "DELETE", f"/streams/{server.channel('design')}")
    snapshot = (await server.listen("dario")).snapshot
    assert [row["stream_id"] for row in snapshot["user_topics"]] == [server.channel("general")]
    muted_topics = (await server.listen("dario", fetch_event_types=["muted_topics"])).snapshot["muted_topics"]
    assert [row[0] for row in muted_topics] == ["general"]


async def test_subscriptions_are_changed_in_one_request(server: TestServer) -> None:
    answer = await server.call("ada", "PATCH", "/users/me/subscriptions", {"add": [{"name": "brand new"}]})
    assert answer["subscribed"] == {str(server.id("ada")): ["brand new"]}
    assert (answer["removed"], answer["not_removed"]) == ([], [])
    answer = await server.call("ada", "PATCH", "/users/me/subscriptions", {"delete": ["brand new"]})
    assert answer["removed"] == ["brand new"]
    assert "subscribed" not in answer


async def test_only_keys_of_the_service_are_sent(server: TestServer) -> None:
    sent = await server.send("ada", "general", "t", "before")
    await server.call("ada", "PATCH", f"/messages/{sent}", {"content": "after"})
    await server.call("ada", "POST", f"/messages/{sent}/reactions", {"emoji_name": "tada"})
    page = await server.call("ada", "GET", "/messages", {"message_ids": [sent]})
    assert "anchor" not in page
    (message,) = page["messages"]
    assert message["reactions"][0].keys() == {"emoji_name", "emoji_code", "reaction_type", "user_id"}
    assert "prev_rendered_content_version" not in message["edit_history"][0]
    assert "bot_type" not in await server.call("ada", "GET", "/users/me")
    snapshot = (await server.listen("ada")).snapshot
    assert snapshot["jitsi_server_url"] == snapshot["server_jitsi_server_url"] == "https://meet.jit.si"


async def test_people_have_storage_too(server: TestServer) -> None:
    await server.call("dario", "PUT", "/bot_storage", {"storage": {"a": "1"}})
    assert (await server.call("dario", "GET", "/bot_storage"))["storage"] == {"a": "1"}
    await server.call("dario", "DELETE", "/bot_storage")
    assert (await server.call("dario", "GET", "/bot_storage"))["storage"] == {}


async def test_texts_that_are_too_long_are_cut_in_the_services_dialect(tmp_path: Path) -> None:
    async with running_server(tmp_path, dialect="zulip") as server:
        fields = {"type": "channel", "to": "general", "topic": "t" * 80, "content": f"{'x' * 10_500}  "}
        sent = (await server.call("ada", "POST", "/messages", fields))["id"]

        async def stored() -> tuple[str, str]:
            page = {"anchor": sent, "num_before": 0, "num_after": 0, "apply_markdown": False}
            (message,) = (await server.call("ada", "GET", "/messages", page))["messages"]
            return message["subject"], message["content"]

        cut = f"{'x' * (10_000 - 20)}\n[message truncated]"
        assert await stored() == ("t" * 57 + "...", cut)
        await server.call("ada", "PATCH", f"/messages/{sent}", {"topic": "u" * 61, "content": "y" * 10_001})
        assert await stored() == ("u" * 57 + "...", cut.replace("x", "y"))


@pytest.mark.parametrize("token", ["apns_device_token", "android_gcm_reg_id"])
async def test_notifications_of_phones_are_not_set_up(server: TestServer, token: str) -> None:
    for method, path in (
        ("POST", f"/users/me/{token}"),
        ("DELETE", f"/users/me/{token}"),
        ("POST", "/mobile_push/register"),
        ("POST", "/mobile_push/test_notification"),
    ):
        refusal = await server.refusal("dario", method, path, {"token": "abc", "appid": "org.example"})
        assert refusal["code"] == "PUSH_SERVICE_NOT_CONFIGURED"


TWO_FAULTS: tuple[tuple[str, str, dict[str, object], str], ...] = (
    (
        "POST",
        "/messages",
        {"type": "channel", "to": "general", "local_id": "1"},
        "Missing 'content' argument",
    ),
    ("GET", "/messages", {"num_before": "x", "include_anchor": "x", "narrow": "x"}, "include_anchor"),
    ("GET", "/messages", {"message_ids": "x", "client_gravatar": "x"}, "client_gravatar"),
    (
        "POST",
        "/messages/flags/narrow",
        {"include_anchor": "x", "num_before": "x"},
        "Missing 'anchor' argument",
    ),
    ("POST", "/messages/flags/narrow", {"anchor": 1, "include_anchor": "x"}, "include_anchor"),
    ("PATCH", "/messages/1", {"content": "x", "stream_id": "x"}, "stream_id"),
    ("POST", "/register", {"event_types": "x", "all_public_streams": "x"}, "all_public_streams"),
    ("POST", "/realm/playgrounds", {"name": "x"}, "Missing 'url_template' argument"),
    ("POST", "/realm/profile_fields", {"field_data": "x"}, "field_data"),
    ("POST", "/invites", {"invitee_emails": "a", "notify_referrer_on_join": "x"}, "notify_referrer_on_join"),
    (
        "POST",
        "/users/me/subscriptions",
        {"subscriptions": [], "principals": "x", "announce": "x"},
        "announce",
    ),
    ("PATCH", "/users/me/subscriptions", {"add": "x", "delete": "x"}, "delete"),
    ("POST", "/users/me/status", {"away": "x", "status_text": "y" * 61}, "away"),
    (
        "PATCH",
        "/realm",
        {"avatar_changes_disabled": "x", "name_changes_disabled": "x"},
        "name_changes_disabled",
    ),
    ("PATCH", "/realm", {"can_create_groups": "x", "allow_message_editing": "x"}, "allow_message_editing"),
    ("PATCH", "/realm", {"digest_weekday": "x", "name": "n" * 41}, "name is too long (limit: 40 characters)"),
    ("PATCH", "/realm", {"name": " ", "digest_weekday": "x"}, "digest_weekday"),
    (
        "PATCH",
        "/realm",
        {"enable_read_receipts": "x", "invite_required": 1},
        "invite_required is not a boolean",
    ),
    ("PATCH", "/settings", {"color_scheme": "x", "twenty_four_hour_time": "x"}, "twenty_four_hour_time"),
    (
        "PATCH",
        "/settings",
        {"starred_message_counts": "x", "web_mark_read_on_scroll_policy": 9},
        "Invalid web_mark_read_on_scroll_policy",
    ),
    ("PATCH", "/settings", {"notification_sound": "none of them", "enable_sounds": "x"}, "enable_sounds"),
    ("PATCH", "/streams/{channel}", {"is_web_public": "x", "is_private": "x"}, "is_private"),
    # Permissions: their form is that of a parameter, whether their groups exist is asked for later.
    (
        "PATCH",
        "/streams/{channel}",
        {"new_name": "", "can_send_message_group": 9},
        "can_send_message_group does not have the expected format",
    ),
    (
        "PATCH",
        "/streams/{channel}",
        {"can_send_message_group": {"new": 99_999}, "can_subscribe_group": {"new": "x"}},
        'can_subscribe_group["new"]["int"] is not an integer',
    ),
    (
        "PATCH",
        "/streams/{channel}",
        {"message_retention_days": [], "new_name": "general"},
        'message_retention_days["int"] is not an integer',
    ),
    (
        "PATCH",
        "/user_groups/{group}",
        {"name": "role:x", "can_join_group": {"old": 1}},
        'can_join_group["new"] field is missing: Field required',
    ),
    ("PATCH", "/user_groups/{group}", {"deactivated": "x", "can_mention_group": "x"}, "can_mention_group"),
    (
        "POST",
        "/user_groups/create",
        {"name": "", "description": "", "members": [99_999], "can_mention_group": {"direct_members": ["x"]}},
        'can_mention_group["int"] is not an integer',
    ),
    (
        "POST",
        "/channels/create",
        {"name": "general", "subscribers": [], "can_subscribe_group": []},
        'can_subscribe_group["int"] is not an integer',
    ),
    (
        "POST",
        "/users/me/subscriptions",
        {"subscriptions": [{"name": "x"}], "can_subscribe_group": None, "announce": "x"},
        'can_subscribe_group["int"] is not an integer',
    ),
    (
        "PATCH",
        "/realm",
        {"moderation_request_channel_id": 99_999, "can_create_groups": {"new": 1, "old": {}}},
        'can_create_groups["old"]["int"] is not an integer',
    ),
    (
        "PATCH",
        "/realm/user_settings_defaults",
        {"email_notifications_batching_period_seconds": 0, "enter_sends": 1},
        "enter_sends is not a boolean",
    ),
    # What a parameter has inside is part of its form too.
    (
        "POST",
        "/users/me/subscriptions",
        {"subscriptions": [{}], "can_subscribe_group": None},
        'subscriptions[0]["name"] field is missing: Field required',
    ),
    (
        "POST",
        "/users/me/subscriptions",
        {"subscriptions": [{"name": "x", "color": "red"}], "announce": "x"},
        "Invalid subscriptions[0]: add.color is not a valid hex color code",
    ),
    ("PATCH", "/users/me/subscriptions", {"add": [{}]}, 'add[0]["name"] field is missing: Field required'),
    (
        "POST",
        "/scheduled_messages",
        {"type": "channel", "to": 1, "content": "x", "topic": "\0"},
        "Missing 'scheduled_delivery_timestamp' argument",
    ),
    (
        "PATCH",
        "/user_groups/{group}",
        {"can_join_group": "x", "name": "\0"},
        "name must not contain null bytes",
    ),
    (
        "PATCH",
        "/settings",
        {"enable_sounds": "x", "timezone": "Mars/Base"},
        "Invalid timezone: Not a recognized time zone",
    ),
    (
        "PATCH",
        "/settings",
        {"timezone": "Mars/Base", "web_stream_unreads_count_display_policy": 9},
        "Invalid web_stream_unreads_count_display_policy",
    ),
    ("POST", "/saved_snippets", {"title": " "}, "title cannot be blank"),
    ("POST", "/saved_snippets", {"title": "t" * 61}, "title is too long (limit: 60 characters)"),
    (
        "POST",
        "/users/me/status",
        {"status_text": "y" * 61, "emoji_name": "\0"},
        "status_text is too long (limit: 60 characters)",
    ),
    (
        "POST",
        "/user_topics",
        {"stream_id": 99_999, "topic": "t" * 61, "visibility_policy": 1},
        "topic is too long (limit: 60 characters)",
    ),
    (
        "PATCH",
        "/users/me/subscriptions/muted_topics",
        {"stream_id": 99_999, "topic": "t" * 61, "op": "add"},
        "topic is too long (limit: 60 characters)",
    ),
    (
        "DELETE",
        "/users/99999",
        {"deactivation_notification_comment": "c" * 2001},
        "deactivation_notification_comment is too long (limit: 2000 characters)",
    ),
    (
        "POST",
        "/bots",
        {"full_name": "x", "short_name": "x", "payload_url": '"x"', "interface_type": 9},
        "payload_url is not a URL",
    ),
    (
        "PATCH",
        "/bots/99999",
        {"service_payload_url": '"ftp://x.example"'},
        "service_payload_url is not a URL",
    ),
    (
        "POST",
        "/realm/playgrounds",
        {"name": "x", "url_template": "{", "pygments_language": "!"},
        "Invalid characters in the name of the language",
    ),
)


@pytest.mark.parametrize(("method", "path", "fields", "named"), TWO_FAULTS)
async def test_of_two_faults_the_one_is_named_that_the_service_names(
    server: TestServer, method: str, path: str, fields: dict[str, object], named: str
) -> None:
    await server.create_group("ada", "cooks", "ada")
    place = path.replace("{channel}", str(server.channel("general"))).replace(
        "{group}", str(server.group("cooks"))
    )
    bare = {name: Bare(value) if isinstance(value, str) else value for name, value in fields.items()}
    said = (await server.refusal("ada", method, place, bare))["msg"]
    assert said == (named if " " in named else f"{named} is not valid JSON")


async def test_who_may_call_is_checked_before_the_parameters(server: TestServer) -> None:
    for path, role in (("/users", "administrator"), ("/realm/deactivate", "owner")):
        said = await server.refusal("dario", "POST", path, {"deletion_delay_days": Bare("x")})
        assert (said["code"], said["msg"]) == ("UNAUTHORIZED_PRINCIPAL", f"Must be an organization {role}")


async def test_other_keys_of_permissions_are_ignored(server: TestServer) -> None:
    group = await server.create_group("ada", "cooks", "ada")
    value = {"direct_members": [server.id("ada")], "direct_subgroups": [group]}
    for change in (
        {"new": {**value, "name": "x"}, "reason": "x"},
        {"new": group, "old": {**value, "name": "x"}, "reason": "x"},
    ):
        await server.call("ada", "PATCH", f"/user_groups/{group}", {"can_join_group": change})
    assert server.organization.groups[group].settings["can_join_group"] == group
