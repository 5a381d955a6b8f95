"""Who may not read a private channel cannot gain access: neither by its settings nor by invitations."""

from __future__ import annotations

import pytest

from narrowcast_server.rules import access
from support.request_parts import fill
from support.server import TestServer

OPENING = ("can_subscribe_group", "can_add_subscribers_group")
OTHERS = (
    "can_administer_channel_group",
    "can_create_topic_group",
    "can_send_message_group",
    "can_remove_subscribers_group",
    "can_resolve_topics_group",
    "can_move_messages_out_of_channel_group",
    "can_move_messages_within_channel_group",
)
OUTSIDERS = ("administrator", "holder", "creator")


@pytest.fixture
async def secret(server: TestServer) -> int:
    """A private channel with shared history: Elif created it and left; Dario administers it, unsubscribed."""
    await server.subscribe(
        "elif",
        "vault",
        "elif",
        "farid",
        invite_only=True,
        history_public_to_subscribers=True,
        can_administer_channel_group={
            "direct_members": [server.id("elif"), server.id("dario")],
            "direct_subgroups": [],
        },
    )
    await server.send("farid", "vault", "plans", "the combination is 1234")
    await server.call("elif", "DELETE", "/users/me/subscriptions", {"subscriptions": ["vault"]})
    return server.channel("vault")


def outsider(kind: str) -> str:
    return {"administrator": "bruno", "holder": "dario", "creator": "elif"}[kind]


async def reads(server: TestServer, name: str, channel: str = "vault") -> bool:
    """Whether a user finds the message: among all, in the channel or by searching."""
    page = {"anchor": "newest", "num_before": 50, "num_after": 0}
    in_channel = {"operator": "channel", "operand": server.channel(channel)}
    for narrow in ([], [in_channel], [in_channel, {"operator": "search", "operand": "combination"}]):
        response = await server.raw(name, "GET", "/messages", {**page, "narrow": narrow})
        if "1234" in response.text:
            return True
    return False


@pytest.mark.parametrize("setting", OPENING)
@pytest.mark.parametrize("kind", OUTSIDERS)
@pytest.mark.parametrize("form", ["group", "members", "subgroups"])
async def test_an_outsider_cannot_grant_themselves_access(
    server: TestServer, secret: int, kind: str, setting: str, form: str
) -> None:
    name = outsider(kind)
    value: object = {
        "group": server.group("role:members"),
        "members": {"direct_members": [server.id(name)], "direct_subgroups": []},
        "subgroups": {"direct_members": [], "direct_subgroups": [server.group("role:members")]},
    }[form]
    refusal = await server.refusal(name, "PATCH", f"/streams/{secret}", {setting: {"new": value}})
    assert refusal["msg"] == "Channel content access is required."
    await server.refusal(name, "POST", "/users/me/subscriptions", {"subscriptions": [{"name": "vault"}]})
    assert not await reads(server, name)


@pytest.mark.parametrize("setting", OPENING)
async def test_a_subscribed_channel_administrator_may_let_others_subscribe(
    server: TestServer, secret: int, setting: str
) -> None:
    await server.subscribe("farid", "vault", "dario")
    assert not await reads(server, "chiyo")
    value = {"new": server.group("role:moderators")}
    await server.call("dario", "PATCH", f"/streams/{secret}", {setting: value})
    await server.subscribe("chiyo", "vault")
    assert await reads(server, "chiyo")


@pytest.mark.parametrize("setting", OTHERS)
async def test_an_unsubscribed_administrator_may_change_settings_that_grant_no_access(
    server: TestServer, secret: int, setting: str
) -> None:
    value = {"new": server.group("role:moderators")}
    await server.call("bruno", "PATCH", f"/streams/{secret}", {setting: value})
    assert not await reads(server, "bruno")
    assert not await reads(server, "chiyo")


@pytest.mark.parametrize("kind", OUTSIDERS)
@pytest.mark.parametrize(
    "fields",
    [
        {"is_private": False},
        {"is_private": False, "is_web_public": True},
        {"history_public_to_subscribers": False},
        {"is_web_public": True},
        {"is_private": False, "history_public_to_subscribers": True},
    ],
)
async def test_an_outsider_cannot_make_a_private_channel_public(
    server: TestServer, secret: int, kind: str, fields: dict[str, object]
) -> None:
    await server.refusal(outsider(kind), "PATCH", f"/streams/{secret}", fields)
    assert server.organization.channels[secret].invite_only
    for name in ("bruno", "dario", "elif", "hugo"):
        assert not await reads(server, name)


