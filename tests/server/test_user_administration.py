"""Accounts: PATCH and DELETE /users/{user_id}, and related operations."""

from __future__ import annotations

import pytest

from narrowcast_server.operator.control import ask
from support.ledger import proves
from support.server import JsonObject, TestServer


async def user(server: TestServer, name: str) -> JsonObject:
    path = f"/users/{server.id(name)}"
    response: JsonObject = (await server.call("ada", "GET", path, {"include_custom_profile_fields": True}))[
        "user"
    ]
    return response


async def update(server: TestServer, name: str, by: str = "bruno", **params: object) -> JsonObject:
    return await server.call(by, "PATCH", f"/users/{server.id(name)}", params)


async def refused(server: TestServer, name: str, by: str = "bruno", **params: object) -> JsonObject:
    return await server.refusal(by, "PATCH", f"/users/{server.id(name)}", params)


async def deactivate(server: TestServer, name: str, by: str = "bruno", **params: object) -> JsonObject:
    return await server.call(by, "DELETE", f"/users/{server.id(name)}", params)


def mails(server: TestServer) -> list[tuple[str, str]]:
    return [
        (row["recipient"], row["body"])
        for row in server.organization.store.all("SELECT * FROM sent_emails ORDER BY id")
    ]


def allow_changing_addresses(server: TestServer, name: str) -> None:
    with server.organization.transaction():
        server.organization.users.update(server.id(name), can_change_user_emails=1)


@proves("USRU-01", "USRU-03", "USRU-04", "USRU-05", "USRU-13", "CONV-15")
async def test_an_update_changes_the_given_fields_and_notifies_all_users(server: TestServer) -> None:
    listener = await server.listen("elif")
    user_id = server.id("dario")
    assert (await update(server, "dario", full_name="Dario V.")).keys() == {"result", "msg"}
    for role in (300, 400, 600):
        await update(server, "dario", role=role)
        assert (await user(server, "dario"))["role"] == role
    people = [event["person"] for event in await listener.events("realm_user")]
    assert people[0] == {"user_id": user_id, "full_name": "Dario V."}
    assert [person["role"] for person in people[1:]] == [300, 400, 600]
    await server.refusal("bruno", "PATCH", "/users/999999", {"full_name": "x"})
    assert (await server.refusal("bruno", "PATCH", "/users/nobody", {"full_name": "x"}))[
        "code"
    ] == "BAD_REQUEST"


@pytest.mark.parametrize("name", ["a*b", "a`b", 'a"b', "a@b", "Foo|12", "a\nb", "a\x07b", "x" * 101])
async def test_names_that_cannot_be_mentioned_are_rejected(server: TestServer, name: str) -> None:
    path = f"/users/{server.id('dario')}"
    assert (await server.refusal("bruno", "PATCH", path, {"full_name": name}))["code"] == "BAD_REQUEST"
    assert (await server.call("ada", "GET", path))["user"]["full_name"] == "Dario Vance"


@proves("USRU-02", "USRU-15", "ERR-02")
@pytest.mark.parametrize("name", ["chiyo", "elif", "hugo"])
async def test_only_administrators_update_others(server: TestServer, name: str) -> None:
    response = await refused(server, "dario", by=name, full_name="x")
    assert (response["code"], response["msg"]) == ("BAD_REQUEST", "Insufficient permission")
    await server.refusal(name, "PATCH", "/users/999999", {"full_name": "x"})


@proves("USRU-05", "CONV-15")
@pytest.mark.parametrize("role", [0, 500, "member", None])
async def test_unknown_roles_are_rejected(server: TestServer, role: object) -> None:
    assert (await refused(server, "dario", role=role))["code"] == "BAD_REQUEST"


@proves("USRU-06", "USRU-07", "ERR-02")
async def test_only_owners_change_the_owner_role_and_the_last_owner_keeps_it(server: TestServer) -> None:
    await refused(server, "dario", by="bruno", role=100)
    await refused(server, "ada", by="bruno", role=400)
    assert (await refused(server, "ada", by="ada", role=400))["code"] == "BAD_REQUEST"
    await update(server, "dario", by="ada", role=100)
    await update(server, "ada", by="dario", role=400)
    await refused(server, "dario", by="dario", role=200)


