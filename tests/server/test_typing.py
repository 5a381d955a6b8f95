"""POST /typing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.ledger import proves
from support.server import Listener, TestServer, running_server

CHANNEL_TYPING = {"stream_typing_notifications": True, "empty_topic_name": True}


async def listen(server: TestServer, name: str) -> Listener:
    return await server.listen(name, client_capabilities=CHANNEL_TYPING)


def in_channel(server: TestServer, **changes: object) -> dict[str, object]:
    fields: dict[str, object] = {
        "type": "stream",
        "op": "start",
        "stream_id": server.channel("general"),
        "topic": "lunch",
    }
    return {key: value for key, value in {**fields, **changes}.items() if value is not None}


@proves("TYP-01", "TYP-03", "TYP-09", "TYP-18", "EVT-01", "EVT-02", "EVT-03")
async def test_start_and_stop_are_sent_to_the_other_participants_of_a_direct_conversation(
    server: TestServer,
) -> None:
    bruno, outsider = await listen(server, "bruno"), await listen(server, "elif")
    for op in ("start", "stop"):
        response = await server.call("ada", "POST", "/typing", {"op": op, "to": [server.id("bruno")]})
        assert response.keys() == {"result", "msg"}
    events = await bruno.events("typing")
    assert [event["op"] for event in events] == ["start", "stop"]
    assert events[0]["sender"] == {"user_id": server.id("ada"), "email": "ada@demo.example"}
    assert {person["user_id"] for person in events[0]["recipients"]} == {server.id("ada"), server.id("bruno")}
    assert await outsider.events("typing") == []


async def test_typing_in_a_topic_that_is_too_long_is_accepted_and_not_announced(server: TestServer) -> None:
    limit = server.organization.config.limits.max_topic_length
    listener = await listen(server, "bruno")
    await server.call("ada", "POST", "/typing", in_channel(server, topic="x" * (limit + 1)))
    await server.call("ada", "POST", "/typing", in_channel(server, topic="x" * limit))
    (event,) = await listener.events("typing")
    assert event["topic"] == "x" * limit


@proves("TYP-02", "TYP-07", "TYP-08", "TYP-33")
@pytest.mark.parametrize(
    "fields",
    [
        {"type": "foo", "op": "start", "to": [3]},
        {"type": "group", "op": "start", "to": [3]},
        {"op": "pause", "to": [3]},
        {"to": [3]},
        {"op": "start"},
        {"op": "start", "to": []},
        {"op": "start", "to": [999999]},
        {"op": "start", "to": ["bruno@demo.example"]},
        {"op": "start", "to": 3},
    ],
)
async def test_malformed_direct_typing_is_rejected(server: TestServer, fields: dict[str, object]) -> None:
    refusal = await server.refusal("ada", "POST", "/typing", fields)
    assert refusal["code"] == "BAD_REQUEST"


@proves("TYP-04")
async def test_the_type_channel_is_accepted_from_248(server: TestServer) -> None:
    server.set_level(247)
    await server.refusal("ada", "POST", "/typing", in_channel(server, type="channel"))
    await server.call("ada", "POST", "/typing", in_channel(server))
    server.set_level(248)
    await server.call("ada", "POST", "/typing", in_channel(server, type="channel"))


@proves("TYP-05", "TYP-06")
async def test_the_type_private_is_accepted_until_214_and_direct_from_174(server: TestServer) -> None:
    accepted = {173: {"private"}, 174: {"private", "direct"}, 214: {"private", "direct"}, 215: {"direct"}}
    for level, words in accepted.items():
        server.set_level(level)
        for word in ("private", "direct"):
            fields = {"type": word, "op": "start", "to": [server.id("bruno")]}
            response = await server.raw("ada", "POST", "/typing", fields)
            assert (response.status_code == 200) is (word in words), (level, word)


@proves("TYP-10")
async def test_to_is_ignored_in_channels(server: TestServer) -> None:
    bruno = await listen(server, "bruno")
    await server.call("ada", "POST", "/typing", in_channel(server, to=[999999]))
    (event,) = await bruno.events("typing")
    assert (event["message_type"], event["stream_id"]) == ("stream", server.channel("general"))


@proves("TYP-11", "TYP-14", "TYP-19", "TYP-20")
@pytest.mark.parametrize("absent", ["stream_id", "topic"])
async def test_a_channel_needs_its_id_and_a_topic(server: TestServer, absent: str) -> None:
    fields = in_channel(server, **{absent: None})
    refusal = await server.refusal("ada", "POST", "/typing", fields)
    assert refusal["code"] == "BAD_REQUEST"
    assert refusal["msg"]


@proves("TYP-12", "TYP-31", "TYP-28")
async def test_the_channel_is_in_to_from_58_and_in_stream_id_from_215(server: TestServer) -> None:
    elif_ = await listen(server, "elif")
    general = server.channel("general")
    old = in_channel(server, stream_id=None, to=[general])
    for level, accepted in ((57, False), (58, True), (214, True), (215, False)):
        server.set_level(level)
        assert (await server.raw("ada", "POST", "/typing", old)).is_success is accepted, level
        events = await elif_.events("typing")
        assert [(event["stream_id"], event["topic"]) for event in events] == [(general, "lunch")] * accepted
    server.set_level(214)
    await server.refusal("ada", "POST", "/typing", in_channel(server))
    for to in ([], [general, general + 1], [999999]):
        await server.refusal("ada", "POST", "/typing", {**old, "to": to})
    fields = {"type": "direct", "op": "start", "to": [server.id("bruno")], "stream_id": 1}
    response = await server.call("ada", "POST", "/typing", fields)
    assert response["ignored_parameters_unsupported"] == ["stream_id"]
    assert await elif_.events("typing") == []


@proves("TYP-13", "TYP-15")
async def test_stream_id_and_topic_are_ignored_in_direct_conversations(server: TestServer) -> None:
    fields = {"op": "start", "to": [server.id("bruno")], "stream_id": 999999, "topic": "x"}
    response = await server.call("ada", "POST", "/typing", fields)
    assert response.keys() == {"result", "msg"}


@proves("TYP-16", "TYP-17")
async def test_all_names_of_the_empty_topic_are_accepted(server: TestServer) -> None:
    elif_ = await listen(server, "elif")
    for name in ("general chat", "(no topic)", ""):
        await server.call("ada", "POST", "/typing", in_channel(server, topic=name))
    assert [event["topic"] for event in await elif_.events("typing")] == ["", "", ""]
    server.set_level(371)
    await server.call("ada", "POST", "/typing", in_channel(server, topic="(no topic)"))
    assert [event["topic"] for event in await elif_.events("typing")] == ["(no topic)"]


@proves("TYP-25", "TYP-32", "LIM-02")
async def test_the_snapshot_has_the_typing_periods(server: TestServer) -> None:
    snapshot = (await server.listen("ada")).snapshot
    assert snapshot["server_typing_started_wait_period_milliseconds"] == 30_000
    assert snapshot["server_typing_stopped_wait_period_milliseconds"] == 12_000
    assert snapshot["server_typing_started_expiry_period_milliseconds"] == 45_000
    assert snapshot["max_message_length"] == 10_000
    assert snapshot["max_topic_length"] == 60
    assert snapshot["max_file_upload_size_mib"] == 100


@proves("TYP-26")
async def test_typing_is_not_stored(server: TestServer) -> None:
    bruno = await listen(server, "bruno")
    before = list(server.organization.store.strings("SELECT quote(total_changes())"))
    for _ in range(2):
        await server.call("ada", "POST", "/typing", {"op": "start", "to": [server.id("bruno")]})
    assert len(await bruno.events("typing")) == 2
    assert list(server.organization.store.strings("SELECT quote(total_changes())")) == before


@proves("TYP-27", "EVT-09")
async def test_channel_typing_is_sent_to_subscribers_with_the_capability(server: TestServer) -> None:
    modern, old = await listen(server, "elif"), await server.listen("elif")
    outsider, oneself = await listen(server, "hugo"), await listen(server, "ada")
    await server.call("ada", "POST", "/typing", in_channel(server))
    (event,) = await modern.events("typing")
    assert event["stream_id"] == server.channel("general")
    assert event["topic"] == "lunch"
    assert event["sender"]["user_id"] == server.id("ada")
    assert await old.events("typing") == []
    assert await outsider.events("typing") == []
    # The sender's own clients receive it too, and ignore it by the sender's id.
    assert [own["sender"]["user_id"] for own in await oneself.events("typing")] == [server.id("ada")]


@proves("TYP-33")
async def test_a_channel_that_the_user_cannot_read_is_rejected(server: TestServer) -> None:
    for channel_id in (server.channel("operations"), 999999):
        refusal = await server.refusal("elif", "POST", "/typing", in_channel(server, stream_id=channel_id))
        assert refusal["msg"] == "Invalid channel ID"


async def test_typing_is_rejected_or_not_delivered_if_disabled_in_the_settings(server: TestServer) -> None:
    bruno = await listen(server, "bruno")
    await server.call("ada", "PATCH", "/settings", {"send_private_typing_notifications": False})
    await server.refusal("ada", "POST", "/typing", {"op": "start", "to": [server.id("bruno")]})
    await server.call("ada", "PATCH", "/settings", {"send_stream_typing_notifications": False})
    await server.refusal("ada", "POST", "/typing", in_channel(server))
    await server.call("bruno", "PATCH", "/settings", {"receives_typing_notifications": False})
    await server.call("dario", "POST", "/typing", {"op": "start", "to": [server.id("bruno")]})
    assert await bruno.events("typing") == []


async def test_typing_is_not_sent_in_large_channels(tmp_path: Path) -> None:

    config = replace(ServerConfig(), limits=replace(ServiceLimits(), typing_max_subscribers=2))
    async with running_server(tmp_path, config=config) as server:
        elif_ = await listen(server, "elif")
        await server.call("ada", "POST", "/typing", in_channel(server))
        assert await elif_.events("typing") == []


async def test_typing_in_an_edit_is_reported_to_users_who_received_the_message(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "lunch")
    elif_, outsider = await listen(server, "elif"), await listen(server, "hugo")
    await server.call("ada", "POST", f"/messages/{message_id}/typing", {"op": "start"})
    (event,) = await elif_.events("typing_edit_message")
    assert event["message_id"] == message_id
    assert event["recipient"] == {
        "type": "channel",
        "channel_id": server.channel("general"),
        "topic": "lunch",
    }
    assert await outsider.events("typing_edit_message") == []
    await server.refusal("elif", "POST", f"/messages/{message_id}/typing", {"op": "start"})