@pytest.mark.parametrize("kind", OUTSIDERS)
async def test_an_outsider_cannot_add_subscribers(server: TestServer, secret: int, kind: str) -> None:
    name = outsider(kind)
    for person in (name, "greta", "hugo"):
        fields = {"subscriptions": [{"name": "vault"}], "principals": [server.id(person)]}
        await server.refusal(name, "POST", "/users/me/subscriptions", fields)


@pytest.mark.parametrize("kind", OUTSIDERS)
@pytest.mark.parametrize("path", ["/invites", "/invites/multiuse"])
async def test_an_outsider_cannot_invite_to_a_private_channel(
    server: TestServer, secret: int, kind: str, path: str
) -> None:
    fields: dict[str, object] = {"stream_ids": [secret]}
    if path == "/invites":
        fields["invitee_emails"] = "second.account@demo.example"
    await server.refusal(outsider(kind), "POST", path, fields)


@pytest.mark.parametrize("kind", OUTSIDERS)
async def test_an_outsider_cannot_delete_a_topic(server: TestServer, secret: int, kind: str) -> None:
    path = f"/streams/{secret}/delete_topic"
    await server.refusal(outsider(kind), "POST", path, {"topic_name": "plans"})
    assert await reads(server, "farid")


async def test_deleting_a_topic_deletes_only_messages_visible_to_the_user(server: TestServer) -> None:
    channel = server.channel("operations")
    old = await server.send("dario", "operations", "plans")
    await server.subscribe("bruno", "operations", "ada")
    new = await server.send("dario", "operations", "plans")
    response = await server.call("ada", "POST", f"/streams/{channel}/delete_topic", {"topic_name": "plans"})
    assert response["complete"] is True
    await server.call("dario", "GET", f"/messages/{old}")
    await server.refusal("dario", "GET", f"/messages/{new}")


READING = (
    ("GET", "/users/me/{id}/topics", None),
    ("GET", "/messages/{message}", None),
    ("GET", "/messages/{message}/history", None),
    ("GET", "/messages/{message}/read_receipts", None),
    ("POST", "/messages/{message}/reactions", {"emoji_name": "tada"}),
    ("PATCH", "/messages/{message}", {"topic": "mine"}),
    ("DELETE", "/messages/{message}", None),
    ("POST", "/messages", {"type": "channel", "to": "{id}", "topic": "plans", "content": "x"}),
    ("POST", "/typing", {"type": "channel", "op": "start", "stream_id": "{id}", "topic": "plans"}),
    ("POST", "/messages/flags", {"messages": ["{message}"], "op": "add", "flag": "starred"}),
    ("POST", "/mark_topic_as_read", {"stream_id": "{id}", "topic_name": "plans"}),
    ("POST", "/reminders", {"message_id": "{message}", "scheduled_delivery_timestamp": 2_000_000_000}),
)


