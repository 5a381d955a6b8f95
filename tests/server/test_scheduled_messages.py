"""Scheduled messages: PATCH /scheduled_messages/{id}, and their delivery."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from narrowcast_server.resources import scheduled_messages
from narrowcast_server.resources.scheduled_messages import deliver_due
from support.ledger import proves
from support.server import JsonObject, TestServer, running_server

DAY = 86_400


def soon(server: TestServer) -> int:
    return server.organization.now() + DAY


async def scheduled(server: TestServer, name: str = "dario", **changes: object) -> int:
    params: dict[str, object] = {
        "type": "channel",
        "to": server.channel("general"),
        "topic": "later",
        "content": "hello",
        "scheduled_delivery_timestamp": soon(server),
    } | changes
    return int((await server.call(name, "POST", "/scheduled_messages", params))["scheduled_message_id"])


async def listed(server: TestServer, identity: int, name: str = "dario") -> JsonObject:
    response = await server.call(name, "GET", "/scheduled_messages")
    found: list[JsonObject] = [
        row for row in response["scheduled_messages"] if row["scheduled_message_id"] == identity
    ]
    return found[0]


async def edit(server: TestServer, identity: int, **params: object) -> JsonObject:
    return await server.call("dario", "PATCH", f"/scheduled_messages/{identity}", params)


async def refused(server: TestServer, identity: int, **params: object) -> JsonObject:
    return await server.refusal("dario", "PATCH", f"/scheduled_messages/{identity}", params)


async def failed(server: TestServer) -> int:
    """A scheduled message that could not be sent because its channel was archived."""
    identity = await scheduled(server, to=server.channel("engineering"))
    await server.call("ada", "DELETE", f"/streams/{server.channel('engineering')}")
    with server.organization.transaction():
        server.organization.store.execute("UPDATE scheduled_messages SET delivery = 1 WHERE id = ?", identity)
    deliver_due(server.organization)
    return identity


@proves("SCH-01", "SCH-03", "SCH-09", "SCH-15", "SCH-20", "SCH-23")
async def test_an_edit_of_a_scheduled_message_changes_only_the_given_fields(server: TestServer) -> None:
    identity = await scheduled(server)
    listener = await server.listen("dario")
    response = await edit(server, identity, content="**bye**")
    assert response.keys() == {"result", "msg"}
    row = await listed(server, identity)
    assert row == {
        "scheduled_message_id": identity,
        "type": "stream",
        "to": server.channel("general"),
        "topic": "later",
        "content": "**bye**",
        "rendered_content": "<p><strong>bye</strong></p>",
        "scheduled_delivery_timestamp": row["scheduled_delivery_timestamp"],
        "failed": False,
    }
    later = soon(server) + DAY
    await edit(server, identity, topic="much later", scheduled_delivery_timestamp=later)
    row = await listed(server, identity)
    assert (row["content"], row["topic"], row["scheduled_delivery_timestamp"]) == (
        "**bye**",
        "much later",
        later,
    )
    assert [event["op"] for event in await listener.events("scheduled_messages")] == ["update", "update"]


@proves("SCH-02")
async def test_below_184_scheduled_messages_cannot_be_edited(server: TestServer) -> None:
    identity = await scheduled(server)
    server.set_level(183)
    path = f"/scheduled_messages/{identity}"
    assert (await server.refusal("dario", "PATCH", path, {"content": "x"}, status=404))[
        "code"
    ] == "BAD_REQUEST"
    server.set_level(184)
    await server.call("dario", "PATCH", path, {"content": "x"})


@proves("SCH-03", "SCH-19", "ERR-02")
async def test_unknown_malformed_and_foreign_ids_of_scheduled_messages_are_rejected(
    server: TestServer,
) -> None:
    identity = await scheduled(server)
    for path in ("/scheduled_messages/999999", "/scheduled_messages/soon"):
        assert (await server.refusal("dario", "PATCH", path, {"content": "x"}))["code"] == "BAD_REQUEST"
    other = await server.refusal("elif", "PATCH", f"/scheduled_messages/{identity}", {"content": "x"})
    assert other["code"] == "BAD_REQUEST"


@proves("SCH-04", "SCH-05", "SCH-06", "SCH-07", "SCH-12")
async def test_each_type_requires_its_own_kind_of_recipient(server: TestServer) -> None:
    identity = await scheduled(server)
    people = [server.id("elif"), server.id("greta")]
    records = []
    for kind in ("direct", "private"):
        await edit(server, identity, type=kind, to=people, topic="ignored")
        row = await listed(server, identity)
        assert (row["type"], row["to"]) == ("private", people)
        assert "topic" not in row
        records.append(row)
    assert records[0] == records[1]
    await edit(server, identity, topic="still ignored", content="x")
    assert "topic" not in await listed(server, identity)
    for kind in ("stream", "channel"):
        await edit(server, identity, type=kind, to=server.channel("engineering"), topic="t")
        row = await listed(server, identity)
        assert (row["type"], row["to"], row["topic"]) == ("stream", server.channel("engineering"), "t")
    assert (await refused(server, identity, type="foo", to=1, topic="t"))["code"] == "BAD_REQUEST"
    await refused(server, identity, type="direct", to=server.channel("general"))
    await refused(server, identity, type="channel", to=people, topic="t")
    await refused(server, identity, to=people)


@proves("SCH-08", "SCH-11", "SCH-14")
async def test_a_type_needs_its_recipient_and_a_channel_type_a_real_topic(server: TestServer) -> None:
    identity = await scheduled(server)
    channel = server.channel("general")
    await refused(server, identity, type="direct")
    await refused(server, identity, type="channel", topic="t")
    await refused(server, identity, type="channel", to=channel)
    for topic in ("", "(no topic)", server.organization.empty_topic_name):
        assert (await refused(server, identity, type="channel", to=channel, topic=topic))[
            "code"
        ] == "BAD_REQUEST"
    assert (await listed(server, identity))["topic"] == "later"
    await edit(server, identity, topic="")
    assert (await listed(server, identity))["topic"] == ""


@proves("SCH-10", "SCH-13", "LIM-03")
async def test_content_and_topic_have_limits_in_code_points(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), max_message_length=20, max_topic_length=10))
    async with running_server(tmp_path / "data", config=config) as server:
        identity = await scheduled(server)
        await edit(server, identity, content="é" * 20, topic="é" * 10)
        assert (await refused(server, identity, content="é" * 21))["code"] == "BAD_REQUEST"
        assert (await refused(server, identity, topic="é" * 11))["code"] == "BAD_REQUEST"


@proves("SCH-16", "SCH-22", "SCH-24", "SCH-26")
async def test_a_failed_message_is_marked_and_needs_a_new_time(server: TestServer) -> None:
    identity = await failed(server)
    assert (await listed(server, identity))["failed"] is True
    channel = server.channel("general")
    await refused(server, identity, type="channel", to=channel, topic="t")
    await edit(
        server, identity, type="channel", to=channel, topic="t", scheduled_delivery_timestamp=soon(server)
    )
    assert (await listed(server, identity))["failed"] is False


async def test_the_notification_bot_says_which_message_was_not_sent_and_why(server: TestServer) -> None:
    listener = await server.listen("dario")
    await failed(server)
    (event,) = await listener.events("message")
    message = event["message"]
    assert message["sender_full_name"] == "Notification Bot"
    assert '<time datetime="1970-01-01T00:00:01Z">' in message["content"]
    assert "Not authorized to send to channel 'engineering'" in message["content"]
    assert 'href="#scheduled"' in message["content"]
    assert "read" not in event["flags"]


async def test_a_message_is_not_marked_as_failed_unless_its_user_is_told(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crashes(*_: object) -> None:
        raise RuntimeError("the process ends here")

    listener = await server.listen("dario")
    with monkeypatch.context() as patch:
        patch.setattr(scheduled_messages, "send_direct", crashes)
        with pytest.raises(RuntimeError):
            await failed(server)
    deliver_due(server.organization)
    assert [event["message"]["sender_full_name"] for event in await listener.events("message")] == [
        "Notification Bot"
    ]


@proves("SCH-17", "ERR-03")
async def test_the_error_names_an_unknown_channel(server: TestServer) -> None:
    identity = await scheduled(server)
    response = await refused(server, identity, type="channel", to=999_999, topic="t")
    assert (response["code"], response["stream_id"]) == ("STREAM_DOES_NOT_EXIST", 999_999)


@proves("SCH-18")
async def test_an_unknown_recipient_is_rejected(server: TestServer) -> None:
    identity = await scheduled(server)
    assert (await refused(server, identity, type="direct", to=[999_999]))["code"] == "BAD_REQUEST"


@proves("SCH-25")
async def test_channel_is_accepted_as_type_from_248(server: TestServer) -> None:
    identity = await scheduled(server)
    channel = server.channel("general")
    server.set_level(247)
    await refused(server, identity, type="channel", to=channel, topic="t")
    await edit(server, identity, type="stream", to=channel, topic="t")
    server.set_level(248)
    await edit(server, identity, type="channel", to=channel, topic="t")


@proves("SCH-26")
async def test_past_times_and_empty_edits_are_rejected(server: TestServer) -> None:
    identity = await scheduled(server)
    assert (await refused(server, identity, scheduled_delivery_timestamp=server.organization.now() - 1))[
        "code"
    ] == "BAD_REQUEST"
    assert (await refused(server, identity))["code"] == "BAD_REQUEST"
    assert (await refused(server, identity, content=" "))["code"] == "BAD_REQUEST"


async def test_a_scheduled_text_cannot_be_edited_if_the_user_may_no_longer_post_there(
    server: TestServer,
) -> None:
    identity = await scheduled(server, to=server.channel("engineering"))
    await server.call("ada", "DELETE", f"/streams/{server.channel('engineering')}")
    assert "Not authorized" in (await refused(server, identity, content="changed"))["msg"]
    when = server.organization.now() + 1000
    await server.call(
        "dario", "PATCH", f"/scheduled_messages/{identity}", {"scheduled_delivery_timestamp": when}
    )


@proves("SCH-21", "SCH-24")
async def test_a_due_message_is_sent_once_and_has_an_id_of_its_own(server: TestServer) -> None:
    await server.send("elif", "general", "before")
    identity = await scheduled(server, content="on time")
    listener = await server.listen("dario")
    with server.organization.transaction():
        server.organization.store.execute("UPDATE scheduled_messages SET delivery = 1 WHERE id = ?", identity)
    assert deliver_due(server.organization) == 1
    assert deliver_due(server.organization) == 0
    events = [
        event for event in await listener.events() if event["type"] in ("message", "scheduled_messages")
    ]
    assert [event["type"] for event in events] == ["message", "scheduled_messages"]
    assert events[0]["message"]["content"] == "<p>on time</p>"
    assert events[0]["message"]["id"] != identity
    assert events[1]["scheduled_message_id"] == identity
    assert (await server.call("dario", "GET", "/scheduled_messages"))["scheduled_messages"] == []


async def test_a_scheduled_message_can_be_deleted(server: TestServer) -> None:
    identity = await scheduled(server)
    await server.refusal("elif", "DELETE", f"/scheduled_messages/{identity}")
    await server.call("dario", "DELETE", f"/scheduled_messages/{identity}")
    await server.refusal("dario", "DELETE", f"/scheduled_messages/{identity}")
