"""Reminders of messages, which the notification bot sends when they are due."""

from __future__ import annotations

import pytest

from support.clock import VirtualClock
from support.server import JsonObject, TestServer

pytestmark = pytest.mark.usefixtures("clock")


async def remind(server: TestServer, message_id: int, seconds: int = 60, **params: object) -> int:
    when = server.organization.now() + seconds
    sent = {"message_id": message_id, "scheduled_delivery_timestamp": when, **params}
    return int((await server.call("dario", "POST", "/reminders", sent))["reminder_id"])


async def reminders(server: TestServer, name: str = "dario") -> list[JsonObject]:
    found: list[JsonObject] = (await server.call(name, "GET", "/reminders"))["reminders"]
    return found


async def test_a_due_reminder_is_a_message_that_quotes_the_original(
    server: TestServer, clock: VirtualClock
) -> None:
    message_id = await server.send("ada", "general", "lunch", "Noodles @**Dario Vance**?")
    identity = await remind(server, message_id, note="ask *twice*")
    assert [row["reminder_id"] for row in await reminders(server)] == [identity]
    listener = await server.listen("dario", apply_markdown=False)
    assert [row["reminder_id"] for row in listener.snapshot["reminders"]] == [identity]
    await clock.advance(55)
    assert await listener.events("message", "reminders") == []
    await clock.advance(10)
    message, removed = await listener.events("message", "reminders")
    assert (removed["op"], removed["reminder_id"]) == ("remove", identity)
    assert message["flags"] == []
    text = message["message"]["content"]
    assert f"#**general>lunch@{message_id}**" in text
    assert "> ask *twice*" in text
    assert "```quote\nNoodles @**Dario Vance**?\n```" in text
    assert message["message"]["sender_full_name"] == "Notification Bot"
    assert await reminders(server) == []


async def test_a_reminder_is_private_and_can_be_deleted(server: TestServer) -> None:
    identity = await remind(server, await server.send("ada", "general", "t"))
    assert await reminders(server, "ada") == []
    await server.refusal("ada", "DELETE", f"/reminders/{identity}")
    await server.call("dario", "DELETE", f"/reminders/{identity}")
    assert await reminders(server) == []
    await server.refusal("dario", "DELETE", f"/reminders/{identity}")


async def test_a_reminder_needs_a_visible_message_and_a_future_time(server: TestServer) -> None:
    secret = await server.send("ada", "leads", "t", "secret")
    message_id = await server.send("ada", "general", "t")
    later = server.organization.now() + 60
    for params in (
        {"message_id": secret, "scheduled_delivery_timestamp": later},
        {"message_id": 999_999, "scheduled_delivery_timestamp": later},
        {"message_id": message_id, "scheduled_delivery_timestamp": server.organization.now()},
        {"message_id": message_id, "scheduled_delivery_timestamp": later, "note": "x" * 1001},
        {"message_id": message_id},
    ):
        assert (await server.refusal("dario", "POST", "/reminders", params))["code"] == "BAD_REQUEST"
    assert await reminders(server) == []


async def test_a_reminder_that_cannot_be_sent_does_not_delay_others(
    server: TestServer, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    message_id = await server.send("ada", "general", "t")
    broken, whole = await remind(server, message_id, 30), await remind(server, message_id, 60)
    with server.organization.transaction():
        server.organization.store.execute("UPDATE reminders SET content = '' WHERE id = ?", broken)
    listener = await server.listen("dario")
    await clock.advance(65)
    assert [event["reminder_id"] for event in await listener.events("reminders")] == [whole]
    assert [(row["reminder_id"], row["failed"]) for row in await reminders(server)] == [(broken, True)]
    assert len([record for record in caplog.records if record.exc_info]) == 1
