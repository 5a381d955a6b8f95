"""Guests see nothing of hidden users, and nobody sees the presence of users who hide it."""

from __future__ import annotations

import pytest

from support.clock import VirtualClock
from support.server import TestServer

NEWEST = {"anchor": "newest", "num_before": 50, "num_after": 0}
HIDDEN = ("Ada Moreno", "ada@demo.example", "Bruno Castell", "bruno@demo.example", "Greta Lindqvist")


def names_nobody(said: object) -> bool:
    return not any(name in str(said) for name in HIDDEN)


@pytest.mark.parametrize(
    "content",
    [
        "@**Ada Moreno**",
        "@_**Ada Moreno**",
        "@**ada moreno**",
        "@**|{ada}**",
        "@_**|{ada}**",
        "@**Ada Moreno|{ada}**",
    ],
)
async def test_rendering_does_not_name_hidden_users(hiding: TestServer, content: str) -> None:
    text = content.replace("{ada}", str(hiding.id("ada")))
    rendered = (await hiding.call("hugo", "POST", "/messages/render", {"content": text}))["rendered"]
    assert "user-mention" not in rendered
    if "|" in text and "Ada" not in text:
        assert names_nobody(rendered)


PING = {"status": "active", "slim_presence": True, "last_update_id": -1}