@pytest.mark.parametrize(("method", "path", "fields"), READING, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("name", ["ada", "bruno", "dario", "elif", "greta", "hugo"])
async def test_an_outsider_cannot_read_or_change_messages(
    server: TestServer, secret: int, name: str, method: str, path: str, fields: dict[str, object] | None
) -> None:
    ids = {"id": secret, "message": server.organization.store.integer("SELECT max(id) FROM messages")}
    await server.refusal(name, method, fill(path, ids), fill(fields, ids))
    assert await reads(server, "farid")


@pytest.mark.parametrize("name", ["ada", "bruno", "dario", "elif", "greta", "hugo"])
async def test_an_outsider_receives_no_events(server: TestServer, secret: int, name: str) -> None:
    listener = await server.listen(name, all_public_streams=name != "hugo")
    message = await server.send("farid", "vault", "plans", "and the key is 5678")
    await server.call("farid", "PATCH", f"/messages/{message}", {"content": "5678!"})
    await server.call("farid", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    await server.call("farid", "PATCH", f"/messages/{message}", {"topic": "5678"})
    await server.call("farid", "DELETE", f"/messages/{message}")
    heard = await listener.events(
        "message", "update_message", "reaction", "delete_message", "update_message_flags", "typing"
    )
    assert heard == []


@pytest.mark.parametrize("role", ["role:everyone", "role:internet"])
@pytest.mark.parametrize("setting", OPENING)
async def test_a_permission_for_everyone_does_not_let_guests_read(
    server: TestServer, role: str, setting: str
) -> None:
    path = f"/streams/{server.channel('leads')}"
    await server.refusal("ada", "PATCH", path, {setting: {"new": server.group(role)}})
    # An older data folder may contain a value that is rejected now.
    with server.organization.transaction():
        channel = server.organization.channels[server.channel("leads")]
        server.organization.channels.update(
            channel.id, settings={**channel.settings, setting: server.group(role)}
        )
    message = await server.send("ada", "leads", "plans", "1234")
    assert not await reads(server, "hugo", "leads")
    await server.refusal("hugo", "GET", f"/messages/{message}")
    await server.refusal("hugo", "POST", "/users/me/subscriptions", {"subscriptions": [{"name": "leads"}]})
    await server.refusal("hugo", "GET", f"/users/me/{server.channel('leads')}/topics")


async def test_default_channels_do_not_reveal_a_private_channel(server: TestServer) -> None:
    group = {"group_name": "Start", "description": "", "stream_names": ["engineering", "operations"]}
    await server.refusal("bruno", "POST", "/default_stream_groups/create", group)
    public = {**group, "stream_names": ["engineering", "design"]}
    await server.call("bruno", "POST", "/default_stream_groups/create", public)
    await server.refusal("bruno", "POST", "/default_streams", {"stream_id": server.channel("operations")})
    design = server.channel("design")
    await server.call("elif", "PATCH", f"/streams/{design}", {"is_private": True})
    snapshot = (await server.listen("greta")).snapshot
    assert [row["streams"] for row in snapshot["realm_default_stream_groups"]] == [
        [server.channel("engineering")]
    ]
    assert design not in snapshot["realm_default_streams"]


async def test_administering_a_private_channel_does_not_allow_adding_subscribers(server: TestServer) -> None:
    owners = {"new": server.group("role:owners")}
    await server.call("ada", "PATCH", "/realm", {"can_add_subscribers_group": owners})
    for channel, added in (("engineering", True), ("operations", False)):
        fields = {"subscriptions": [{"name": channel}], "principals": [server.id("greta")]}
        response = await server.raw("bruno", "POST", "/users/me/subscriptions", fields)
        assert (response.status_code == 200) is added
        assert access.is_subscribed(server.organization, server.id("greta"), server.channel(channel)) is added


async def test_an_outsider_cannot_remove_subscribers(server: TestServer) -> None:
    path = f"/streams/{server.channel('operations')}"
    holder = {"new": {"direct_members": [server.id("elif")], "direct_subgroups": []}}
    settings = {"can_remove_subscribers_group": holder, "can_administer_channel_group": holder}
    await server.call("bruno", "PATCH", path, settings)
    fields = {"subscriptions": ["operations"], "principals": [server.id("dario")]}
    await server.raw("elif", "DELETE", "/users/me/subscriptions", fields)
    assert access.is_subscribed(server.organization, server.id("dario"), server.channel("operations"))
    await server.subscribe("bruno", "operations", "elif")
    await server.call("elif", "DELETE", "/users/me/subscriptions", fields)
    assert not access.is_subscribed(server.organization, server.id("dario"), server.channel("operations"))


async def test_users_who_may_join_cannot_post_before_they_have_joined(server: TestServer) -> None:
    operations = server.channel("operations")
    holder = {"new": {"direct_members": [server.id("elif")], "direct_subgroups": []}}
    await server.call("bruno", "PATCH", f"/streams/{operations}", {"can_subscribe_group": holder})
    for name, channel in (("elif", "operations"), ("hugo", "support")):
        fields = {"type": "channel", "to": server.channel(channel), "topic": "t", "content": "hello"}
        assert access.may_read(
            server.organization, server.user(name), server.organization.channels[server.channel(channel)]
        )
        refusal = await server.refusal(name, "POST", "/messages", fields)
        assert refusal["msg"] == f"Not authorized to send to channel '{channel}'"
        await server.subscribe("bruno", channel, name)
        await server.call(name, "POST", "/messages", fields)