@proves("USRU-12", "USRU-14", "ERR-02")
async def test_a_guest_cannot_become_an_administrator_in_one_step(server: TestServer) -> None:
    for role in (100, 200):
        assert (await refused(server, "hugo", by="ada", role=role))["code"] == "BAD_REQUEST"
    await update(server, "hugo", by="ada", role=300)
    await update(server, "hugo", by="ada", role=200)


@proves("USRU-08", "USRU-15", "USRU-16", "USRU-17")
async def test_profile_fields_are_set_one_by_one_and_invalid_ones_change_nothing(server: TestServer) -> None:
    created = {"name": "Phone", "field_type": 1}
    phone = (await server.call("bruno", "POST", "/realm/profile_fields", created))["id"]
    born = (await server.call("bruno", "POST", "/realm/profile_fields", {"name": "Born", "field_type": 4}))[
        "id"
    ]
    listener = await server.listen("elif")
    data = [{"id": phone, "value": "+1 **2**"}, {"id": born, "value": "1990-02-03"}]
    await update(server, "dario", profile_data=data)
    shown = (await user(server, "dario"))["profile_data"]
    assert shown[str(phone)]["value"] == "+1 **2**"
    assert "<strong>2</strong>" in shown[str(phone)]["rendered_value"]
    assert shown[str(born)] == {"value": "1990-02-03"}
    assert len(await listener.events("realm_user")) == 2
    for wrong in ([{"id": 999_999, "value": "x"}], [{"id": born, "value": "soon"}], [{"value": "x"}], "x"):
        assert (await refused(server, "dario", full_name="Not this", profile_data=wrong))[
            "code"
        ] == "BAD_REQUEST"
    assert (await user(server, "dario"))["full_name"] == "Dario Vance"
    await update(server, "dario", profile_data=[{"id": phone, "value": None}])
    assert str(phone) not in (await user(server, "dario"))["profile_data"]


@proves("USRU-09", "USRU-10", "USRU-11", "USRU-16", "AUTH-03")
async def test_from_285_owners_with_the_permission_can_change_emails(server: TestServer) -> None:
    params = {"new_email": "dario.vance@demo.example"}
    await refused(server, "dario", by="ada", **params)
    allow_changing_addresses(server, "bruno")
    await refused(server, "dario", by="bruno", **params)
    allow_changing_addresses(server, "ada")
    server.set_level(284)
    response = await update(server, "dario", by="ada", **params)
    assert response["ignored_parameters_unsupported"] == ["new_email"]
    server.set_level(285)
    await update(server, "dario", by="ada", **params)
    assert (await user(server, "dario"))["delivery_email"] == "dario.vance@demo.example"
    await refused(server, "dario", by="ada", new_email="elif@demo.example")
    await refused(server, "dario", by="ada", new_email="nowhere")


@proves("USRD-01", "USRD-02", "USRD-03", "USRD-07", "USRD-09", "USRD-10")
async def test_a_deactivated_account_loses_access_and_is_announced(server: TestServer) -> None:
    listener = await server.listen("elif")
    await server.refusal("elif", "DELETE", f"/users/{server.id('dario')}")
    await server.refusal("bruno", "DELETE", "/users/999999")
    await server.refusal("bruno", "DELETE", "/users/dario")
    assert (await deactivate(server, "dario")).keys() == {"result", "msg"}
    assert (await user(server, "dario"))["is_active"] is False
    await server.refusal("bruno", "DELETE", f"/users/{server.id('dario')}")
    refusal = await server.refusal("dario", "GET", "/users/me", status=401)
    assert refusal["code"] == "UNAUTHORIZED"
    person = {"user_id": server.id("dario"), "is_active": False}
    assert person in [event.get("person") for event in await listener.events("realm_user")]


