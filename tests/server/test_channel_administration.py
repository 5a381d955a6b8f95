"""Creating, changing and archiving channels; folders; the organization's settings."""

from __future__ import annotations

import pytest

from support.server import JsonObject, TestServer


async def channel(server: TestServer, name: str) -> JsonObject:
    response: JsonObject = (await server.call("ada", "GET", f"/streams/{server.channel(name)}"))["stream"]
    return response


async def create(server: TestServer, by: str = "dario", **changes: object) -> int:
    params: dict[str, object] = {"name": "workshop", "subscribers": [server.id(by)]}
    return int((await server.call(by, "POST", "/channels/create", params | changes))["id"])


async def update(server: TestServer, name: str, by: str = "ada", **params: object) -> JsonObject:
    return await server.call(by, "PATCH", f"/streams/{server.channel(name)}", params)


async def test_a_public_channel_is_announced_to_members_and_a_private_one_to_subscribers(
    server: TestServer,
) -> None:
    member, guest = await server.listen("elif"), await server.listen("hugo")
    await create(server)
    await create(server, name="closet", invite_only=True)
    created = [stream["name"] for event in await member.events("stream") for stream in event["streams"]]
    assert created == ["workshop"]
    assert await guest.events("stream") == []


async def test_a_second_channel_with_the_same_name_is_rejected(server: TestServer) -> None:
    await create(server)
    params = {"name": "WORKSHOP", "subscribers": []}
    response = await server.refusal("elif", "POST", "/channels/create", params, status=409)
    assert response["code"] == "CHANNEL_ALREADY_EXISTS"


async def test_creating_channels_requires_the_configured_permission(server: TestServer) -> None:
    params = {"name": "nope", "subscribers": []}
    await server.refusal("hugo", "POST", "/channels/create", params)
    value = {"new": server.group("role:moderators")}
    await server.call("ada", "PATCH", "/realm", {"can_create_public_channel_group": value})
    await server.refusal("dario", "POST", "/channels/create", params)
    await server.refusal("dario", "POST", "/channels/create", params | {"is_web_public": True})
    await server.call("chiyo", "POST", "/channels/create", params)


async def test_renaming_and_describing_a_channel_are_announced_to_all(server: TestServer) -> None:
    listener = await server.listen("elif")
    await update(server, "engineering", new_name="build", description="We *build*")
    events = [(event["property"], event["value"]) for event in await listener.events("stream")]
    assert events == [("name", "build"), ("description", "We *build*")]
    assert (await channel(server, "build"))["rendered_description"] == "<p>We <em>build</em></p>"
    await server.refusal("elif", "PATCH", f"/streams/{server.channel('build')}", {"new_name": "x"})
    path = f"/streams/{server.channel('build')}"
    await server.refusal("ada", "PATCH", path, {"new_name": "general"}, status=409)


async def test_making_a_channel_private_removes_it_for_non_subscribers(server: TestServer) -> None:
    outsider, insider = await server.listen("greta"), await server.listen("dario")
    await update(server, "engineering", is_private=True)
    assert [event["op"] for event in await outsider.events("stream")] == ["delete"]
    assert [event["property"] for event in await insider.events("stream")] == ["invite_only"]
    await update(server, "engineering", is_private=False)
    assert [event["op"] for event in await outsider.events("stream")] == ["create", "update"]


async def test_a_default_channel_cannot_be_made_private(server: TestServer) -> None:
    path = f"/streams/{server.channel('general')}"
    await server.refusal("ada", "PATCH", path, {"is_private": True})


async def test_a_permission_is_changed_only_if_the_old_value_matches(server: TestServer) -> None:
    moderators, everyone = server.group("role:moderators"), server.group("role:everyone")
    await update(server, "engineering", can_send_message_group={"new": moderators, "old": everyone})
    path = f"/streams/{server.channel('engineering')}"
    stale = {"can_send_message_group": {"new": everyone, "old": everyone}}
    assert (await server.refusal("ada", "PATCH", path, stale))["code"] == "EXPECTATION_MISMATCH"
    assert (await channel(server, "engineering"))["can_send_message_group"] == moderators
    sent = {"type": "channel", "to": server.channel("engineering"), "topic": "t", "content": "x"}
    await server.refusal("dario", "POST", "/messages", sent)


