"""Operations that few clients use, or that older clients know by other names."""

from __future__ import annotations

import pytest

from support.server import TestServer
from support.world import PASSWORD


async def test_linkifiers_are_listed_as_triples_for_older_clients(server: TestServer) -> None:
    sent = {"pattern": "W-(?P<id>[0-9]+)", "url_template": "https://w.example/{id}"}
    identity = (await server.call("ada", "POST", "/realm/filters", sent))["id"]
    answer = await server.call("elif", "GET", "/realm/filters")
    assert answer["filters"] == [[sent["pattern"], sent["url_template"], identity]]


async def test_the_ping_command_answers(server: TestServer) -> None:
    await server.call("elif", "POST", "/zcommand", {"command": "/ping"})
    await server.refusal("elif", "POST", "/zcommand", {"command": "dance"})


async def test_the_old_display_settings_operation_changes_settings(server: TestServer) -> None:
    listener = await server.listen("elif")
    await server.call("elif", "PATCH", "/settings/display", {"twenty_four_hour_time": True})
    (event,) = await listener.events("user_settings")
    assert (event["property"], event["value"]) == ("twenty_four_hour_time", True)


async def test_a_bot_forgets_what_it_stored(server: TestServer) -> None:
    storage = {"storage": {"a": "1", "b": "2", "c": "3"}}
    await server.call("iris", "PUT", "/bot_storage", storage)
    await server.call("iris", "DELETE", "/bot_storage", {"keys": ["a", "z"]})
    assert (await server.call("iris", "GET", "/bot_storage"))["storage"] == {"b": "2", "c": "3"}
    await server.call("iris", "DELETE", "/bot_storage")
    assert (await server.call("iris", "GET", "/bot_storage"))["storage"] == {}
    await server.refusal("ada", "DELETE", "/bot_storage")


async def test_a_muted_user_can_be_unmuted(server: TestServer) -> None:
    path = f"/users/me/muted_users/{server.id('dario')}"
    await server.call("elif", "POST", path)
    listener = await server.listen("elif")
    await server.call("elif", "DELETE", path)
    (event,) = await listener.events("muted_users")
    assert event["muted_users"] == []
    await server.send("dario", "general", "t")
    (event,) = await listener.events("message")
    assert event["flags"] == []
    await server.refusal("elif", "DELETE", path)


async def test_one_request_subscribes_and_unsubscribes(server: TestServer) -> None:
    sent = {"add": [{"name": "design"}], "delete": ["general"]}
    answer = await server.call("farid", "PATCH", "/users/me/subscriptions", sent)
    assert answer["subscribed"] == {str(server.id("farid")): ["design"]}
    assert answer["removed"] == ["general"]
    await server.refusal("farid", "PATCH", "/users/me/subscriptions")


async def test_subscriptions_are_announced_to_users_who_may_know_the_channel(server: TestServer) -> None:
    dario = server.id("dario")
    for channel, subscribed in (("design", True), ("support", False)):
        path = f"/users/{dario}/subscriptions/{server.channel(channel)}"
        assert (await server.call("elif", "GET", path))["is_subscribed"] is subscribed
    secret = server.channel("operations")
    await server.refusal("elif", "GET", f"/users/{dario}/subscriptions/{secret}")
    shown = (await server.call("elif", "GET", f"/users/{dario}/channels"))["subscribed_channel_ids"]
    assert server.channel("design") in shown
    assert secret not in shown
    shown = (await server.call("bruno", "GET", f"/users/{dario}/channels"))["subscribed_channel_ids"]
    assert secret in shown
    await server.refusal("elif", "GET", "/users/999999/channels")


async def test_a_default_channel_ceases_to_be_one(server: TestServer) -> None:
    sent = {"stream_id": server.channel("general")}
    listener = await server.listen("elif")
    await server.refusal("elif", "DELETE", "/default_streams", sent)
    await server.call("ada", "DELETE", "/default_streams", sent)
    (event,) = await listener.events("default_streams")
    assert event["default_streams"] == []
    await server.refusal("ada", "DELETE", "/default_streams", {"stream_id": 999_999})


async def test_users_can_deactivate_their_own_account_except_the_last_owner(server: TestServer) -> None:
    answer = await server.refusal("ada", "DELETE", "/users/me")
    assert (answer["code"], answer["is_last_owner"]) == ("CANNOT_DEACTIVATE_LAST_USER", True)
    assert answer["msg"] == "Cannot deactivate the only organization owner."
    await server.call("farid", "DELETE", "/users/me")
    assert (await server.refusal("farid", "GET", "/users/me", status=401))["code"] == "UNAUTHORIZED"
    people = (await server.call("ada", "GET", "/users"))["members"]
    assert [row["is_active"] for row in people if row["user_id"] == server.id("farid")] == [False]


async def test_a_channel_has_an_address_for_those_who_may_post(server: TestServer) -> None:
    path = f"/streams/{server.channel('general')}/email_address"
    assert "@" in (await server.call("elif", "GET", path))["email"]
    await server.refusal("elif", "GET", f"/streams/{server.channel('operations')}/email_address")


@pytest.mark.parametrize("method", ["OPTIONS", "POST"])
async def test_resumable_uploads_are_also_behind_a_slash(server: TestServer, method: str) -> None:
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "1"}
    response = await server.raw("ada", method, "/tus/", headers=headers)
    assert response.status_code == (204 if method == "OPTIONS" else 201)


async def test_the_extra_emoji_has_a_picture(server: TestServer) -> None:
    url = f"{server.url}/static/generated/emoji/images/emoji/unicode/zulip.svg"
    response = await server.raw(None, "GET", url)
    assert response.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in response.content


async def test_a_password_is_changed_by_who_knows_the_old_one(server: TestServer) -> None:
    new = "a longer battery staple"
    change = {"old_password": PASSWORD, "new_password": new}
    for wrong in ({"old_password": "x"}, {"new_password": "short"}, {"new_password": "x" * 101}):
        await server.refusal("ada", "PATCH", "/settings", {**change, **wrong, "enable_sounds": False})
    assert (await server.listen("ada")).snapshot["user_settings"]["enable_sounds"] is True
    await server.call("ada", "PATCH", "/settings", change)
    signed_in = {"username": "ada@demo.example", "password": new}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["user_id"] == server.id("ada")
    old = {**signed_in, "password": PASSWORD}
    await server.refusal(None, "POST", "/fetch_api_key", old, status=401)


async def test_a_user_without_a_password_can_set_one(server: TestServer) -> None:
    await server.call("elif", "PATCH", "/settings", {"new_password": "a longer battery staple"})
    signed_in = {"username": "elif@demo.example", "password": "a longer battery staple"}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["user_id"] == server.id("elif")


async def test_only_the_sender_may_begin_a_widget(server: TestServer) -> None:
    vote = {"message_id": await server.send("ada", "general", "t"), "msg_type": "widget", "content": "{}"}
    refusal = await server.refusal("dario", "POST", "/submessage", vote)
    assert refusal["msg"] == "You cannot attach a submessage to this message."
    refusal = await server.refusal("ada", "POST", "/submessage", vote)
    assert refusal["msg"] == "Widget not found on this message"
