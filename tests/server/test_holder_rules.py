"""Which groups each permission accepts, and settings that are reported but cannot be changed."""

from __future__ import annotations

import json

import pytest

from support.captures import captures, needs_recordings
from support.server import TestServer


@pytest.mark.parametrize(
    ("setting", "group"),
    [
        ("can_manage_all_groups", "role:nobody"),
        ("can_manage_billing_group", "role:nobody"),
        ("can_create_groups", "role:everyone"),
        ("can_invite_users_group", "role:everyone"),
        ("can_create_web_public_channel_group", "role:members"),
        ("can_access_all_users_group", "role:nobody"),
        ("can_resolve_topics_group", "role:internet"),
    ],
)
async def test_a_permission_is_granted_only_to_groups_allowed_for_it(
    server: TestServer, setting: str, group: str
) -> None:
    refusal = await server.refusal("ada", "PATCH", "/realm", {setting: {"new": server.group(group)}})
    assert refusal["msg"] == f"'{setting}' setting cannot be set to '{group}' group."


async def test_a_permission_that_requires_a_system_group_rejects_users(server: TestServer) -> None:
    value = {"new": {"direct_members": [server.id("ada")], "direct_subgroups": []}}
    name = "can_create_web_public_channel_group"
    refusal = await server.refusal("ada", "PATCH", "/realm", {name: value})
    assert refusal["msg"] == f"'{name}' must be a system user group."


async def test_permissions_accept_users_and_groups(server: TestServer) -> None:
    dario, moderators = server.id("dario"), server.group("role:moderators")
    both = {"direct_members": [dario], "direct_subgroups": [moderators]}
    path = f"/streams/{server.channel('general')}"
    await server.call("ada", "PATCH", path, {"can_send_message_group": {"new": both}})
    await server.call("ada", "PATCH", "/realm", {"can_create_groups": {"new": both}})
    await server.call(
        "ada", "POST", "/channels/create", {"name": "new", "subscribers": [], "can_subscribe_group": both}
    )
    snapshot = (await server.listen("ada")).snapshot
    rows = {row["name"]: row for row in snapshot["subscriptions"] + snapshot["never_subscribed"]}
    assert rows["general"]["can_send_message_group"] == both
    assert rows["new"]["can_subscribe_group"] == both
    assert snapshot["realm_can_create_groups"] == both
    await server.send("dario", "general", "t")
    await server.refusal(
        "elif",
        "POST",
        "/messages",
        {"type": "channel", "to": server.channel("general"), "topic": "t", "content": "x"},
    )
    await server.create_group("dario", "x")
    await server.refusal(
        "elif", "POST", "/user_groups/create", {"name": "y", "description": "", "members": []}
    )


async def test_a_single_group_without_users_is_stored_as_its_id(server: TestServer) -> None:
    moderators = server.group("role:moderators")
    alone = {"direct_members": [], "direct_subgroups": [moderators]}
    listener = await server.listen("ada")
    await server.call("ada", "PATCH", "/realm", {"can_create_groups": {"new": alone}})
    (event,) = await listener.events("realm")
    assert event["data"]["can_create_groups"] == moderators


async def test_permissions_of_channels_have_their_own_rules(server: TestServer) -> None:
    path = f"/streams/{server.channel('general')}"
    everyone = {"new": server.group("role:everyone")}
    await server.refusal("ada", "PATCH", path, {"can_add_subscribers_group": everyone})
    await server.call("ada", "PATCH", path, {"can_resolve_topics_group": everyone})
    for create in ("/channels/create", "/users/me/subscriptions"):
        params = {"name": "new", "subscribers": [], "subscriptions": [{"name": "new"}]}
        group = server.group("role:everyone")
        await server.refusal("ada", "POST", create, {**params, "can_administer_channel_group": group})


@needs_recordings
async def test_the_rules_for_permissions_are_those_of_a_zulip_server(server: TestServer) -> None:
    folder = captures()
    assert folder is not None
    recorded = json.loads((folder / "register_rich_cordelia.json").read_text())["response"]
    snapshot = (await server.listen("ada")).snapshot
    own, other = (response["server_supported_permission_settings"] for response in (snapshot, recorded))
    for kind, settings in own.items():
        for name, rule in settings.items():
            if name not in other[kind]:
                continue
            for key in ("allow_everyone_group", "allow_nobody_group", "require_system_group"):
                assert rule[key] == other[kind][name][key], (kind, name, key)
            assert set(rule["allowed_system_groups"]) == set(other[kind][name]["allowed_system_groups"])


async def test_settings_that_are_reported_but_cannot_be_changed_are_ignored(server: TestServer) -> None:
    snapshot = (await server.listen("ada")).snapshot
    for name in ("presence_disabled", "owner_full_content_access"):
        assert snapshot[f"realm_{name}"] is False
        response = await server.call("ada", "PATCH", "/realm", {name: True})
        assert response["ignored_parameters_unsupported"] == [name]
    params = {"enable_login_emails": True}
    response = await server.call("ada", "PATCH", "/realm/user_settings_defaults", params)
    assert response["ignored_parameters_unsupported"] == ["enable_login_emails"]


async def test_webhook_bots_need_the_permission_to_create_write_only_bots(server: TestServer) -> None:
    owners = server.group("role:owners")
    await server.call("ada", "PATCH", "/realm", {"can_create_bots_group": {"new": owners}})
    webhook = {"full_name": "Hook", "short_name": "hook", "bot_type": 2}
    generic = {"full_name": "Reader", "short_name": "reader", "bot_type": 1}
    await server.refusal("dario", "POST", "/bots", generic)
    await server.call("dario", "POST", "/bots", webhook)
    only_owners = {"can_create_write_only_bots_group": {"new": owners}}
    await server.call("ada", "PATCH", "/realm", only_owners)
    await server.refusal("dario", "POST", "/bots", {**webhook, "short_name": "other", "full_name": "Other"})


async def test_with_protected_history_everyone_must_be_able_to_create_topics(server: TestServer) -> None:
    path = f"/streams/{server.channel('operations')}"
    members = {"can_create_topic_group": {"new": server.group("role:members")}}
    refusal = await server.refusal("ada", "PATCH", path, members)
    assert refusal["msg"] == "Only everyone can create topics in private channels with protected history."
    await server.call("ada", "PATCH", f"/streams/{server.channel('leads')}", members)
    protect = {"history_public_to_subscribers": False}
    await server.refusal("ada", "PATCH", f"/streams/{server.channel('leads')}", protect)
    new = {"name": "new", "subscribers": [], "invite_only": True, "history_public_to_subscribers": False}
    await server.refusal(
        "ada", "POST", "/channels/create", {**new, "can_create_topic_group": server.group("role:members")}
    )
    await server.call("ada", "POST", "/channels/create", new)
