"""Guests, and users whom an organization hides from them: `can_access_all_users_group`."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.server import JsonObject, TestServer

SETTING = "can_access_all_users_group"
KNOWN = {"elif", "dario", "hugo", "iris", "jasper"}
"""Hugo shares #design with Elif and Dario; bots are visible to everybody."""


async def hide(server: TestServer, group: str = "role:members") -> None:
    await server.call("ada", "PATCH", "/realm", {SETTING: {"new": server.group(group)}})


def first_names(people: list[JsonObject]) -> set[str]:
    return {person["full_name"].split()[0].lower() for person in people}


async def test_a_guest_sees_only_users_of_shared_channels(hiding: TestServer) -> None:
    assert first_names((await hiding.call("hugo", "GET", "/users"))["members"]) == KNOWN
    assert (await hiding.call("hugo", "GET", f"/users/{hiding.id('elif')}"))["user"][
        "full_name"
    ] == "Elif Kaya"
    for path in ("", "/presence", "/status"):
        error = await hiding.refusal("hugo", "GET", f"/users/{hiding.id('ada')}{path}")
        assert (error["code"], error["msg"]) == ("BAD_REQUEST", "Insufficient permission")
    assert len((await hiding.call("dario", "GET", "/users"))["members"]) == 10


@pytest.mark.parametrize("incomplete", [False, True])
async def test_the_snapshot_has_hidden_users_as_unknown_or_leaves_them_out(
    hiding: TestServer, incomplete: bool
) -> None:
    for name in ("ada", "elif"):
        await hiding.call(name, "POST", "/users/me/presence", {"status": "active"})
        await hiding.call(name, "POST", "/users/me/status", {"status_text": "here"})
    capabilities = {"user_list_incomplete": incomplete, "simplified_presence_events": True}
    listener = await hiding.listen("hugo", client_capabilities=capabilities, slim_presence=True)
    people = listener.snapshot["realm_users"]
    unknown = [person for person in people if person["full_name"] == "Unknown user"]
    assert first_names([person for person in people if person not in unknown]) == KNOWN
    assert len(unknown) == (0 if incomplete else 5)
    assert all(person["email"].startswith("user") for person in unknown)
    assert "ada@demo.example" not in str(people)
    assert set(listener.snapshot["presences"]) == {str(hiding.id("elif"))}
    assert set(listener.snapshot["user_status"]) == {str(hiding.id("elif"))}


async def test_a_reminder_does_not_name_a_hidden_sender(hiding: TestServer) -> None:
    sent = await hiding.send("dario", "design", "t", "of Dario")
    fields = {"subscriptions": ["design"], "principals": [hiding.id("dario")]}
    await hiding.call("ada", "DELETE", "/users/me/subscriptions", fields)
    later = {"message_id": sent, "scheduled_delivery_timestamp": hiding.organization.now() + 1_000}
    await hiding.call("hugo", "POST", "/reminders", later)
    (reminder,) = (await hiding.call("hugo", "GET", "/reminders"))["reminders"]
    assert "Unknown user said:" in reminder["content"]
    assert "Dario" not in str(reminder).replace("of Dario", "")


async def test_a_guest_receives_no_events_about_hidden_users(hiding: TestServer) -> None:
    params: dict[str, object] = {"name": "Tea", "field_type": 1}
    field = (await hiding.call("ada", "POST", "/realm/profile_fields", params))["id"]
    hugo, dario = await hiding.listen("hugo"), await hiding.listen("dario")
    for name in ("ada", "elif"):
        said = {"data": [{"id": field, "value": "green"}]}
        await hiding.call(name, "PATCH", "/users/me/profile_data", said)
        await hiding.call(name, "PATCH", "/settings", {"full_name": f"{name.capitalize()} Z"})
        await hiding.call(name, "POST", "/users/me/presence", {"status": "active"})
        await hiding.call(name, "POST", "/users/me/status", {"status_text": "x"})
    params = {"email": "nadia@demo.example", "full_name": "Nadia Osei", "password": "a long password"}
    await hiding.call("ada", "POST", "/users", params)
    types = ("realm_user", "presence", "user_status")
    assert {about(event) for event in await hugo.events(*types)} == {hiding.id("elif")}
    ids = {hiding.id(name) for name in ("ada", "elif", "nadia")}
    assert {about(event) for event in await dario.events(*types)} == ids