@proves("USRD-08", "USRD-10", "ERR-02", "AUTH-03")
async def test_the_only_owner_cannot_be_deactivated_and_owners_only_by_owners(server: TestServer) -> None:
    assert (await server.refusal("ada", "DELETE", f"/users/{server.id('ada')}"))["code"] == "BAD_REQUEST"
    await update(server, "dario", by="ada", role=100)
    await server.refusal("bruno", "DELETE", f"/users/{server.id('dario')}")
    await deactivate(server, "dario", by="ada")


@proves("USRD-04", "USRD-05", "USRD-06")
async def test_deactivating_a_user_sends_an_email_only_with_a_comment(server: TestServer) -> None:
    server.set_level(135)
    await deactivate(server, "dario", deactivation_notification_comment="Thank you for **everything**")
    await deactivate(server, "elif", deactivation_notification_comment="")
    await deactivate(server, "farid", deactivation_notification_comment=None)
    server.set_level(134)
    response = await deactivate(server, "greta", deactivation_notification_comment="x")
    assert "ignored_parameters_unsupported" not in response
    sent = mails(server)
    assert [address for address, _ in sent] == ["dario@demo.example", "elif@demo.example"]
    assert "Thank you for **everything**" in sent[0][1]


async def test_the_bots_of_a_deactivated_user_are_deactivated(server: TestServer) -> None:
    await update(server, "dario", by="ada", role=100)
    await deactivate(server, "ada", by="dario")
    assert not server.user("iris").is_active


async def test_an_account_is_reactivated_with_its_subscriptions(server: TestServer) -> None:
    await deactivate(server, "dario")
    listener = await server.listen("elif")
    await server.refusal("elif", "POST", f"/users/{server.id('dario')}/reactivate")
    await server.call("bruno", "POST", f"/users/{server.id('dario')}/reactivate")
    assert (await user(server, "dario"))["is_active"] is True
    added = [
        event["stream_ids"] for event in await listener.events("subscription") if event["op"] == "peer_add"
    ]
    assert [server.channel("general")] in added


async def test_administrators_with_the_permission_of_the_operator_can_create_users(
    server: TestServer,
) -> None:
    params = {"email": "nadia@demo.example", "full_name": "Nadia Osei", "password": "a long password"}
    for name in ("elif", "bruno"):
        await ask(
            server.organization.folder,
            "permit",
            {"who": f"{name}@demo.example", "permission": "can_create_users"},
        )
    assert (await server.refusal("elif", "POST", "/users", params))["code"] == "UNAUTHORIZED_PRINCIPAL"
    taken = {"who": "bruno@demo.example", "permission": "can_create_users", "revoke": "True"}
    assert await ask(server.organization.folder, "permit", taken) == [
        "Bruno Castell no longer has the permission can_create_users"
    ]
    refusal = await server.refusal("bruno", "POST", "/users", params)
    assert (refusal["code"], refusal["msg"]) == ("BAD_REQUEST", "User not authorized to create users")
    await ask(server.organization.folder, "permit", {**taken, "revoke": "False"})
    response = await server.call("bruno", "POST", "/users", params)
    assert response["user_id"] == server.id("nadia")
    await server.refusal("bruno", "POST", "/users", params)
    signed_in = {"username": "nadia@demo.example", "password": "a long password"}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["user_id"] == response["user_id"]


async def test_users_set_their_own_profile_fields_if_editable(server: TestServer) -> None:
    fixed = {"name": "Badge", "field_type": 1, "editable_by_user": False}
    badge = (await server.call("bruno", "POST", "/realm/profile_fields", fixed))["id"]
    free = {"name": "Pronouns", "field_type": 8}
    pronouns = (await server.call("bruno", "POST", "/realm/profile_fields", free))["id"]
    own = "/users/me/profile_data"
    await server.call("dario", "PATCH", own, {"data": [{"id": pronouns, "value": "he/him"}]})
    await server.refusal("dario", "PATCH", own, {"data": [{"id": badge, "value": "7"}]})
    assert (await user(server, "dario"))["profile_data"] == {str(pronouns): {"value": "he/him"}}
    await server.call("dario", "DELETE", own, {"data": [pronouns]})
    assert (await user(server, "dario"))["profile_data"] == {}


