"""User status: POST /users/me/status."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import JsonObject, TestServer

TADA = {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji"}


async def status(server: TestServer, name: str = "dario") -> JsonObject:
    response: JsonObject = (await server.call("elif", "GET", f"/users/{server.id(name)}/status"))["status"]
    return response


async def custom_emoji(server: TestServer, name: str = "gauge") -> int:
    with server.organization.transaction():
        return server.organization.store.insert(
            "INSERT INTO custom_emoji (name, author_id, source_url) VALUES (?, ?, '/x.png')",
            name,
            server.id("ada"),
        )


@proves("STAT-06")
async def test_below_86_the_emoji_of_a_status_is_not_returned(server: TestServer) -> None:
    await server.call("dario", "POST", "/users/me/status", {"status_text": "out", "emoji_name": "tada"})
    await server.call("elif", "POST", "/users/me/status", {"emoji_name": "tada"})
    server.set_level(85)
    assert await status(server) == {"status_text": "out"}
    snapshot = (await server.listen("ada")).snapshot["user_status"]
    assert snapshot == {str(server.id("dario")): {"status_text": "out"}}
    await server.call("dario", "POST", "/users/me/status", {"status_text": "back"})
    assert await status(server) == {"status_text": "back"}
    server.set_level(86)
    assert await status(server) == {"status_text": "back", **TADA}


@proves("STAT-01", "STAT-02", "STAT-04", "STAT-05", "STAT-20", "STAT-21", "STAT-23")
async def test_only_the_given_fields_change_and_all_users_are_notified(server: TestServer) -> None:
    listener = await server.listen("elif")
    response = await server.call("dario", "POST", "/users/me/status", {"status_text": "on the roof"})
    assert response.keys() == {"result", "msg"}
    await server.call("dario", "POST", "/users/me/status", {"emoji_name": "tada"})
    assert await status(server) == {"status_text": "on the roof", **TADA}
    await server.call("dario", "POST", "/users/me/status", {"status_text": ""})
    assert await status(server) == TADA
    await server.call("dario", "POST", "/users/me/status", {"emoji_name": ""})
    assert await status(server) == {}
    events = await listener.events("user_status")
    assert [event["user_id"] for event in events] == [server.id("dario")] * 4
    assert "emoji_name" not in events[0]
    assert "status_text" not in events[1]


@proves("STAT-03", "STAT-15", "STAT-22")
async def test_a_status_text_has_at_most_60_code_points(server: TestServer) -> None:
    await server.call("dario", "POST", "/users/me/status", {"status_text": "é" * 60})
    response = await server.refusal("dario", "POST", "/users/me/status", {"status_text": "é" * 61})
    assert response["msg"] == "status_text is too long (limit: 60 characters)"
    assert response["code"] == "BAD_REQUEST"


@proves("STAT-06")
async def test_below_86_emoji_are_unsupported(server: TestServer) -> None:
    server.set_level(85)
    await server.call("dario", "POST", "/users/me/status", {"status_text": "x", "emoji_name": "tada"})
    server.set_level(86)
    assert await status(server) == {"status_text": "x"}
    await server.call("dario", "POST", "/users/me/status", {"emoji_name": "tada"})
    assert (await status(server))["emoji_name"] == "tada"


@proves("STAT-07", "STAT-08", "STAT-09", "STAT-10", "STAT-11")
async def test_each_emoji_namespace_has_its_own_codes(server: TestServer) -> None:
    identity = await custom_emoji(server)
    for name, code, kind in (
        ("tada", "1f389", "unicode_emoji"),
        ("gauge", str(identity), "realm_emoji"),
        ("zulip", "zulip", "service_extra_emoji"),
    ):
        sent = {"emoji_name": name, "emoji_code": code, "reaction_type": kind}
        await server.call("dario", "POST", "/users/me/status", sent)
        assert await status(server) == sent


@proves("STAT-14")
async def test_a_status_update_without_changes_has_its_own_error_text(server: TestServer) -> None:
    response = await server.refusal("dario", "POST", "/users/me/status")
    assert (response["code"], response["msg"]) == ("BAD_REQUEST", "Client did not pass any new values.")


@proves("STAT-07", "STAT-08", "STAT-16", "STAT-17", "STAT-18", "STAT-19", "ERR-02")
@pytest.mark.parametrize(
    "params",
    [
        {"emoji_code": "1f389"},
        {"status_text": "x", "emoji_code": "1f389"},
        {"status_text": "x", "reaction_type": "unicode_emoji"},
        {"reaction_type": "unicode_emoji"},
        {"emoji_name": "no_such_emoji"},
        {"emoji_name": "octopus", "emoji_code": "1f389", "reaction_type": "unicode_emoji"},
        {"emoji_name": "tada", "emoji_code": "zzz", "reaction_type": "unicode_emoji"},
        {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "other_emoji"},
        {"emoji_name": "gauge", "emoji_code": "999999", "reaction_type": "realm_emoji"},
        {"emoji_name": "gauge", "emoji_code": "one", "reaction_type": "realm_emoji"},
    ],
)
async def test_unknown_or_mismatched_emoji_are_rejected(
    server: TestServer, params: dict[str, object]
) -> None:
    assert (await server.refusal("dario", "POST", "/users/me/status", params))["code"] == "BAD_REQUEST"
    assert await status(server) == {}


@proves("STAT-12", "STAT-13", "VER-03")
async def test_away_is_the_negation_of_presence_enabled(server: TestServer) -> None:
    await server.call("dario", "POST", "/users/me/status", {"away": True})
    assert (await status(server))["away"] is True
    settings = (await server.listen("dario")).snapshot["user_settings"]
    assert settings["presence_enabled"] is False
    await server.call("dario", "POST", "/users/me/status", {"away": False})
    assert await status(server) == {}


@proves("STAT-13")
async def test_from_148_away_changes_presence_enabled(server: TestServer) -> None:
    for level, enabled in ((147, True), (148, False)):
        server.set_level(level)
        await server.call("dario", "POST", "/users/me/status", {"away": True})
        settings = (await server.listen("dario")).snapshot["user_settings"]
        assert settings["presence_enabled"] is enabled


@proves("STAT-13")
async def test_below_148_away_is_a_part_of_the_status(server: TestServer) -> None:
    server.set_level(147)
    listener = await server.listen("elif")
    dario = str(server.id("dario"))
    await server.call("dario", "POST", "/users/me/status", {"away": True, "status_text": "at lunch"})
    away = {"away": True, "status_text": "at lunch"}
    assert await status(server) == away
    assert (await server.listen("elif")).snapshot["user_status"] == {dario: away}
    await server.call("dario", "POST", "/users/me/status", {"status_text": ""})
    assert await status(server) == {"away": True}
    await server.call("dario", "PATCH", "/settings", {"presence_enabled": False})
    await server.call("dario", "POST", "/users/me/status", {"away": False})
    assert await status(server) == {}
    assert (await server.listen("elif")).snapshot["user_status"] == {}
    assert [event.get("away") for event in await listener.events("user_status")] == [True, None, False]


async def test_a_user_who_stops_hiding_is_present_at_once_for_everybody(server: TestServer) -> None:
    capabilities = {"simplified_presence_events": True}
    others = await server.listen("elif", client_capabilities=capabilities)
    own = await server.listen("dario", client_capabilities=capabilities)
    for hide, show in (
        (
            ("PATCH", "/settings", {"presence_enabled": False}),
            ("PATCH", "/settings", {"presence_enabled": True}),
        ),
        (("POST", "/users/me/status", {"away": True}), ("POST", "/users/me/status", {"away": False})),
    ):
        await server.call("dario", *hide)
        assert [event["value"] for event in await own.events("user_settings")] == [False]
        assert await others.events("presence") == []
        await server.call("dario", *show)
        assert [event["value"] for event in await own.events("user_settings")] == [True]
        (event,) = await others.events("presence")
        assert event["presences"].keys() == {str(server.id("dario"))}


async def test_administrators_may_set_the_status_of_others(server: TestServer) -> None:
    path = f"/users/{server.id('dario')}/status"
    await server.refusal("elif", "POST", path, {"status_text": "x"})
    await server.call("bruno", "POST", path, {"status_text": "ill"})
    assert (await status(server))["status_text"] == "ill"