def about(event: Mapping[str, object]) -> object:
    person = event.get("person")
    return person["user_id"] if isinstance(person, dict) else event["user_id"]


async def test_users_become_visible_and_hidden_with_shared_channels(hiding: TestServer) -> None:
    hugo = await hiding.listen("hugo")
    await hiding.subscribe("greta", "design")
    events = await hugo.events("realm_user", "subscription")
    assert [(event["type"], event["op"]) for event in events] == [
        ("realm_user", "add"),
        ("subscription", "peer_add"),
    ]
    assert events[0]["person"]["full_name"] == "Greta Lindqvist"
    await hiding.call("greta", "DELETE", "/users/me/subscriptions", {"subscriptions": ["design"]})
    (event,) = await hugo.events("realm_user")
    assert (event["op"], event["person"]["user_id"]) == ("remove", hiding.id("greta"))
    await hiding.call("hugo", "DELETE", "/users/me/subscriptions", {"subscriptions": ["design"]})
    removed = {event["person"]["user_id"] for event in await hugo.events("realm_user")}
    assert removed == {hiding.id("elif"), hiding.id("dario")}


async def test_a_guest_may_write_only_to_visible_users_or_those_who_wrote_to_them(
    hiding: TestServer,
) -> None:
    for path, params in (
        ("/messages", {"type": "direct", "content": "hi"}),
        ("/typing", {"type": "direct", "op": "start"}),
    ):
        sent = {**params, "to": [hiding.id("ada"), hiding.id("elif")]}
        error = await hiding.refusal("hugo", "POST", path, sent)
        assert error["msg"] == "You do not have permission to access some of the recipients."
    await hiding.send_direct("hugo", ["elif"])
    hugo = await hiding.listen("hugo")
    await hiding.send_direct("ada", ["hugo"])
    events = await hugo.events("realm_user", "message")
    assert [event["type"] for event in events] == ["realm_user", "message"]
    assert events[0]["person"]["full_name"] == events[1]["message"]["sender_full_name"] == "Ada Moreno"
    await hiding.send_direct("hugo", ["ada"])


async def test_a_guest_does_not_see_the_name_of_an_unsubscribed_sender(hiding: TestServer) -> None:
    hugo, elif_ = await hiding.listen("hugo"), await hiding.listen("elif")
    message_id = await hiding.send("ada", "design", "t", "hello")
    fetched = (await hiding.call("hugo", "GET", f"/messages/{message_id}"))["message"]
    (heard,) = await hugo.events("message")
    for message in (heard["message"], fetched):
        assert message["content"] == "<p>hello</p>"
        assert message["sender_full_name"] == "Unknown user"
        assert "ada" not in f"{message['sender_email']} {message['avatar_url']}"
    (heard,) = await elif_.events("message")
    assert heard["message"]["sender_full_name"] == "Ada Moreno"


async def test_a_guest_who_becomes_a_member_sees_all_users(hiding: TestServer) -> None:
    hugo = await hiding.listen("hugo")
    await hiding.call("ada", "PATCH", f"/users/{hiding.id('hugo')}", {"role": 400})
    added = [event for event in await hugo.events("realm_user") if event["op"] == "add"]
    assert "Ada Moreno" in {event["person"]["full_name"] for event in added}
    assert len((await hiding.call("hugo", "GET", "/users"))["members"]) == 10


async def test_changing_the_setting_hides_and_shows_users(server: TestServer) -> None:
    hugo, dario = await server.listen("hugo"), await server.listen("dario")
    await hide(server)
    removed = {event["person"]["user_id"] for event in await hugo.events("realm_user")}
    assert removed == {server.id(name) for name in ("ada", "bruno", "chiyo", "farid", "greta")}
    await hide(server, "role:everyone")
    added = await hugo.events("realm_user")
    assert {event["person"]["user_id"] for event in added} == removed
    assert {event["op"] for event in added} == {"add"}
    assert await dario.events("realm_user") == []


@pytest.mark.parametrize("group", ["role:moderators", "role:nobody", "role:internet"])
async def test_the_setting_accepts_only_the_groups_everyone_and_members(
    server: TestServer, group: str
) -> None:
    await server.refusal("ada", "PATCH", "/realm", {SETTING: {"new": server.group(group)}})
    supported = (await server.listen("ada")).snapshot["server_supported_permission_settings"]
    assert supported["realm"][SETTING]["allowed_system_groups"] == ["role:everyone", "role:members"]