@pytest.mark.parametrize(("name", "may_always"), [("bruno", True), ("dario", False)])
async def test_names_and_avatars_can_be_locked_for_all_except_administrators(
    server: TestServer, name: str, may_always: bool
) -> None:
    def own() -> tuple[str, int]:
        account = server.user(name)
        return account.full_name, account.avatar_version

    for fixed in (True, False):
        settings = {"name_changes_disabled": fixed, "avatar_changes_disabled": fixed}
        await server.call("ada", "PATCH", "/realm", settings)
        full_name, version = own()
        renamed = f"{full_name} {fixed}"
        await server.call(name, "PATCH", "/settings", {"full_name": renamed})
        await server.raw(name, "DELETE", "/users/me/avatar")
        may = may_always or not fixed
        assert own() == ((renamed, version + 1) if may else (full_name, version))


async def test_updating_a_user_reveals_unknown_ids_to_administrators_only(server: TestServer) -> None:
    for path in ("/users/999999", f"/users/{server.id('elif')}"):
        refusal = await server.refusal("dario", "PATCH", path, {"full_name": "x"})
        assert refusal["msg"] == "Insufficient permission"
    refusal = await server.refusal("bruno", "PATCH", "/users/999999", {"full_name": "x"})
    assert refusal["msg"] == "No such user"


async def test_new_users_receive_recent_messages_with_the_newest_unread(
    server: TestServer,
) -> None:
    store = server.organization.store
    old = await server.send("ada", "general", "old", "long ago")
    with store.transaction():
        long_ago = server.organization.now() - (12 * 7 * 86_400 + 60)
        store.execute("UPDATE messages SET timestamp = ? WHERE id = ?", long_ago, old)
    ids = [await server.send("ada", "general", "soup", f"spoon {number}") for number in range(25)]
    elsewhere = await server.send("ada", "engineering", "build", "not a default channel")
    person = {"email": "n@demo.example", "full_name": "Nadia Osei", "password": "a long password"}
    await server.call("ada", "POST", "/users", person)
    everything = {"anchor": "newest", "num_before": 100, "num_after": 0}
    feed = (await server.call("nadia", "GET", "/messages", everything))["messages"]
    own = [row for row in feed if row["id"] in {old, *ids, elsewhere}]
    assert [row["id"] for row in own] == ids
    assert [row["id"] for row in own if "read" not in row["flags"]] == ids[5:]
    unread = (await server.listen("nadia")).snapshot["unread_msgs"]
    assert [row["unread_message_ids"] for row in unread["streams"]] == [ids[5:]]
    seen = await server.call("ada", "GET", f"/messages/{ids[0]}/read_receipts")
    assert server.id("nadia") not in seen["user_ids"]


async def test_users_can_deactivate_their_own_account_except_the_last_owner(server: TestServer) -> None:
    response = await server.refusal("ada", "DELETE", "/users/me")
    assert (response["code"], response["is_last_owner"]) == ("CANNOT_DEACTIVATE_LAST_USER", True)
    assert response["msg"] == "Cannot deactivate the only organization owner."
    await server.call("farid", "DELETE", "/users/me")
    assert (await server.refusal("farid", "GET", "/users/me", status=401))["code"] == "UNAUTHORIZED"
    people = (await server.call("ada", "GET", "/users"))["members"]
    assert [row["is_active"] for row in people if row["user_id"] == server.id("farid")] == [False]


async def test_a_bot_does_not_get_the_name_of_another_one(server: TestServer) -> None:
    for name in ("builds", "tests"):
        await server.create_bot("elif", name)
    bot = next(user for user in server.organization.users.all() if user.full_name == "tests")
    await server.refusal("elif", "PATCH", f"/users/{bot.id}", {"full_name": "builds"})
    await server.call("elif", "PATCH", f"/users/{bot.id}", {"full_name": "checks"})
