"""POST /streams/{stream_id}/delete_topic."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.ledger import proves
from support.server import JsonObject, TestServer, running_server


@pytest.fixture
async def slow(tmp_path: Path) -> AsyncIterator[TestServer]:
    """A server that deletes two messages per batch and two batches per request."""
    limits = replace(ServiceLimits(), delete_batch=2, delete_batches_a_request=2)
    async with running_server(tmp_path / "data", config=ServerConfig(limits=limits)) as running:
        yield running


async def fill(server: TestServer, topic: str, count: int) -> list[int]:
    return [await server.send("dario", "general", topic, f"message {number}") for number in range(count)]


async def delete(server: TestServer, topic: str, by: str = "bruno") -> JsonObject:
    path = f"/streams/{server.channel('general')}/delete_topic"
    response: JsonObject = (await server.raw(by, "POST", path, {"topic_name": topic})).json()
    return response


async def left(server: TestServer, topic: str) -> list[int]:
    return server.organization.store.integers("SELECT id FROM messages WHERE topic = ? ORDER BY id", topic)


@proves("DTOP-01", "DTOP-03", "DTOP-06", "DTOP-07", "DTOP-13")
async def test_all_messages_are_deleted_and_all_users_receive_an_event(server: TestServer) -> None:
    ids = await fill(server, "lunch", 3)
    other = await server.send("dario", "general", "dinner")
    listener = await server.listen("elif", client_capabilities={"bulk_message_deletion": True})
    assert await delete(server, "lunch") == {"result": "success", "msg": "", "complete": True}
    assert await left(server, "lunch") == []
    assert await left(server, "dinner") == [other]
    events = await listener.events("delete_message")
    assert sorted(identity for event in events for identity in event["message_ids"]) == ids
    assert (await delete(server, "lunch"))["complete"] is True


@proves("DTOP-07", "DTOP-08")
async def test_batches_start_with_the_newest_and_the_client_repeats(slow: TestServer) -> None:
    ids = await fill(slow, "lunch", 7)
    assert (await delete(slow, "lunch"))["complete"] is False
    assert await left(slow, "lunch") == ids[:3]
    assert (await delete(slow, "lunch"))["complete"] is True
    assert await left(slow, "lunch") == []


@proves("DTOP-10", "DTOP-11", "DTOP-12", "CONV-07")
async def test_below_211_partial_completion_has_a_result_of_its_own(slow: TestServer) -> None:
    await fill(slow, "lunch", 5)
    slow.set_level(210)
    response = await delete(slow, "lunch")
    assert response["result"] == "partially_completed"
    assert response["code"]
    assert "complete" not in response
    assert await delete(slow, "lunch") == {"result": "success", "msg": ""}


@proves("DTOP-06")
@pytest.mark.parametrize(("level", "present"), [(210, False), (211, True)])
async def test_complete_is_returned_from_211(server: TestServer, level: int, present: bool) -> None:
    server.set_level(level)
    assert ("complete" in await delete(server, "nothing")) is present


@proves("DTOP-02", "DTOP-09", "DTOP-14", "ERR-04", "AUTH-03")
@pytest.mark.parametrize("name", ["chiyo", "dario", "hugo"])
async def test_only_administrators_delete_topics(server: TestServer, name: str) -> None:
    ids = await fill(server, "lunch", 1)
    path = f"/streams/{server.channel('general')}/delete_topic"
    response = await server.refusal(name, "POST", path, {"topic_name": "lunch"}, status=400)
    assert response["code"] == "UNAUTHORIZED_PRINCIPAL"
    assert response.keys() == {"result", "msg", "code"}
    assert await left(server, "lunch") == ids
    assert (await delete(server, "lunch", by="ada"))["complete"] is True


@proves("DTOP-05", "CONV-11", "CONV-12")
@pytest.mark.parametrize("name", ["", "(no topic)", "general chat"])
async def test_every_name_of_the_empty_topic_is_accepted(server: TestServer, name: str) -> None:
    await fill(server, "", 2)
    assert (await delete(server, name))["complete"] is True
    assert await left(server, "") == []


@proves("DTOP-03", "DTOP-04", "DTOP-13", "ERR-02")
async def test_a_missing_topic_and_an_unknown_channel_are_rejected(server: TestServer) -> None:
    path = f"/streams/{server.channel('general')}/delete_topic"
    assert (await server.refusal("bruno", "POST", path))["code"] == "BAD_REQUEST"
    for channel in ("999999", "general"):
        response = await server.refusal(
            "bruno", "POST", f"/streams/{channel}/delete_topic", {"topic_name": "x"}
        )
        assert response["code"] == "BAD_REQUEST"


@proves("EVT-05")
@pytest.mark.parametrize(("level", "told"), [(255, False), (256, True)])
async def test_the_channels_first_message_is_reported_from_256(
    server: TestServer, level: int, told: bool
) -> None:
    await fill(server, "lunch", 1)
    second = await server.send("dario", "general", "dinner")
    server.set_level(level)
    listener = await server.listen("elif")
    await delete(server, "lunch")
    changes = [(event["property"], event["value"]) for event in await listener.events("stream")]
    assert changes == ([("first_message_id", second)] if told else [])
