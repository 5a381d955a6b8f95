"""Groups, settings, bots and channels: the client's prediction and the server's decision agree."""

from __future__ import annotations

import pytest

from narrowcast_api import permissions
from narrowcast_api.wire.vocabulary import BotType
from support.permissions import PEOPLE, allowed, state_of
from support.server import TestServer


@pytest.mark.parametrize("holders", ["role:owners", "role:administrators", "role:members"])
async def test_the_client_predicts_who_may_manage_groups(server: TestServer, holders: str) -> None:
    value = {"new": server.group(holders)}
    await server.call("ada", "PATCH", "/realm", {"can_manage_all_groups": value})
    group_id = await server.create_group("ada", "Crew")
    for name in PEOPLE:
        state = await state_of(server, name)
        group = state.user_groups.get(group_id)
        assert group is not None
        said = permissions.group_refusal(state, group, None, "rename it")
        done = await allowed(server, name, "PATCH", f"/user_groups/{group_id}", {"description": name})
        assert (said == "") is done, (name, said)
        if said:
            who = {"role:owners": "owners", "role:administrators": "admins"}.get(
                holders, "everyone except guests"
            )
            assert said == f"Only {who} and Ada Moreno can rename it."


async def test_the_client_offers_the_groups_that_can_have_a_permission(server: TestServer) -> None:
    state = await state_of(server, "ada")
    for setting in ("can_create_web_public_channel_group", "can_manage_all_groups", "can_create_groups"):
        rule = state.holder_rules.of("realm", setting)
        offered = {group.id for group in permissions.possible_holders(state, rule)}
        for group in list(state.user_groups):
            done = await allowed(server, "ada", "PATCH", "/realm", {setting: {"new": group.id}})
            assert (group.id in offered) is done, (setting, group.name)


async def test_the_client_predicts_who_may_change_settings_of_the_organization(server: TestServer) -> None:
    values: dict[str, object] = {
        "emails_restricted_to_domains": True,
        "disallow_disposable_email_addresses": True,
        "waiting_period_threshold": 2,
        "description": "x",
        "can_manage_billing_group": {"new": server.group("role:owners")},
    }
    for name in PEOPLE:
        state = await state_of(server, name)
        for setting, value in values.items():
            said = permissions.organization_refusal(state, setting)
            assert (said == "") is await allowed(server, name, "PATCH", "/realm", {setting: value}), (
                name,
                setting,
            )


@pytest.mark.parametrize(
    ("bots", "webhooks"), [("members", "members"), ("owners", "members"), ("owners", "owners")]
)
async def test_the_client_offers_the_types_of_bots_that_can_be_created(
    server: TestServer, bots: str, webhooks: str
) -> None:
    await server.call(
        "ada", "PATCH", "/realm", {"can_create_bots_group": {"new": server.group(f"role:{bots}")}}
    )
    setting = {"can_create_write_only_bots_group": {"new": server.group(f"role:{webhooks}")}}
    await server.call("ada", "PATCH", "/realm", setting)
    for name in PEOPLE:
        state = await state_of(server, name)
        offered = permissions.bot_types(state)
        assert bool(offered) is (permissions.bot_refusal(state) == "")
        for kind in (BotType.GENERIC, BotType.INCOMING_WEBHOOK):
            params = {
                "full_name": f"{name} {kind}",
                "short_name": f"{name}{int(kind)}",
                "bot_type": int(kind),
            }
            done = await allowed(server, name, "POST", "/bots", params)
            assert (kind in offered) is done, (name, kind)


async def test_the_client_predicts_who_may_set_the_topics_policy(server: TestServer) -> None:
    setting = {"can_set_topics_policy_group": {"new": server.group("role:owners")}}
    await server.call("ada", "PATCH", "/realm", setting)
    for name in ("ada", "bruno"):
        state = await state_of(server, name)
        said = permissions.topics_policy_refusal(state)
        path = f"/streams/{server.channel('general')}"
        policy = {"topics_policy": "disable_empty_topic"}
        assert (said == "") is await allowed(server, name, "PATCH", path, policy), (name, said)