async def test_an_archived_channel_rejects_messages_until_it_is_unarchived(server: TestServer) -> None:
    modern = await server.listen("elif", client_capabilities={"archived_channels": True})
    older = await server.listen("elif")
    path = f"/streams/{server.channel('engineering')}"
    await server.refusal("elif", "DELETE", path)
    await server.call("ada", "DELETE", path)
    await server.refusal("ada", "DELETE", path)
    sent = {"type": "channel", "to": server.channel("engineering"), "topic": "t", "content": "x"}
    await server.refusal("elif", "POST", "/messages", sent)
    await server.call("ada", "PATCH", path, {"is_archived": False})
    await server.call("elif", "POST", "/messages", sent)
    assert [
        event["value"] for event in await modern.events("stream") if event.get("property") == "is_archived"
    ] == [True, False]
    assert [event["op"] for event in await older.events("stream")][:2] == ["delete", "create"]


async def test_only_owners_can_set_the_retention_of_a_channel(server: TestServer) -> None:
    path = f"/streams/{server.channel('engineering')}"
    await server.refusal("bruno", "PATCH", path, {"message_retention_days": 30})
    await update(server, "engineering", message_retention_days=30)
    assert (await channel(server, "engineering"))["message_retention_days"] == 30


async def test_new_users_are_subscribed_to_the_default_channels(server: TestServer) -> None:
    listener = await server.listen("elif")
    await server.refusal("elif", "POST", "/default_streams", {"stream_id": server.channel("design")})
    private = {"stream_id": server.channel("operations")}
    refusal = await server.refusal("bruno", "POST", "/default_streams", private)
    assert refusal["msg"] == "Private channels cannot be made default."
    await server.call("ada", "POST", "/default_streams", {"stream_id": server.channel("design")})
    assert server.channel("design") in (await listener.events("default_streams"))[0]["default_streams"]
    params = {"email": "n@demo.example", "full_name": "Nadia Osei", "password": "a long password"}
    await server.call("ada", "POST", "/users", params)
    subscriptions = (await server.call("nadia", "GET", "/users/me/subscriptions"))["subscriptions"]
    assert {row["name"] for row in subscriptions} == {"general", "design"}


async def test_folders_contain_channels_and_can_be_archived_only_when_empty(server: TestServer) -> None:
    refusal = await server.refusal(
        "elif", "POST", "/channel_folders/create", {"name": "Work", "description": ""}
    )
    assert refusal["code"] == "UNAUTHORIZED_PRINCIPAL"
    response = await server.call(
        "ada", "POST", "/channel_folders/create", {"name": "Work", "description": "d"}
    )
    folder = response["channel_folder_id"]
    await update(server, "engineering", folder_id=folder)
    assert (await channel(server, "engineering"))["folder_id"] == folder
    await server.refusal("ada", "PATCH", f"/channel_folders/{folder}", {"is_archived": True})
    await update(server, "engineering", folder_id=None)
    await server.call("ada", "PATCH", f"/channel_folders/{folder}", {"is_archived": True})
    assert (await server.call("elif", "GET", "/channel_folders"))["channel_folders"] == []
    await server.refusal("ada", "PATCH", "/channel_folders", {"order": [999]})


async def test_folder_names_are_unique_regardless_of_case(server: TestServer) -> None:
    folder, other = [
        (await server.call("ada", "POST", "/channel_folders/create", {"name": name, "description": ""}))[
            "channel_folder_id"
        ]
        for name in ("Work", "Tea")
    ]
    refusal = await server.refusal("ada", "PATCH", f"/channel_folders/{other}", {"name": "work"})
    assert "already in use" in refusal["msg"]
    await server.call("ada", "PATCH", f"/channel_folders/{folder}", {"name": "WORK"})
    listed = (await server.call("elif", "GET", "/channel_folders"))["channel_folders"]
    assert {row["name"] for row in listed} == {"WORK", "Tea"}


async def test_nothing_is_announced_in_an_archived_channel(server: TestServer) -> None:
    identity = server.channel("general")
    names = ("new_stream_announcements_stream_id", "signup_announcements_stream_id")
    await server.call("ada", "PATCH", "/realm", dict.fromkeys(names, identity))
    listener = await server.listen("elif")
    await server.call("ada", "DELETE", f"/streams/{identity}")
    (event,) = await listener.events("realm")
    assert (event["op"], event["data"]) == ("update_dict", dict.fromkeys(names, -1))
    assert [server.organization.settings[name] for name in names] == [-1, -1]


