"""Operations under former names, and those that only older clients use."""

from __future__ import annotations

from support.server import TestServer


async def test_linkifiers_are_listed_as_triples_for_older_clients(server: TestServer) -> None:
    sent = {"pattern": "W-(?P<id>[0-9]+)", "url_template": "https://w.example/{id}"}
    identity = (await server.call("ada", "POST", "/realm/filters", sent))["id"]
    response = await server.call("elif", "GET", "/realm/filters")
    assert response["filters"] == [[sent["pattern"], sent["url_template"], identity]]


async def test_settings_can_be_changed_by_the_former_operation_for_display_settings(
    server: TestServer,
) -> None:
    listener = await server.listen("elif")
    await server.call("elif", "PATCH", "/settings/display", {"twenty_four_hour_time": True})
    (event,) = await listener.events("user_settings")
    assert (event["property"], event["value"]) == ("twenty_four_hour_time", True)


async def test_only_the_ping_slash_command_exists(server: TestServer) -> None:
    await server.call("elif", "POST", "/zcommand", {"command": "/ping"})
    await server.refusal("elif", "POST", "/zcommand", {"command": "dance"})