@pytest.mark.parametrize("spectators", [True, False])
@pytest.mark.parametrize("public", ["role:moderators", "role:members"])
async def test_the_client_predicts_which_kinds_of_channels_can_be_created(
    server: TestServer, spectators: bool, public: str
) -> None:
    """A web-public channel needs the permission for public ones too, and spectator access."""
    settings = {
        "can_create_public_channel_group": {"new": server.group(public)},
        "can_create_web_public_channel_group": {"new": server.group("role:moderators")},
        "can_create_private_channel_group": {"new": server.group("role:administrators")},
        "enable_spectator_access": spectators,
    }
    await server.call("ada", "PATCH", "/realm", settings)
    for name in PEOPLE:
        state = await state_of(server, name)
        for kind, private, web in (("a", False, False), ("b", True, False), ("c", False, True)):
            said = permissions.privacy_refusal(state, private=private, web_public=web)
            row: dict[str, object] = {"subscriptions": [{"name": f"{name} {kind}"}]}
            row |= {"invite_only": private, "is_web_public": web}
            done = await allowed(server, name, "POST", "/users/me/subscriptions", row)
            assert (said == "") is done, (name, kind, said)


async def test_changing_a_channels_privacy_needs_the_permission_to_create_channels_of_the_new_kind(
    server: TestServer,
) -> None:
    path = f"/streams/{server.channel('general')}"
    dario = {"direct_members": [server.id("dario")], "direct_subgroups": []}
    await server.call("ada", "PATCH", path, {"can_administer_channel_group": {"new": dario}})
    await server.call("ada", "DELETE", "/default_streams", {"stream_id": server.channel("general")})
    settings = {
        "can_create_public_channel_group": {"new": server.group("role:owners")},
        "can_create_private_channel_group": {"new": server.group("role:owners")},
    }
    await server.call("ada", "PATCH", "/realm", settings)
    for private in (True, False):
        response = await server.refusal("dario", "PATCH", path, {"is_private": private})
        assert response["msg"] == "Insufficient permission"
    await server.call("ada", "PATCH", path, {"is_private": True})
    response = await server.refusal("dario", "PATCH", path, {"is_private": False})
    assert response["msg"] == "Insufficient permission"
    await server.call("ada", "PATCH", "/realm", {"enable_spectator_access": False})
    response = await server.refusal("ada", "PATCH", path, {"is_private": False, "is_web_public": True})
    assert response["msg"] == "Web-public channels are not enabled."


@pytest.mark.parametrize("where", ["", "group", "own", "other", "channel", "archived", "realm"])
async def test_the_client_predicts_that_a_group_in_use_cannot_be_deactivated(
    server: TestServer, where: str
) -> None:
    crew, other = [await server.create_group("ada", name) for name in ("Crew", "Other")]
    holder = {"new": {"direct_members": [server.id("dario")], "direct_subgroups": [crew]}}
    channel = f"/streams/{server.channel('design')}"
    match where:
        case "group":
            await server.call("ada", "POST", f"/user_groups/{other}/subgroups", {"add": [crew]})
        case "own":
            await server.call("ada", "PATCH", f"/user_groups/{crew}", {"can_mention_group": {"new": crew}})
        case "other":
            await server.call("ada", "PATCH", f"/user_groups/{other}", {"can_join_group": holder})
        case "channel" | "archived":
            await server.call("ada", "PATCH", channel, {"can_send_message_group": holder})
            if where == "archived":
                await server.call("ada", "DELETE", channel)
        case "realm":
            await server.call("ada", "PATCH", "/realm", {"can_invite_users_group": {"new": crew}})
    state = await state_of(server, "ada")
    group = state.user_groups.get(crew)
    assert group is not None
    said = permissions.in_use_refusal(state, group)
    assert (said == "") is (where in ("", "archived")), said
    path = f"/user_groups/{crew}/deactivate"
    assert (said == "") is await allowed(server, "ada", "POST", path)


async def test_the_client_predicts_who_may_subscribe_themselves(server: TestServer) -> None:
    leads = server.channel("leads")
    farid = {"direct_members": [server.id("farid")], "direct_subgroups": []}
    await server.call("ada", "PATCH", f"/streams/{leads}", {"can_subscribe_group": {"new": farid}})
    for name in ("bruno", "dario", "farid", "hugo"):
        state = await state_of(server, name)
        for channel in state.channels:
            if channel.is_subscribed:
                continue
            said = permissions.subscribe_refusal(state, channel)
            params: dict[str, object] = {"subscriptions": [{"name": channel.name}]}
            done = await allowed(server, name, "POST", "/users/me/subscriptions", params)
            assert (said == "") is done, (name, channel.name, said)