async def test_only_the_policy_empty_topic_only_requires_that_no_other_topics_exist(
    server: TestServer,
) -> None:
    await server.send("ada", "general", "lunch")
    await update(server, "general", topics_policy="disable_empty_topic")
    await create(server, name="quiet")
    await update(server, "quiet", topics_policy="empty_topic_only")
    policies = [(await channel(server, name))["topics_policy"] for name in ("general", "quiet")]
    assert policies == ["disable_empty_topic", "empty_topic_only"]


async def test_settings_of_the_organization_are_in_events_and_in_the_snapshot(server: TestServer) -> None:
    listener = await server.listen("elif")
    await server.refusal("elif", "PATCH", "/realm", {"name": "X"})
    await server.call(
        "bruno", "PATCH", "/realm", {"name": "Weather", "message_content_edit_limit_seconds": "unlimited"}
    )
    events = await listener.events("realm")
    assert [event["op"] for event in events] == ["update", "update_dict"]
    snapshot = (await server.listen("elif")).snapshot
    assert snapshot["realm_name"] == "Weather"
    assert snapshot["realm_message_content_edit_limit_seconds"] is None


@pytest.mark.parametrize(
    "params",
    [
        {"name": "x" * 41},
        {"name": ""},
        {"allow_message_editing": "perhaps"},
        {"message_content_edit_limit_seconds": -1},
        {"topics_policy": "whatever"},
        {"can_invite_users_group": 5},
        {"can_invite_users_group": {"new": 999_999}},
        {"new_stream_announcements_stream_id": 999_999},
    ],
)
async def test_invalid_settings_are_rejected(server: TestServer, params: dict[str, object]) -> None:
    code = (await server.refusal("ada", "PATCH", "/realm", params))["code"]
    assert code in ("BAD_REQUEST", "REQUEST_VARIABLE_INVALID")


async def test_some_settings_can_be_changed_by_owners_only(server: TestServer) -> None:
    value = {"new": server.group("role:moderators")}
    response = await server.refusal("bruno", "PATCH", "/realm", {"can_invite_users_group": value})
    assert response["code"] == "UNAUTHORIZED_PRINCIPAL"
    await server.call("ada", "PATCH", "/realm", {"can_invite_users_group": value})


async def test_domains_are_added_changed_and_removed_by_owners(server: TestServer) -> None:
    params = {"domain": "Weather.example", "allow_subdomains": False}
    await server.refusal("bruno", "POST", "/realm/domains", params)
    await server.call("ada", "POST", "/realm/domains", params)
    await server.refusal("ada", "POST", "/realm/domains", params)
    await server.refusal("ada", "POST", "/realm/domains", {"domain": "nodots", "allow_subdomains": False})
    await server.call("ada", "PATCH", "/realm/domains/weather.example", {"allow_subdomains": True})
    listed = (await server.call("elif", "GET", "/realm/domains"))["domains"]
    assert listed == [{"domain": "weather.example", "allow_subdomains": True}]
    await server.call("ada", "DELETE", "/realm/domains/weather.example")
    await server.refusal("ada", "DELETE", "/realm/domains/weather.example")


async def test_new_users_start_with_the_default_settings_of_the_organization(server: TestServer) -> None:
    await server.refusal("elif", "PATCH", "/realm/user_settings_defaults", {"twenty_four_hour_time": True})
    await server.call("ada", "PATCH", "/realm/user_settings_defaults", {"twenty_four_hour_time": True})
    params = {"email": "n@demo.example", "full_name": "Nadia Osei", "password": "a long password"}
    await server.call("ada", "POST", "/users", params)
    assert (await server.listen("nadia")).snapshot["user_settings"]["twenty_four_hour_time"] is True
    assert (await server.listen("elif")).snapshot["user_settings"]["twenty_four_hour_time"] is False


POLICIES = {
    "can_set_topics_policy_group": {"topics_policy": "disable_empty_topic"},
    "can_set_delete_message_policy_group": {"can_delete_own_message_group": "role:members"},
}


