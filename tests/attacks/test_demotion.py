"""A user who loses a role loses it everywhere at once: in open queues and in what was granted before."""

from __future__ import annotations

import pytest

from narrowcast_api.wire.vocabulary import Role
from support.server import TestServer

EVERYTHING = (
    "message",
    "update_message",
    "delete_message",
    "reaction",
    "typing",
    "submessage",
)


async def demote(server: TestServer, name: str, role: Role = Role.GUEST) -> None:
    await server.call("ada", "PATCH", f"/users/{server.id(name)}", {"role": int(role)})


async def test_a_queue_for_all_public_channels_is_limited_after_demotion_to_guest(server: TestServer) -> None:
    listener = await server.listen("greta", all_public_streams=True)
    await server.send("elif", "design", "t", "public")
    assert len(await listener.events("message")) == 1
    await demote(server, "greta")
    await server.send("elif", "design", "t", "not for guests")
    await server.send("ada", "engineering", "t", "not for guests")
    assert await listener.events("message") == []


async def test_a_guest_cannot_register_a_queue_for_all_public_channels(server: TestServer) -> None:
    await server.refusal("hugo", "POST", "/register", {"all_public_streams": True})


async def test_a_user_who_is_promoted_again_receives_events_again(server: TestServer) -> None:
    listener = await server.listen("greta", all_public_streams=True)
    await demote(server, "greta")
    await demote(server, "greta", Role.MEMBER)
    await server.send("elif", "design", "t", "public")
    assert len(await listener.events("message")) == 1


@pytest.mark.parametrize("channel", ["engineering", "design"])
async def test_a_new_guest_receives_no_events_of_channels_that_they_are_not_in(
    server: TestServer, channel: str
) -> None:
    listener = await server.listen("greta", all_public_streams=True)
    message = await server.send("elif", channel, "t")
    await demote(server, "greta")
    await listener.events()
    await server.call("elif", "PATCH", f"/messages/{message}", {"content": "changed"})
    await server.call("elif", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    await server.call("elif", "DELETE", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    typing = {"type": "channel", "op": "start", "stream_id": server.channel(channel), "topic": "t"}
    await server.call("elif", "POST", "/typing", typing)
    await server.call("elif", "PATCH", f"/messages/{message}", {"topic": "elsewhere"})
    await server.call("ada", "DELETE", f"/messages/{message}")
    assert await listener.events(*EVERYTHING) == []


@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("GET", "/users/me/{design}/topics", None),
        ("GET", "/streams/{design}", None),
        ("GET", "/streams/{design}/members", None),
        ("GET", "/messages/{message}", None),
        ("POST", "/messages/{message}/reactions", {"emoji_name": "tada"}),
        ("POST", "/users/me/subscriptions", {"subscriptions": [{"name": "design"}]}),
        ("POST", "/users/me/subscriptions", {"subscriptions": [{"name": "brand new"}]}),
        ("POST", "/channels/create", {"name": "brand new", "subscribers": []}),
        ("POST", "/user_groups/create", {"name": "x", "description": "", "members": []}),
        ("POST", "/invites/multiuse", {}),
        ("POST", "/bots", {"full_name": "X", "short_name": "x"}),
        ("GET", "/user_groups", None),
    ],
)
async def test_a_demoted_user_has_the_permissions_of_a_guest_at_once(
    server: TestServer, method: str, path: str, fields: dict[str, object] | None
) -> None:
    message = await server.send("elif", "design", "t")
    path = path.format(design=server.channel("design"), message=message)
    await demote(server, "greta")
    await server.refusal("greta", method, path, fields)


@pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("PATCH", "/realm", {"description": "x"}),
        ("PATCH", "/users/{elif}", {"full_name": "X"}),
        ("DELETE", "/users/{elif}", None),
        ("POST", "/users", {"email": "x@x.example", "password": "a long password", "full_name": "X"}),
        ("PATCH", "/streams/{general}", {"new_name": "x"}),
        ("DELETE", "/streams/{general}", None),
        ("POST", "/streams/{general}/delete_topic", {"topic_name": "t"}),
        ("POST", "/bots/{iris}/api_key/regenerate", None),
        ("PATCH", "/users/{bruno}", {"role": 200}),
    ],
)
async def test_a_demoted_administrator_has_no_administrative_permission(
    server: TestServer, role: Role, method: str, path: str, fields: dict[str, object] | None
) -> None:
    await demote(server, "bruno", role)
    where = path.format(
        elif_=0,
        general=server.channel("general"),
        iris=server.id("iris"),
        bruno=server.id("bruno"),
        **{"elif": server.id("elif")},
    )
    await server.refusal("bruno", method, where, fields)


async def test_a_deactivated_account_has_no_key_and_no_queue(server: TestServer) -> None:
    listener = await server.listen("bruno")
    await server.call("ada", "DELETE", f"/users/{server.id('bruno')}")
    await server.refusal("bruno", "GET", "/users/me", status=401)
    fields = listener.poll(dont_block=True)
    await server.refusal("bruno", "GET", "/events", fields, status=401)
    await server.refusal("ada", "GET", "/events", fields)