async def test_a_reaction_does_not_name_hidden_users(hiding: TestServer) -> None:
    listener = await hiding.listen("hugo")
    message = await hiding.send("elif", "design", "t")
    await hiding.call("ada", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    fetched = (await hiding.call("hugo", "GET", f"/messages/{message}"))["message"]
    page = await hiding.call("hugo", "GET", "/messages", NEWEST)
    await hiding.call("ada", "DELETE", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    heard = await listener.events()
    assert names_nobody([fetched, page, heard])
    assert fetched["reactions"][0].keys() == {"emoji_name", "emoji_code", "reaction_type", "user_id"}
    assert [event["op"] for event in heard if event["type"] == "reaction"] == ["add", "remove"]


async def test_users_who_see_the_user_see_who_reacted(hiding: TestServer) -> None:
    listener = await hiding.listen("dario")
    message = await hiding.send("elif", "design", "t")
    await hiding.call("ada", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    (event,) = await listener.events("reaction")
    assert event["user"]["full_name"] == "Ada Moreno"


async def test_typing_does_not_name_hidden_users(hiding: TestServer) -> None:
    capabilities = {"stream_typing_notifications": True}
    listener = await hiding.listen("hugo", client_capabilities=capabilities)
    channel = {"type": "channel", "op": "start", "stream_id": hiding.channel("design"), "topic": "t"}
    await hiding.call("ada", "POST", "/typing", channel)
    await hiding.call("ada", "POST", "/typing", {"type": "direct", "op": "start", "to": [hiding.id("hugo")]})
    assert await listener.events("typing") == []
    await hiding.call("elif", "POST", "/typing", channel)
    assert len(await listener.events("typing")) == 1


async def test_groups_show_only_visible_members_to_a_guest(hiding: TestServer) -> None:
    listener = await hiding.listen("hugo")
    ada, elif_, greta = (hiding.id(name) for name in ("ada", "elif", "greta"))
    group = await hiding.create_group("ada", "crew", "ada", "elif")
    path = f"/user_groups/{group}/members"
    await hiding.call("ada", "POST", path, {"add": [greta]})
    await hiding.call("ada", "POST", path, {"delete": [ada]})
    events = await listener.events("user_group")
    assert [event["op"] for event in events] == ["add"]
    assert events[0]["group"]["members"] == [elif_]
    for asked in ("/user_groups", path, f"{path}/{greta}", f"{path}/{elif_}"):
        await hiding.refusal("hugo", "GET", asked)
    known = {hiding.id(name) for name in ("elif", "dario", "hugo", "iris", "jasper")}
    for row in (await hiding.listen("hugo")).snapshot["realm_user_groups"]:
        assert set(row["members"]) <= known, row["name"]
    assert set((await hiding.call("ada", "GET", path))["members"]) == {elif_, greta}


async def test_the_groups_of_a_user_are_sent_when_the_user_becomes_visible(hiding: TestServer) -> None:
    group = await hiding.create_group("ada", "crew", "greta")
    listener = await hiding.listen("hugo")
    await hiding.subscribe("greta", "design")
    events = [event for event in await listener.events("user_group") if event["group_id"] == group]
    assert [(event["op"], event["user_ids"]) for event in events] == [("add_members", [hiding.id("greta")])]
    await hiding.call("greta", "DELETE", "/users/me/subscriptions", {"subscriptions": ["design"]})
    events = [event for event in await listener.events("user_group") if event["group_id"] == group]
    assert [(event["op"], event["user_ids"]) for event in events] == [
        ("remove_members", [hiding.id("greta")])
    ]


@pytest.mark.parametrize("address", ["ada@demo.example", "bruno@demo.example"])
async def test_a_guest_cannot_find_a_hidden_user_by_email(hiding: TestServer, address: str) -> None:
    await hiding.refusal("hugo", "GET", f"/users/{address}")
    for operator in ("sender", "dm", "dm-including"):
        narrow = [{"operator": operator, "operand": address}]
        await hiding.refusal("hugo", "GET", "/messages", {**NEWEST, "narrow": narrow})
    sent = {"type": "direct", "to": address, "content": "x"}
    await hiding.refusal("hugo", "POST", "/messages", sent)


@pytest.mark.parametrize(
    "path",
    [
        "/users/{ada}",
        "/users/{ada}/presence",
        "/users/{ada}/status",
        "/users/{ada}/channels",
        "/users/{ada}/subscriptions/{design}",
    ],
)
async def test_a_guest_cannot_look_up_a_hidden_user_by_id(hiding: TestServer, path: str) -> None:
    where = path.replace("{ada}", str(hiding.id("ada"))).replace("{design}", str(hiding.channel("design")))
    await hiding.refusal("hugo", "GET", where)


GUEST_READS = (
    "/users",
    "/realm/presence",
    "/streams",
    "/users/me/subscriptions",
    "/realm/emoji",
    "/realm/linkifiers",
    "/saved_snippets",
    "/drafts",
    "/scheduled_messages",
    "/attachments",
    "/users/me/alert_words",
    "/server_settings",
)


@pytest.mark.parametrize("path", GUEST_READS)
async def test_no_list_names_a_hidden_user(hiding: TestServer, path: str) -> None:
    await hiding.send("ada", "design", "t")
    await hiding.call("ada", "POST", "/users/me/presence", {"status": "active"})
    assert names_nobody(await hiding.call("hugo", "GET", path))


async def test_the_snapshot_does_not_name_hidden_users(hiding: TestServer) -> None:
    message = await hiding.send("ada", "design", "t")
    await hiding.call("greta", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    for incomplete in (True, False):
        capabilities = {"user_list_incomplete": incomplete, "include_deactivated_groups": True}
        snapshot = (await hiding.listen("hugo", client_capabilities=capabilities)).snapshot
        assert names_nobody(snapshot)


async def test_the_presence_of_users_who_hide_it_is_not_shown(server: TestServer) -> None:
    path = f"/users/{server.id('elif')}/presence"
    await server.call("elif", "POST", "/users/me/presence", {"status": "active"})
    await server.call("greta", "GET", path)
    await server.call("elif", "PATCH", "/settings", {"presence_enabled": False})
    await server.call("elif", "POST", "/users/me/presence", {"status": "active"})
    await server.refusal("greta", "GET", path)
    assert server.user("elif").delivery_email not in str(await server.call("greta", "GET", "/realm/presence"))


async def test_the_presence_of_users_who_hide_it_is_not_stored(
    server: TestServer, clock: VirtualClock
) -> None:
    await server.call("elif", "PATCH", "/settings", {"presence_enabled": False})
    update_id = (await server.call("greta", "POST", "/users/me/presence", PING))["presence_last_update_id"]
    await server.call("elif", "POST", "/users/me/presence", {"status": "active"})
    seen = await server.call("greta", "POST", "/users/me/presence", PING | {"last_update_id": update_id})
    assert str(server.id("elif")) not in seen["presences"]
    clock.jump(3600)
    await server.call("elif", "PATCH", "/settings", {"presence_enabled": True})
    seen = await server.call("greta", "GET", f"/users/{server.id('elif')}/presence")
    assert seen["presence"]["aggregated"]["timestamp"] == clock.now()