@pytest.mark.parametrize("permission", POLICIES)
async def test_a_channel_specific_policy_needs_the_permission_to_set_it(
    server: TestServer, permission: str
) -> None:
    """Chiyo holds the permission; Dario, who administers the channel that he created, does not."""
    moderators = {"new": server.group("role:moderators")}
    await server.call("ada", "PATCH", "/realm", {permission: moderators})
    rule = {
        name: server.group(value) if value.startswith("role:") else value
        for name, value in POLICIES[permission].items()
    }
    for path, params in (
        ("/channels/create", {"name": "one", "subscribers": [], **rule}),
        ("/users/me/subscriptions", {"subscriptions": [{"name": "two"}], **rule}),
    ):
        error = await server.refusal("dario", "POST", path, params)
        assert (error["code"], error["msg"]) == ("BAD_REQUEST", "Insufficient permission")
        await server.call("chiyo", "POST", path, params)
    channel_id = await create(server, name="three")
    change = {name: value if isinstance(value, str) else {"new": value} for name, value in rule.items()}
    await server.refusal("dario", "PATCH", f"/streams/{channel_id}", change)
    await server.call("dario", "PATCH", f"/streams/{channel_id}", {"description": "x"})
    await server.call("ada", "PATCH", f"/streams/{channel_id}", change)
    # Anybody may resend a permission unchanged; for policies real servers do not compare with the old value.
    again = await server.raw("dario", "PATCH", f"/streams/{channel_id}", change)
    assert (again.status_code == 200) is ("topics_policy" not in change)


async def test_a_channel_created_by_subscribing_is_put_into_its_folder(server: TestServer) -> None:
    folder = (
        await server.call("ada", "POST", "/channel_folders/create", {"name": "Work", "description": ""})
    )["channel_folder_id"]
    params = {"subscriptions": [{"name": "new"}], "folder_id": folder}
    await server.call("dario", "POST", "/users/me/subscriptions", params)
    streams = (await server.call("dario", "GET", "/streams"))["streams"]
    assert [one["folder_id"] for one in streams if one["name"] == "new"] == [folder]
    await server.refusal(
        "dario",
        "POST",
        "/users/me/subscriptions",
        {**params, "folder_id": 999, "subscriptions": [{"name": "newer"}]},
    )


async def test_new_channels_are_announced_in_the_configured_channel(server: TestServer) -> None:
    async def announced() -> list[tuple[str, str, str]]:
        rows = await server.newest("dario", channel=server.channel("general"))
        return [(row["sender_full_name"], row["subject"], row["content"]) for row in rows]

    bruno, subscribe = server.id("bruno"), "/users/me/subscriptions"
    quiet = {"name": "unheard", "subscribers": [bruno], "announce": True}
    await server.call("bruno", "POST", "/channels/create", quiet)
    general = {"new_stream_announcements_stream_id": server.channel("general")}
    await server.call("ada", "PATCH", "/realm", general)
    await server.call("bruno", "POST", "/channels/create", {**quiet, "name": "soup"})
    await server.call("bruno", "POST", "/channels/create", {**quiet, "name": "later", "announce": False})
    await server.call("bruno", "POST", "/channels/create", {**quiet, "name": "secret", "invite_only": True})
    several = [{"name": name} for name in ("general", "bread", "tea")]
    await server.call("bruno", "POST", subscribe, {"subscriptions": several, "announce": True})
    await server.call("bruno", "POST", subscribe, {"subscriptions": several, "announce": True})
    by = f"@_**Bruno Castell|{bruno}** created"
    assert await announced() == [
        ("Notification Bot", "new channels", f"{by} a new channel #**soup**."),
        ("Notification Bot", "new channels", f"{by} the following channels: #**bread**, #**tea**."),
    ]


async def test_administrators_can_remove_a_default_channel(server: TestServer) -> None:
    sent = {"stream_id": server.channel("general")}
    listener = await server.listen("elif")
    await server.refusal("elif", "DELETE", "/default_streams", sent)
    await server.call("ada", "DELETE", "/default_streams", sent)
    (event,) = await listener.events("default_streams")
    assert event["default_streams"] == []
    await server.refusal("ada", "DELETE", "/default_streams", {"stream_id": 999_999})


async def test_users_who_can_read_a_channel_can_get_its_email_address(server: TestServer) -> None:
    path = f"/streams/{server.channel('general')}/email_address"
    assert "@" in (await server.call("elif", "GET", path))["email"]
    await server.refusal("elif", "GET", f"/streams/{server.channel('operations')}/email_address")
