"""What Zulip rejects in archived channels, sent to a server of level 387 and to the embedded one."""

from __future__ import annotations

import pytest

from support.request_parts import fill
from support.server import JsonObject, TestServer

CHANNEL, MESSAGE = "{channel}", "{message}"
INVALID_CHANNEL, INVALID_MESSAGE = "Invalid channel ID", "Invalid message(s)"
DRAFT = {"type": "stream", "to": [CHANNEL], "topic": "old", "content": "x", "timestamp": 1_795_400_000}
MUTED = {"stream_id": CHANNEL, "property": "is_muted", "value": True}


async def archived(server: TestServer) -> dict[str, int]:
    """An archived channel with a message of Dario's, and another message of his elsewhere."""
    channel, general = server.channel("design"), server.channel("general")
    sent = {"type": "channel", "to": channel, "topic": "old", "content": "x"}
    ids = {"channel": channel, "message": (await server.call("dario", "POST", "/messages", sent))["id"]}
    ids["other"] = (await server.call("dario", "POST", "/messages", sent | {"to": general}))["id"]
    await server.call("ada", "DELETE", f"/streams/{channel}")
    return ids


async def ask(
    server: TestServer, ids: dict[str, int], method: str, path: str, **params: object
) -> JsonObject:
    response: JsonObject = (await server.raw("dario", method, fill(path, ids), fill(params, ids))).json()
    return response


@pytest.mark.parametrize(
    ("method", "path", "params", "said"),
    [
        ("POST", "/user_topics", {"stream_id": CHANNEL, "topic": "old", "visibility_policy": 1}, ""),
        (
            "PATCH",
            "/users/me/subscriptions/muted_topics",
            {"stream_id": CHANNEL, "topic": "old", "op": "add"},
            "",
        ),
        ("POST", "/messages/{message}/reactions", {"emoji_name": "tada"}, INVALID_MESSAGE),
        ("DELETE", "/messages/{message}/reactions", {"emoji_name": "tada"}, INVALID_MESSAGE),
        ("PATCH", "/messages/{message}", {"content": "y"}, INVALID_MESSAGE),
        ("PATCH", "/messages/{message}", {"topic": "y"}, INVALID_MESSAGE),
        ("PATCH", "/messages/{other}", {"stream_id": CHANNEL}, ""),
        ("DELETE", "/messages/{message}", {}, INVALID_MESSAGE),
        ("POST", "/messages/{message}/typing", {"op": "start"}, INVALID_MESSAGE),
        ("POST", "/typing", {"type": "channel", "op": "start", "stream_id": CHANNEL, "topic": "old"}, ""),
        (
            "POST",
            "/submessage",
            {"message_id": MESSAGE, "msg_type": "widget", "content": "{}"},
            INVALID_MESSAGE,
        ),
        ("POST", "/mark_stream_as_read", {"stream_id": CHANNEL}, ""),
        ("POST", "/mark_topic_as_read", {"stream_id": CHANNEL, "topic_name": "old"}, ""),
        ("POST", "/drafts", {"drafts": [DRAFT]}, ""),
        ("POST", "/users/me/subscriptions/properties", {"subscription_data": [MUTED]}, ""),
        ("GET", "/streams/{channel}/members", {}, ""),
        ("GET", "/streams/{channel}", {}, ""),
        ("GET", "/users/me/{channel}/topics", {}, ""),
        ("GET", "/get_stream_id", {"stream": "design"}, "Invalid channel name 'design'"),
    ],
)
async def test_changes_in_an_archived_channel_are_rejected(
    server: TestServer, method: str, path: str, params: dict[str, object], said: str
) -> None:
    response = await ask(server, await archived(server), method, path, **params)
    assert (response["code"], response["msg"]) == ("BAD_REQUEST", said or INVALID_CHANNEL)


async def test_in_an_archived_channel_reading_starring_and_resetting_topic_policies_work(
    server: TestServer,
) -> None:
    ids = await archived(server)
    plain = {"stream_id": CHANNEL, "topic": "old", "visibility_policy": 0}
    star = {"messages": [MESSAGE], "op": "add", "flag": "starred"}
    for method, path, params in (
        ("POST", "/user_topics", plain),
        ("POST", "/messages/flags", star),
        ("GET", "/messages/{message}", {}),
        ("GET", "/messages/{message}/read_receipts", {}),
    ):
        response = await ask(server, ids, method, path, **params)
        assert response["result"] == "success", (path, response)
