"""Emoji reactions."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api import Client
from support.ledger import proves
from support.server import JsonObject, TestServer, running_server

UNICODE = {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji"}
EXTRA = {"emoji_name": "zulip", "emoji_code": "zulip", "reaction_type": "service_extra_emoji"}
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c626001000000ffff03000006000557bfabd40000000049454e44ae426082"
)


async def reacted(server: TestServer, fields: dict[str, str] = UNICODE, name: str = "dario") -> int:
    message_id = await server.send("ada", "general", "t")
    await server.call(name, "POST", f"/messages/{message_id}/reactions", fields)
    return message_id


async def reactions(server: TestServer, message_id: int) -> list[JsonObject]:
    response = await server.call("ada", "GET", f"/messages/{message_id}")
    found: list[JsonObject] = response["message"]["reactions"]
    return found


async def custom_emoji(server: TestServer) -> dict[str, str]:
    await server.raw("ada", "POST", "/realm/emoji/party", files={"file": ("party.png", PNG, "image/png")})
    response = await server.call("ada", "GET", "/realm/emoji")
    (row,) = [row for row in response["emoji"].values() if row["name"] == "party"]
    return {"emoji_name": "party", "emoji_code": row["id"], "reaction_type": "realm_emoji"}


@proves("RXN-01", "RXN-02", "RXN-05", "RXN-07", "RXN-12", "RXN-15")
async def test_adding_and_removing_a_reaction_is_announced(server: TestServer) -> None:
    listener, outsider = await server.listen("elif"), await server.listen("hugo")
    message_id = await reacted(server)
    (row,) = await reactions(server, message_id)
    assert {key: row[key] for key in UNICODE} == UNICODE
    assert row["user_id"] == server.id("dario")
    response = await server.call("dario", "DELETE", f"/messages/{message_id}/reactions", UNICODE)
    assert response.keys() == {"result", "msg"}
    assert await reactions(server, message_id) == []
    events = await listener.events("reaction")
    assert [(event["op"], event["emoji_code"]) for event in events] == [("add", "1f389"), ("remove", "1f389")]
    assert await outsider.events("reaction") == []
    refusal = await server.refusal("dario", "DELETE", "/messages/abc/reactions", UNICODE)
    assert refusal["code"] == "BAD_REQUEST"


@proves("RXN-03", "RXN-04")
@pytest.mark.parametrize("kept", [["emoji_name"], ["emoji_code"], ["emoji_name", "emoji_code"]])
async def test_a_reaction_can_be_removed_by_name_or_code(server: TestServer, kept: list[str]) -> None:
    message_id = await reacted(server)
    fields = {key: UNICODE[key] for key in kept}
    await server.call("dario", "DELETE", f"/messages/{message_id}/reactions", fields)
    assert await reactions(server, message_id) == []


@proves("RXN-06")
async def test_from_level_2_the_type_of_a_custom_emoji_may_be_omitted(server: TestServer) -> None:
    emoji = await custom_emoji(server)
    message_id = await reacted(server, emoji)
    fields = {key: emoji[key] for key in ("emoji_name", "emoji_code")}
    path = f"/messages/{message_id}/reactions"
    server.set_level(1)
    await server.refusal("dario", "DELETE", path, fields)
    server.set_level(2)
    await server.call("dario", "DELETE", path, fields)


async def test_in_the_zulip_dialect_a_reaction_without_type_is_a_unicode_emoji(tmp_path: Path) -> None:
    async with running_server(tmp_path, dialect="zulip") as server:
        emoji = await custom_emoji(server)
        message_id = await reacted(server, emoji)
        path = f"/messages/{message_id}/reactions"
        for fields in ({"emoji_name": "party"}, {"emoji_name": "party", "emoji_code": emoji["emoji_code"]}):
            refused = await server.refusal("dario", "DELETE", path, fields)
            assert refused["code"] == "REACTION_DOES_NOT_EXIST"
        async with Client.open(server.account("dario")) as client:
            await client.reactions.remove(message_id=message_id, emoji_name="party")
        assert await reactions(server, message_id) == []


@proves("RXN-07")
async def test_emoji_with_the_same_name_in_two_namespaces_are_distinct(server: TestServer) -> None:
    message_id = await reacted(server, EXTRA)
    await server.call("elif", "POST", f"/messages/{message_id}/reactions", UNICODE)
    rows = await reactions(server, message_id)
    assert [row["reaction_type"] for row in rows] == ["service_extra_emoji", "unicode_emoji"]


@proves("RXN-09")
@pytest.mark.parametrize(
    "fields",
    [
        {"emoji_code": "zzzz"},
        {"emoji_code": "zzzz", "emoji_name": "tada"},
        {"emoji_code": "zzzz", "reaction_type": "unicode_emoji"},
        {"emoji_code": "abc", "reaction_type": "realm_emoji"},
        {"emoji_code": "nosuch", "reaction_type": "service_extra_emoji"},
        {"emoji_code": "1f389", "reaction_type": "foo"},
    ],
)
async def test_an_invalid_code_is_a_bad_request(server: TestServer, fields: dict[str, str]) -> None:
    message_id = await server.send("ada", "general", "t")
    refusal = await server.refusal("dario", "DELETE", f"/messages/{message_id}/reactions", fields)
    assert refusal["code"] == "BAD_REQUEST"


@proves("RXN-10", "RXN-11")
async def test_an_absent_reaction_has_its_own_code_from_193(server: TestServer) -> None:
    message_id = await reacted(server)
    path = f"/messages/{message_id}/reactions"
    await server.call("dario", "DELETE", path, UNICODE)
    server.set_level(193)
    refusal = await server.refusal("dario", "DELETE", path, UNICODE)
    assert refusal["code"] == "REACTION_DOES_NOT_EXIST"
    server.set_level(192)
    refusal = await server.refusal("dario", "DELETE", path, UNICODE)
    assert refusal["code"] == "BAD_REQUEST"


@proves("RXN-13")
async def test_a_reaction_requires_a_name_or_a_code(server: TestServer) -> None:
    message_id = await reacted(server)
    path = f"/messages/{message_id}/reactions"
    for fields in ({}, {"reaction_type": "unicode_emoji"}):
        refusal = await server.refusal("dario", "DELETE", path, fields)
        assert refusal["code"] == "BAD_REQUEST"


@proves("RXN-14")
async def test_users_remove_only_their_own_reactions_and_only_from_visible_messages(
    server: TestServer,
) -> None:
    message_id = await reacted(server)
    path = f"/messages/{message_id}/reactions"
    await server.call("elif", "POST", path, UNICODE)
    await server.call("elif", "DELETE", path, UNICODE)
    assert [row["user_id"] for row in await reactions(server, message_id)] == [server.id("dario")]
    secret = await server.send_direct("ada", ["bruno"])
    refusal = await server.refusal("dario", "DELETE", f"/messages/{secret}/reactions", UNICODE)
    assert refusal["code"] == "BAD_REQUEST"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"emoji_name": "zzz_nope"}, "Emoji 'zzz_nope' does not exist"),
        (
            {"emoji_name": "tada", "emoji_code": "1f600", "reaction_type": "unicode_emoji"},
            "Invalid emoji name.",
        ),
        ({"emoji_name": "tada", "emoji_code": "zz", "reaction_type": "unicode_emoji"}, "Invalid emoji code."),
        ({"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "foo"}, "Invalid emoji type."),
        ({"emoji_name": "x", "emoji_code": "99", "reaction_type": "realm_emoji"}, "Invalid custom emoji."),
        ({}, "Missing 'emoji_name' argument"),
    ],
)
async def test_invalid_reactions_are_rejected(
    server: TestServer, fields: dict[str, str], message: str
) -> None:
    message_id = await server.send("ada", "general", "t")
    refusal = await server.refusal("dario", "POST", f"/messages/{message_id}/reactions", fields)
    assert refusal["msg"] == message


async def test_the_same_reaction_twice_is_rejected(server: TestServer) -> None:
    message_id = await reacted(server)
    refusal = await server.refusal("dario", "POST", f"/messages/{message_id}/reactions", UNICODE)
    assert refusal["code"] == "REACTION_ALREADY_EXISTS"
