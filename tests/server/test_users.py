"""GET /users/me and GET /users/{user_id}."""

from __future__ import annotations

import zoneinfo
from datetime import datetime

import pytest

from support.ledger import proves
from support.server import JsonObject, TestServer


async def user(server: TestServer, name: str, whom: str, **fields: object) -> JsonObject:
    response = await server.call(name, "GET", f"/users/{server.id(whom)}", fields)
    assert response.keys() == {"result", "msg", "user"}
    found: JsonObject = response["user"]
    return found


async def set_visibility(server: TestServer, name: str, value: int) -> None:
    await server.call(name, "PATCH", "/settings", {"email_address_visibility": value})


@proves("ME-01", "ME-02", "ME-03", "ME-04", "ME-05", "ME-07", "ME-08", "ME-09", "ME-11", "ME-12")
async def test_the_current_users_record_has_every_field(server: TestServer) -> None:
    me = await server.call("ada", "GET", "/users/me")
    assert me["user_id"] == server.id("ada")
    assert me["email"] == me["delivery_email"] == "ada@demo.example"
    assert me["full_name"] == "Ada Moreno"
    assert me["role"] == 100
    assert isinstance(me["avatar_url"], str)
    assert isinstance(me["avatar_version"], int)
    assert isinstance(me["timezone"], str)
    datetime.fromisoformat(me["date_joined"])


@proves("ME-06", "USR-15", "USR-16", "USR-17")
@pytest.mark.parametrize(
    ("name", "owner", "administrator", "guest"),
    [
        ("ada", True, True, False),
        ("bruno", False, True, False),
        ("chiyo", False, False, False),
        ("dario", False, False, False),
        ("hugo", False, False, True),
    ],
)
async def test_roles_are_reported_as_booleans_too(
    server: TestServer, name: str, owner: bool, administrator: bool, guest: bool
) -> None:
    me = await server.call(name, "GET", "/users/me")
    seen = await user(server, "elif", name)
    for shown in (me, seen):
        assert (shown["is_owner"], shown["is_admin"], shown["is_guest"]) == (owner, administrator, guest)
        assert shown["is_active"] is True
        assert shown["is_bot"] is False


@proves("ME-10", "VER-03")
async def test_the_deprecated_newest_message_id_is_still_returned(server: TestServer) -> None:
    assert (await server.call("dario", "GET", "/users/me"))["max_message_id"] == -1
    message_id = await server.send("ada", "general", "t")
    assert (await server.call("dario", "GET", "/users/me"))["max_message_id"] == message_id


@proves("ME-13", "USR-08", "USR-09", "USR-10", "USR-11")
async def test_hidden_addresses_are_null_and_before_163_left_out(server: TestServer) -> None:
    await set_visibility(server, "dario", 3)
    hidden = await user(server, "elif", "dario")
    assert hidden["delivery_email"] is None
    assert hidden["email"] == f"user{server.id('dario')}@demo.example"
    assert (await user(server, "bruno", "dario"))["delivery_email"] == "dario@demo.example"
    assert (await server.call("dario", "GET", "/users/me"))["delivery_email"] == "dario@demo.example"
    server.set_level(162)
    assert "delivery_email" not in await user(server, "elif", "dario")
    server.set_level(163)
    assert "delivery_email" in await user(server, "elif", "dario")
    assert (await user(server, "hugo", "iris"))["delivery_email"] == "iris-bot@demo.example"


@proves("ME-14", "USR-05", "USR-26", "USR-27")
async def test_profile_data_are_returned_for_users_on_request(server: TestServer) -> None:
    fields = {"name": "Motto", "field_type": 2}
    field_id = (await server.call("ada", "POST", "/realm/profile_fields", fields))["id"]
    data = [{"id": field_id, "value": "*plain* words"}]
    await server.call("dario", "PATCH", "/users/me/profile_data", {"data": data})
    expected = {str(field_id): {"value": "*plain* words", "rendered_value": "<p><em>plain</em> words</p>"}}
    assert (await server.call("dario", "GET", "/users/me"))["profile_data"] == expected
    assert "profile_data" not in await server.call("iris", "GET", "/users/me")
    assert "profile_data" not in await user(server, "elif", "dario")
    shown = await user(server, "elif", "dario", include_custom_profile_fields=True)
    assert shown["profile_data"] == expected
    assert "profile_data" not in await user(server, "elif", "iris", include_custom_profile_fields=True)


