"""Registration, the long poll, the WebSocket, and the lifetime of a queue."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import websockets

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.clock import VirtualClock
from support.ledger import proves
from support.request_parts import basic
from support.server import JsonObject, Listener, TestServer, running_server
from support.sessions import until


@asynccontextmanager
async def stream(
    server: TestServer, name: str, queue_id: str, last_event_id: int
) -> AsyncIterator[websockets.ClientConnection]:
    user = server.user(name)
    url = server.url.replace("http", "ws", 1)
    async with websockets.connect(
        f"{url}/api/v1/events/stream?queue_id={queue_id}&last_event_id={last_event_id}",
        additional_headers={"Authorization": basic(user.delivery_email, user.api_key)},
        proxy=None,
    ) as connection:
        yield connection


@proves("EVT-01", "EVT-06", "EVT-07")
async def test_a_client_receives_messages_and_its_users_flag_changes_in_order(server: TestServer) -> None:
    listener = await server.listen("dario")
    message_id = await server.send("ada", "general", "lunch", "soup")
    await server.call(
        "dario", "POST", "/messages/flags", {"messages": [message_id], "op": "add", "flag": "read"}
    )
    events = await listener.events()
    assert [event["type"] for event in events] == ["stream", "message", "update_message_flags"]
    assert [event["id"] for event in events] == [0, 1, 2]
    assert events[1]["flags"] == []
    assert "flags" not in events[1]["message"]


@proves("EVT-05")
async def test_the_oldest_message_of_a_channel_is_reported_from_256(server: TestServer) -> None:
    listener = await server.listen("dario")
    for level in (255, 256):
        server.set_level(level)
        await server.send("ada", "general", "oldest")
        later = await server.send("ada", "general", "later")
        await listener.events()
        path = f"/streams/{server.channel('general')}/delete_topic"
        await server.call("ada", "POST", path, {"topic_name": "oldest"})
        found = [
            (event["property"], event["value"])
            for event in await listener.events("stream")
            if event["op"] == "update"
        ]
        assert found == ([("first_message_id", later)] if level == 256 else [])
        await server.call("ada", "POST", path, {"topic_name": "later"})


async def test_a_poll_waits_for_the_first_event(server: TestServer) -> None:
    listener = await server.listen("dario")
    waiting = asyncio.create_task(server.call("dario", "GET", "/events", listener.poll()))
    await until(lambda: listener.is_read_now)
    await server.send("ada", "general", "t")
    response = await waiting
    assert response["events"]
    assert response["queue_id"] == listener.queue_id


async def test_a_quiet_poll_ends_with_a_heartbeat(tmp_path: Path) -> None:
    limits = replace(ServiceLimits(), heartbeat_seconds=(0.01, 0.02))
    async with running_server(tmp_path, config=ServerConfig(limits=limits)) as server:
        listener = await server.listen("dario", event_types=["message"])
        response = await server.call("dario", "GET", "/events", listener.poll())
        assert response["events"] == [{"type": "heartbeat", "id": 0}]
        response = await server.call("dario", "GET", "/events", listener.poll(last_event_id=0))
        assert response["events"] == [{"type": "heartbeat", "id": 1}]


async def test_a_second_poll_ends_the_first_without_events(server: TestServer) -> None:
    listener = await server.listen("dario", event_types=["message"])
    first = asyncio.create_task(server.call("dario", "GET", "/events", listener.poll()))
    await until(lambda: listener.is_read_now)
    second = asyncio.create_task(server.call("dario", "GET", "/events", listener.poll()))
    assert (await first)["events"] == []
    await server.send("ada", "general", "t")
    assert len((await second)["events"]) == 1


async def test_events_stay_until_they_are_acknowledged(server: TestServer) -> None:
    listener = await server.listen("dario", event_types=["message"])
    await server.send("ada", "general", "a")
    await server.send("ada", "general", "b")
    block = {"dont_block": True}
    for _ in range(2):
        response = await server.call("dario", "GET", "/events", listener.poll(**block))
        assert [event["id"] for event in response["events"]] == [0, 1]
    response = await server.call("dario", "GET", "/events", listener.poll(last_event_id=0, **block))
    assert [event["id"] for event in response["events"]] == [1]
    refusal = await server.refusal("dario", "GET", "/events", listener.poll(last_event_id=-1, **block))
    assert refusal["msg"] == "An event newer than -1 has already been pruned!"
    for never in (2, 5000):
        fields = listener.poll(last_event_id=never, **block)
        refusal = await server.refusal("dario", "GET", "/events", fields)
        assert refusal["msg"] == f"Event {never} was not in this queue"


async def test_another_users_queue_is_treated_as_unknown(server: TestServer) -> None:
    listener = await server.listen("dario")
    for name, queue_id in (("elif", listener.queue_id), ("dario", "nosuch")):
        refusal = await server.refusal(name, "GET", "/events", listener.poll(queue_id=queue_id))
        assert refusal["code"] == "BAD_EVENT_QUEUE_ID"
        assert refusal["queue_id"] == queue_id
        refusal = await server.refusal(name, "DELETE", "/events", {"queue_id": queue_id})
        assert refusal["code"] == "BAD_EVENT_QUEUE_ID"


async def test_deleting_a_queue_ends_its_waiting_poll(server: TestServer) -> None:
    listener = await server.listen("dario")
    waiting = asyncio.create_task(server.refusal("dario", "GET", "/events", listener.poll()))
    await until(lambda: listener.is_read_now)
    await server.call("dario", "DELETE", "/events", {"queue_id": listener.queue_id})
    assert (await waiting)["code"] == "BAD_EVENT_QUEUE_ID"


async def test_a_queue_ends_after_ten_idle_minutes(server: TestServer, clock: VirtualClock) -> None:
    listener, other = await server.listen("dario"), await server.listen("elif")
    await clock.advance(540)
    await other.events()
    await clock.advance(120)
    refusal = await server.refusal("dario", "GET", "/events", listener.poll())
    assert refusal["code"] == "BAD_EVENT_QUEUE_ID"
    assert await other.events() == []


async def test_a_queue_with_too_many_events_is_ended(tmp_path: Path) -> None:
    limits = replace(ServiceLimits(), max_queued_events=3)
    async with running_server(tmp_path, config=ServerConfig(limits=limits)) as server:
        listener = await server.listen("dario", event_types=["message"])
        for _ in range(4):
            await server.send("ada", "general", "t")
        refusal = await server.refusal("dario", "GET", "/events", listener.poll(dont_block=True))
        assert refusal["code"] == "BAD_EVENT_QUEUE_ID"


async def test_a_queue_with_too_long_events_is_ended(tmp_path: Path) -> None:
    limits = replace(ServiceLimits(), max_queued_characters=10_000)
    async with running_server(tmp_path, config=ServerConfig(limits=limits)) as server:
        listener = await server.listen("dario", event_types=["message"])
        for _ in range(12):
            await server.send("ada", "general", "t", "x" * 1000)
            assert len(await listener.events()) == 1
        for _ in range(5):
            await server.send("ada", "general", "t", "x" * 3000)
        refusal = await server.refusal("dario", "GET", "/events", listener.poll(dont_block=True))
        assert refusal["code"] == "BAD_EVENT_QUEUE_ID"


async def test_event_types_and_narrow_filter_events(server: TestServer) -> None:
    by_type = await server.listen("dario", event_types=["reaction"])
    by_narrow = await server.listen("dario", narrow=[["stream", "engineering"]], event_types=["message"])
    mentions = await server.listen("dario", narrow=[["is", "mentioned"]], event_types=["message"])
    first = await server.send("ada", "general", "t", "@**Dario Vance**")
    second = await server.send("ada", "engineering", "t")
    await server.call("ada", "POST", f"/messages/{first}/reactions", {"emoji_name": "tada"})
    assert [event["type"] for event in await by_type.events()] == ["reaction"]
    assert [event["message"]["id"] for event in await by_narrow.events()] == [second]
    assert [event["message"]["id"] for event in await mentions.events()] == [first]
    refusal = await server.refusal("dario", "POST", "/register", {"narrow": [["xyz", "a"]]})
    assert refusal["msg"] == "Operator xyz not supported."
    terms = [{"operator": "is", "operand": "dm"}]
    refusal = await server.refusal("dario", "POST", "/register", {"narrow": terms})
    assert refusal["msg"] == "narrow[0] is not a list"
    refusal = await server.refusal("dario", "POST", "/register", {"narrow": [["is", 1]]})
    assert refusal["msg"] == "narrow[0][1] is not a string"


async def test_only_members_can_request_events_of_all_public_channels(server: TestServer) -> None:
    listener = await server.listen("greta", all_public_streams=True, event_types=["message"])
    message_id = await server.send("ada", "engineering", "t")
    await server.send("bruno", "operations", "t")
    assert [event["message"]["id"] for event in await listener.events()] == [message_id]
    await server.refusal("hugo", "POST", "/register", {"all_public_streams": True})


async def test_the_event_of_an_own_message_has_its_local_id(server: TestServer) -> None:
    listener, other = await server.listen("ada"), await server.listen("ada")
    fields = {
        "type": "stream",
        "to": "general",
        "topic": "t",
        "content": "x",
        "queue_id": listener.queue_id,
        "local_id": "17.01",
    }
    await server.call("ada", "POST", "/messages", fields)
    (event,) = await listener.events("message")
    assert event["local_message_id"] == "17.01"
    (event,) = await other.events("message")
    assert "local_message_id" not in event


async def test_clients_without_capabilities_receive_older_formats(server: TestServer) -> None:
    modern = await server.listen(
        "dario",
        client_capabilities={
            "bulk_message_deletion": True,
            "simplified_presence_events": True,
            "archived_channels": True,
        },
    )
    old = await server.listen("dario")
    message_id = await server.send("ada", "general", "t")
    await server.call("ada", "DELETE", f"/messages/{message_id}")
    await server.call("ada", "POST", "/users/me/presence", {"status": "active"})
    await server.call("ada", "DELETE", f"/streams/{server.channel('design')}")
    new_shape, old_shape = await modern.events(), await old.events()

    def only(events: list[JsonObject], kind: str) -> list[JsonObject]:
        return [event for event in events if event["type"] == kind]

    assert only(new_shape, "delete_message")[0]["message_ids"] == [message_id]
    assert only(old_shape, "delete_message")[0]["message_id"] == message_id
    assert only(new_shape, "presence")[0]["presences"].keys() == {str(server.id("ada"))}
    assert only(old_shape, "presence")[0]["email"] == "ada@demo.example"
    assert only(new_shape, "stream")[-1]["property"] == "is_archived"
    assert only(old_shape, "stream")[-1]["op"] == "delete"


async def test_presence_is_announced_about_once_a_minute_however_often_it_is_reported(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running_server(tmp_path, clock=clock) as server:
        queue = await server.listen("dario")
        for _ in range(11):
            await server.call("ada", "POST", "/users/me/presence", {"status": "active"})
            await clock.advance(30)
        assert len(await queue.events("presence")) == 6


async def test_markdown_is_sent_as_html_or_as_source(server: TestServer) -> None:
    html, source = await server.listen("dario"), await server.listen("dario", apply_markdown=False)
    await server.send("ada", "general", "t", "**bold**")
    (event,) = await html.events("message")
    assert (event["message"]["content"], event["message"]["content_type"]) == (
        "<p><strong>bold</strong></p>",
        "text/html",
    )
    (event,) = await source.events("message")
    assert (event["message"]["content"], event["message"]["content_type"]) == ("**bold**", "text/x-markdown")


async def test_fetch_event_types_select_the_keys_of_the_snapshot(server: TestServer) -> None:
    snapshot = (await server.listen("dario", fetch_event_types=["message"])).snapshot
    assert "max_message_id" in snapshot
    assert "unread_msgs" not in snapshot
    assert "realm_users" not in snapshot
    types = ["message", "update_message_flags"]
    assert "unread_msgs" in (await server.listen("dario", fetch_event_types=types)).snapshot


@pytest.mark.parametrize(
    "fields",
    [
        {"event_types": "x"},
        {"event_types": [1]},
        {"client_capabilities": {"a": "b"}},
        {"client_capabilities": [1]},
        {"include_subscribers": "perhaps"},
        {"narrow": [["a"]]},
        {"narrow": "{"},
    ],
)
async def test_malformed_registrations_are_rejected(server: TestServer, fields: dict[str, object]) -> None:
    refusal = await server.refusal("dario", "POST", "/register", fields)
    assert refusal["code"] == "BAD_REQUEST"


async def test_a_websocket_delivers_resumes_and_acknowledges_events(server: TestServer) -> None:
    listener = await server.listen("dario", event_types=["message"])
    first = await server.send("ada", "general", "t")
    async with stream(server, "dario", listener.queue_id, -1) as connection:
        events = json.loads(await connection.recv())["events"]
        assert [event["message"]["id"] for event in events] == [first]
        second = await server.send("ada", "general", "t")
        events = json.loads(await connection.recv())["events"]
        assert [event["message"]["id"] for event in events] == [second]
    async with stream(server, "dario", listener.queue_id, 0) as connection:
        events = json.loads(await connection.recv())["events"]
        assert [event["message"]["id"] for event in events] == [second]
        await connection.send(json.dumps({"last_event_id": 1}))
        third = await server.send("ada", "general", "t")
        events = json.loads(await connection.recv())["events"]
        assert [event["message"]["id"] for event in events] == [third]
    assert [event["message"]["id"] for event in await replay(server, listener, 1)] == [third]


async def replay(server: TestServer, listener: Listener, after: int) -> list[JsonObject]:
    response = await server.call(
        "dario", "GET", "/events", listener.poll(last_event_id=after, dont_block=True)
    )
    events: list[JsonObject] = response["events"]
    return events


@pytest.mark.parametrize(("name", "queue", "code"), [("dario", "nosuch", 4400), ("elif", "", 4400)])
async def test_a_websocket_for_an_unknown_queue_gets_an_error_and_is_closed(
    server: TestServer, name: str, queue: str, code: int
) -> None:
    listener = await server.listen("dario")
    async with stream(server, name, queue or listener.queue_id, -1) as connection:
        assert json.loads(await connection.recv())["code"] == "BAD_EVENT_QUEUE_ID"
        with pytest.raises(websockets.ConnectionClosedError) as closed:
            await connection.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == code


async def test_a_client_may_acknowledge_events_that_were_not_sent_yet(server: TestServer) -> None:
    listener = await server.listen("dario", event_types=["message"])
    queue = server.organization.hub.get(listener.queue_id, server.id("dario"))
    async with stream(server, "dario", listener.queue_id, -1) as connection:
        await until(lambda: queue.waiter is not None)
        queue.push('{"type":"message"}')
        queue.acknowledge(0)
        message_id = await server.send("ada", "general", "t")
        events = json.loads(await connection.recv())["events"]
        assert [event["message"]["id"] for event in events] == [message_id]


async def test_a_websocket_survives_invalid_frames(
    server: TestServer, caplog: pytest.LogCaptureFixture
) -> None:
    listener = await server.listen("dario", event_types=["message"])
    async with stream(server, "dario", listener.queue_id, -1) as connection:
        for nonsense in (b"\xff", "{", "[]", '{"last_event_id": "x"}', '{"last_event_id": 99}', "[" * 5000):
            await connection.send(nonsense)
        message_id = await server.send("ada", "general", "t")
        events = json.loads(await connection.recv())["events"]
        assert [event["message"]["id"] for event in events] == [message_id]
    assert not [record for record in caplog.records if record.exc_info]
