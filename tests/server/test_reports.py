"""Reports of messages to the moderators."""

from __future__ import annotations

from support.server import JsonObject, TestServer


async def enable(server: TestServer, channel: str = "leads") -> None:
    params = {"moderation_request_channel_id": server.channel(channel)}
    await server.call("ada", "PATCH", "/realm", params)


async def report(server: TestServer, name: str, message_id: int, **params: object) -> JsonObject:
    response = await server.raw(name, "POST", f"/messages/{message_id}/report", params)
    body: JsonObject = response.json()
    assert response.status_code == (200 if body["result"] == "success" else 400)
    return body


async def test_messages_cannot_be_reported_without_a_moderation_channel(server: TestServer) -> None:
    message_id = await server.send("dario", "general", "t", "buy")
    response = await report(server, "elif", message_id, report_type="spam")
    assert (response["code"], response["msg"]) == (
        "BAD_REQUEST",
        "Message reporting is not enabled in this organization.",
    )


async def test_nothing_is_reported_to_an_archived_channel(server: TestServer) -> None:
    await enable(server)
    await server.call("ada", "DELETE", f"/streams/{server.channel('leads')}")
    message_id = await server.send("dario", "general", "t", "buy")
    response = await report(server, "elif", message_id, report_type="spam")
    assert response["msg"] == "Message reporting is not enabled in this organization."


async def test_messages_cannot_be_reported_once_the_moderation_channel_is_gone(server: TestServer) -> None:
    await enable(server)
    unknown = {"moderation_request_channel_id": 999_999}
    assert (await server.refusal("ada", "PATCH", "/realm", unknown))["msg"] == "Invalid channel ID"
    await server.call("ada", "PATCH", "/realm", {"moderation_request_channel_id": -1})
    message_id = await server.send("dario", "general", "t", "buy")
    response = await report(server, "elif", message_id, report_type="spam")
    assert response["msg"] == "Message reporting is not enabled in this organization."


async def test_a_report_is_sent_to_the_moderators_with_reason_text_and_message(server: TestServer) -> None:
    await enable(server)
    message_id = await server.send("dario", "general", "offers", "buy\n````\nnow\n````")
    listener = await server.listen("chiyo", apply_markdown=False)
    outsider = await server.listen("elif")
    await report(server, "elif", message_id, report_type="harassment", description="Every *day*")
    (event,) = await listener.events("message")
    message = event["message"]
    assert message["display_recipient"] == "leads"
    assert message["subject"] == "Dario Vance's moderation requests"
    text = message["content"]
    assert f"#**general>offers@{message_id}**" in text
    assert "@_**Elif Kaya|" in text
    assert "Harassment" in text
    assert "Every *day*" in text
    assert "`````quote\nbuy\n````\nnow\n````\n`````" in text
    assert await outsider.events("message") == []


async def test_reports_need_a_visible_message_and_a_known_reason(server: TestServer) -> None:
    await enable(server)
    secret = await server.send("bruno", "operations", "t", "secret")
    assert (await report(server, "elif", secret, report_type="spam"))["msg"] == "Invalid message(s)"
    message_id = await server.send("dario", "general", "t", "buy")
    for params in ({}, {"report_type": "boring"}, {"report_type": "other"}):
        assert (await report(server, "elif", message_id, **params))["code"] == "BAD_REQUEST"
    too_long = "x" * 1001
    response = await report(server, "elif", message_id, report_type="spam", description=too_long)
    assert "too long" in response["msg"]
    response = await report(server, "elif", message_id, report_type="other", description="It is rude.")
    assert response["result"] == "success"


async def test_clients_learn_the_reasons_at_registration(server: TestServer) -> None:
    reasons = (await server.listen("hugo")).snapshot["server_report_message_types"]
    assert [reason["key"] for reason in reasons] == ["spam", "harassment", "inappropriate", "norms", "other"]