@proves("USR-28")
async def test_profile_values_are_sanitized(server: TestServer) -> None:
    fields = {"name": "Motto", "field_type": 2}
    field_id = (await server.call("ada", "POST", "/realm/profile_fields", fields))["id"]
    data = [{"id": field_id, "value": "<script>alert(1)</script>[x](javascript:alert(1))"}]
    await server.call("dario", "PATCH", "/users/me/profile_data", {"data": data})
    shown = await user(server, "elif", "dario", include_custom_profile_fields=True)
    rendered = shown["profile_data"][str(field_id)]["rendered_value"]
    assert "<script" not in rendered
    assert 'href="javascript' not in rendered


@proves("ME-15", "ME-16")
async def test_billing_administrators_are_gone_from_363(server: TestServer) -> None:
    server.set_level(362)
    assert (await server.call("ada", "GET", "/users/me"))["is_billing_admin"] is False
    assert "is_billing_admin" in await user(server, "ada", "dario")
    server.set_level(363)
    assert "is_billing_admin" not in await server.call("ada", "GET", "/users/me")
    assert "is_billing_admin" not in await user(server, "ada", "dario")


@proves("USR-01", "USR-06", "USR-07", "USR-12", "USR-13", "USR-21", "USR-22", "USR-25", "USR-30", "USR-31")
async def test_the_record_of_another_user_has_every_field(server: TestServer) -> None:
    await server.call("dario", "PATCH", "/settings", {"timezone": "Europe/Berlin"})
    shown = await user(server, "elif", "dario")
    assert shown["user_id"] == server.id("dario")
    assert shown["full_name"] == "Dario Vance"
    assert shown["role"] == 400
    assert shown["timezone"] in zoneinfo.available_timezones()
    assert isinstance(shown["avatar_version"], int)
    assert (shown["bot_type"], shown["bot_owner_id"]) == (None, None)
    datetime.fromisoformat(shown["date_joined"])


@proves("USR-02", "USR-29")
@pytest.mark.parametrize("path", ["/users/999999", "/users/zzz", "/users/nobody@demo.example", "/users/-1"])
async def test_an_unknown_user_is_rejected(server: TestServer, path: str) -> None:
    refusal = await server.refusal("ada", "GET", path)
    assert refusal["code"] == "BAD_REQUEST"


@proves("USR-03", "USR-04", "USR-23")
async def test_the_avatar_is_null_under_exactly_three_conditions(server: TestServer) -> None:
    assert (await user(server, "elif", "dario"))["avatar_url"] is None
    assert (await user(server, "elif", "dario", client_gravatar=True))["avatar_url"] is None
    assert isinstance((await user(server, "elif", "dario", client_gravatar=False))["avatar_url"], str)
    server.set_level(91)
    assert isinstance((await user(server, "elif", "dario"))["avatar_url"], str)
    server.set_level(92)
    assert (await user(server, "elif", "dario"))["avatar_url"] is None
    await set_visibility(server, "dario", 4)
    assert isinstance((await user(server, "elif", "dario"))["avatar_url"], str)
    with server.organization.transaction():
        server.organization.users.update(server.id("elif"), avatar_url="/user_avatars/1/elif.png")
    assert isinstance((await user(server, "dario", "elif"))["avatar_url"], str)


@proves("USR-24")
async def test_clients_that_could_do_without_the_avatar_url_get_it_too(server: TestServer) -> None:
    capable = {"client_capabilities": {"user_avatar_url_field_optional": True}}
    with_capability = (await server.listen("elif", client_gravatar=True, **capable)).snapshot
    without = (await server.listen("elif", client_gravatar=True)).snapshot
    assert all("avatar_url" in user for user in without["realm_users"])
    assert with_capability["realm_users"] == without["realm_users"]


@proves("USR-14")
async def test_deactivated_people_are_not_active(server: TestServer) -> None:
    await server.call("ada", "DELETE", f"/users/{server.id('greta')}")
    assert (await user(server, "elif", "greta"))["is_active"] is False


@proves("USR-18", "USR-19", "USR-20")
async def test_bots_have_a_type_and_an_optional_owner(server: TestServer) -> None:
    iris = await user(server, "elif", "iris")
    assert (iris["is_bot"], iris["bot_type"], iris["bot_owner_id"]) == (True, 1, server.id("ada"))
    jasper = await user(server, "elif", "jasper")
    assert (jasper["bot_type"], jasper["bot_owner_id"]) == (2, server.id("bruno"))
    with server.organization.transaction():
        server.organization.users.update(server.id("iris"), bot_owner_id=None)
    assert (await user(server, "elif", "iris"))["bot_owner_id"] is None


async def test_all_users_or_the_requested_ones_are_listed(server: TestServer) -> None:
    members = (await server.call("hugo", "GET", "/users"))["members"]
    assert len(members) == 10
    ids = [server.id("ada"), server.id("iris")]
    members = (await server.call("hugo", "GET", "/users", {"user_ids": ids}))["members"]
    assert [member["user_id"] for member in members] == ids
