"""DELETE /users/me/subscriptions."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import TestServer

PATH = "/users/me/subscriptions"


async def members(server: TestServer, channel: str) -> set[int]:
    path = f"/streams/{server.channel(channel)}/members"
    return set((await server.call("ada", "GET", path))["subscribers"])


@proves("USUB-01", "USUB-05", "USUB-10", "USUB-11")
async def test_unsubscribing_twice_is_reported_as_not_removed(server: TestServer) -> None:
    before = await members(server, "general")
    response = await server.call("dario", "DELETE", PATH, {"subscriptions": ["general"]})
    assert (response["removed"], response["not_removed"]) == (["general"], [])
    assert await members(server, "general") == before - {server.id("dario")}
    response = await server.call("dario", "DELETE", PATH, {"subscriptions": ["general"]})
    assert (response["removed"], response["not_removed"]) == ([], ["general"])


async def test_a_user_named_twice_is_unsubscribed_once(server: TestServer) -> None:
    fields = {"subscriptions": ["general"], "principals": ["elif@demo.example", "ELIF@demo.example"]}
    response = await server.call("ada", "DELETE", PATH, fields)
    assert (response["removed"], response["not_removed"]) == (["general"], [])


@proves("USUB-02")
async def test_the_list_of_channels_is_required(server: TestServer) -> None:
    refusal = await server.refusal("dario", "DELETE", PATH)
    assert refusal["code"] == "BAD_REQUEST"


@proves("USUB-03", "USUB-06")
async def test_administrators_unsubscribe_others_by_id_or_email(server: TestServer) -> None:
    for principal in (server.id("dario"), "elif@demo.example"):
        fields = {"subscriptions": ["general"], "principals": [principal]}
        response = await server.call("bruno", "DELETE", PATH, fields)
        assert response["removed"] == ["general"]
    fields = {"subscriptions": ["leads"], "principals": [server.id("chiyo")]}
    assert (await server.call("bruno", "DELETE", PATH, fields))["removed"] == ["leads"]


@proves("USR-11")
async def test_the_api_email_of_a_user_with_a_hidden_email_is_a_principal(server: TestServer) -> None:
    await server.call("dario", "PATCH", "/settings", {"email_address_visibility": 4})
    user = (await server.call("elif", "GET", f"/users/{server.id('dario')}"))["user"]
    assert user["email"] == f"user{server.id('dario')}@demo.example"
    fields = {"subscriptions": ["general"], "principals": [user["email"]]}
    assert (await server.call("ada", "DELETE", PATH, fields))["removed"] == ["general"]


@proves("USUB-04")
async def test_ids_of_principals_are_accepted_from_level_9(server: TestServer) -> None:
    fields = {"subscriptions": ["general"], "principals": [server.id("dario")]}
    server.set_level(8)
    await server.refusal("ada", "DELETE", PATH, fields)
    by_address = {"subscriptions": ["general"], "principals": ["elif@demo.example"]}
    await server.call("ada", "DELETE", PATH, by_address)
    server.set_level(9)
    await server.call("ada", "DELETE", PATH, fields)


@proves("USUB-07")
async def test_owners_can_unsubscribe_their_bots(server: TestServer) -> None:
    made = await server.create_bot("dario", "Kit", bot_type=1)
    for name in ("design", "leads"):
        fields = {"subscriptions": [{"name": name}], "principals": [made["user_id"]]}
        await server.call("ada", "POST", PATH, fields)
    bot = {"subscriptions": ["design"], "principals": [made["user_id"]]}
    await server.refusal("elif", "DELETE", PATH, bot)
    await server.refusal("dario", "DELETE", PATH, {**bot, "subscriptions": ["leads"]})
    assert (await server.call("dario", "DELETE", PATH, bot))["removed"] == ["design"]


@proves("USUB-08")
@pytest.mark.parametrize("form", ["group", "object", "subgroup"])
async def test_users_with_the_permission_of_the_channel_unsubscribe_others(
    server: TestServer, form: str
) -> None:
    inner = await server.create_group("ada", "inner", "dario")
    outer = await server.create_group("ada", "outer", subgroups=[inner])
    values: dict[str, object] = {
        "group": inner,
        "object": {"direct_members": [server.id("dario")], "direct_subgroups": []},
        "subgroup": outer,
    }
    fields = {"subscriptions": ["general"], "principals": [server.id("elif")]}
    await server.refusal("dario", "DELETE", PATH, fields)
    await server.call(
        "ada",
        "PATCH",
        f"/streams/{server.channel('general')}",
        {"can_remove_subscribers_group": {"new": values[form]}},
    )
    await server.refusal("farid", "DELETE", PATH, fields)
    assert (await server.call("dario", "DELETE", PATH, fields))["removed"] == ["general"]


@proves("USUB-09")
async def test_archived_channels_can_be_left_from_362(server: TestServer) -> None:
    await server.call("ada", "DELETE", f"/streams/{server.channel('design')}")
    server.set_level(361)
    await server.refusal("dario", "DELETE", PATH, {"subscriptions": ["design"]})
    server.set_level(362)
    response = await server.call("dario", "DELETE", PATH, {"subscriptions": ["design"]})
    assert response["removed"] == ["design"]


@proves("USUB-12", "USUB-16")
async def test_an_unknown_channel_rejects_the_whole_request(server: TestServer) -> None:
    refusal = await server.refusal("dario", "DELETE", PATH, {"subscriptions": ["general", "nosuch"]})
    assert refusal["code"] == "STREAM_DOES_NOT_EXIST"
    assert refusal["stream"] == "nosuch"
    assert server.id("dario") in await members(server, "general")


@proves("USUB-12")
async def test_a_hidden_channel_is_treated_as_unknown(server: TestServer) -> None:
    refusal = await server.refusal("elif", "DELETE", PATH, {"subscriptions": ["operations"]})
    assert (refusal["code"], refusal["stream"]) == ("STREAM_DOES_NOT_EXIST", "operations")


@proves("USUB-13", "USUB-14", "ERR-04")
@pytest.mark.parametrize("deactivated", [False, True])
async def test_a_bad_principal_is_400_from_208_and_403_before(server: TestServer, deactivated: bool) -> None:
    principal = 999999
    if deactivated:
        principal = server.id("greta")
        await server.call("ada", "DELETE", f"/users/{principal}")
    fields = {"subscriptions": ["general"], "principals": [principal]}
    server.set_level(208)
    refusal = await server.refusal("ada", "DELETE", PATH, fields, status=400)
    assert refusal["code"] == "BAD_REQUEST"
    server.set_level(207)
    refusal = await server.refusal("ada", "DELETE", PATH, fields, status=403)
    assert refusal["code"] == "UNAUTHORIZED_PRINCIPAL"


@proves("USUB-15", "INV-32")
async def test_members_cannot_unsubscribe_others(server: TestServer) -> None:
    fields = {"subscriptions": ["general"], "principals": [server.id("elif")]}
    refusal = await server.refusal("dario", "DELETE", PATH, fields)
    assert (refusal["code"], refusal["msg"]) == ("BAD_REQUEST", "Insufficient permission")


@proves("USUB-17")
async def test_a_channel_given_twice_is_returned_once(server: TestServer) -> None:
    fields = {
        "subscriptions": ["general", "general"],
        "principals": [server.id("elif"), server.id("dario")],
    }
    response = await server.call("ada", "DELETE", PATH, fields)
    assert response["removed"] == ["general"]


async def test_all_affected_users_are_notified(server: TestServer) -> None:
    leaver, member = await server.listen("dario"), await server.listen("elif")
    outsider = await server.listen("hugo")
    unread = await server.send("ada", "general", "t")
    await leaver.events()
    await server.call("dario", "DELETE", PATH, {"subscriptions": ["general"]})
    events = await leaver.events()
    assert [event["type"] for event in events] == ["update_message_flags", "subscription"]
    assert events[0]["messages"] == [unread]
    assert events[1]["subscriptions"] == [{"name": "general", "stream_id": server.channel("general")}]
    (event,) = await member.events("subscription")
    assert (event["op"], event["user_ids"]) == ("peer_remove", [server.id("dario")])
    assert await outsider.events("subscription") == []


async def test_leaving_a_private_channel_ends_access_to_it(server: TestServer) -> None:
    leaver = await server.listen("dario")
    await server.call("dario", "DELETE", PATH, {"subscriptions": ["operations"]})
    assert [(event["type"], event["op"]) for event in await leaver.events()] == [
        ("subscription", "remove"),
        ("stream", "delete"),
    ]
    await server.refusal("dario", "GET", f"/streams/{server.channel('operations')}")
