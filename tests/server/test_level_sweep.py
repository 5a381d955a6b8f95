"""The server at both sides of every gate: it responds as a server of that level does."""

from __future__ import annotations

import pytest

from narrowcast_api.wire.levels import SERVED_LEVEL, Gate
from support.ledger import proves
from support.server import JsonObject, TestServer

GATES = sorted({gate.level for gate in Gate if gate.value.rows} - {0} | {1, SERVED_LEVEL})
SIDES = sorted({0, *(gate - 1 for gate in GATES), *GATES})

READS = [
    "/users/me", "/users", "/streams", "/users/me/subscriptions", "/user_groups", "/drafts", "/saved_snippets",
    "/scheduled_messages", "/realm/linkifiers", "/realm/emoji", "/realm/profile_fields", "/invites",
    "/users/me/alert_words", "/attachments", "/reminders", "/channel_folders",
]  # fmt: skip


@proves("VER-01", "VER-04")
@pytest.mark.parametrize("start", range(0, len(SIDES), 10))
async def test_a_conversation_works_at_every_level(server: TestServer, start: int) -> None:
    for level in SIDES[start : start + 10]:
        server.set_level(level)
        listener = await server.listen("dario")
        assert listener.snapshot.get("service_feature_level", 0) == level
        message_id = await server.send("ada", "general", f"level {level}", "hello @**Dario Vance**")
        await server.send_direct("ada", ["dario"])
        await server.call("dario", "POST", f"/messages/{message_id}/reactions", {"emoji_name": "tada"})
        await server.call("dario", "DELETE", f"/messages/{message_id}/reactions", {"emoji_name": "tada"})
        read = {"messages": [message_id], "op": "add", "flag": "read"}
        assert (await server.call("dario", "POST", "/messages/flags", read))["messages"] == [message_id]
        await server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "hello"})
        assert kinds(await listener.events()) >= {"message", "reaction", "update_message"}
        for path in READS:
            await server.call("ada", "GET", path)


def kinds(events: list[JsonObject]) -> set[str]:
    return {event["type"] for event in events}


@proves("VER-03", "VER-04")
async def test_deprecated_names_are_still_accepted_at_the_newest_level(server: TestServer) -> None:
    assert server.organization.level == SERVED_LEVEL
    settings = await server.call(None, "GET", "/server_settings")
    assert {"realm_uri", "authentication_methods"} <= settings.keys()
    assert "max_message_id" in await server.call("ada", "GET", "/users/me")
    await server.call("ada", "POST", "/users/me/status", {"away": True})
    upload = await server.raw("ada", "POST", "/user_uploads", files={"file": ("a.txt", b"hi")})
    assert "uri" in upload.json()
    message_id = await server.send("ada", "general", "t", "@**all**")
    message = (await server.call("dario", "GET", f"/messages/{message_id}"))["message"]
    assert "wildcard_mentioned" in message["flags"]
