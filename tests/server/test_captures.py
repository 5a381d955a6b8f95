"""Shapes of responses and events, compared with recorded traffic of a public server where available."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.captures import captures, needs_recordings
from support.server import JsonObject, TestServer

CAPTURES = captures() or Path()
pytestmark = needs_recordings

RECORDED_LEVEL = 442
CAPABILITIES = dict.fromkeys(
    (
        "notification_settings_null",
        "bulk_message_deletion",
        "user_avatar_url_field_optional",
        "stream_typing_notifications",
        "user_settings_object",
        "linkifier_url_template",
        "include_deactivated_groups",
        "archived_channels",
        "empty_topic_name",
        "simplified_presence_events",
    ),
    True,
)
KEYED_BY_ID = {"presences", "user_status", "profile_data", "realm_emoji", "message_details"}
OPEN_LISTS = {
    "realm_default_external_accounts",
    "realm_available_video_chat_providers",
    "gif_rating_options",
    "realm_authentication_methods",
    "server_supported_permission_settings",
}


def missing(expected: object, shown: object, path: str = "") -> Iterator[str]:
    """Paths of keys that the recorded value has and this one does not."""
    if isinstance(expected, dict) and isinstance(shown, dict):
        name = path.rsplit(".", 1)[-1]
        if name in KEYED_BY_ID | OPEN_LISTS:
            return
        for key, value in expected.items():
            if key not in shown:
                yield f"{path}.{key}"
            else:
                yield from missing(value, shown[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(shown, list) and expected and shown:
        yield from missing(expected[0], shown[0], path)


def kind(event: Mapping[str, Any]) -> tuple[object, ...]:
    return event["type"], event.get("op"), event.get("property")


@cache
def recorded_events() -> dict[tuple[object, ...], list[JsonObject]]:
    found: dict[tuple[object, ...], list[JsonObject]] = {}
    for path in (CAPTURES / "events").glob("*.json"):
        samples = json.loads(path.read_text())
        for sample in samples if isinstance(samples, list) else []:
            found.setdefault(kind(sample["event"]), []).append(sample["event"])
    return found


def recorded(path: Path) -> JsonObject:
    response: JsonObject = json.loads(path.read_text())["response"]
    return response


async def test_registration_has_every_recorded_key(server: TestServer) -> None:
    server.set_level(RECORDED_LEVEL)
    message_id = await server.send("ada", "general", "t", "@**Bruno Castell**")
    await server.send_direct("ada", ["bruno"])
    await server.send_direct("ada", ["bruno", "chiyo"])
    await server.call(
        "bruno", "POST", "/messages/flags", {"messages": [message_id], "op": "add", "flag": "starred"}
    )
    listener = await server.listen("bruno", client_capabilities=CAPABILITIES, include_subscribers=True)
    expected = recorded(CAPTURES / "register_rich_cordelia.json")
    assert list(missing(expected, listener.snapshot)) == []


async def act(server: TestServer) -> None:
    """Causes events of most kinds, as Ada and Bruno."""
    general = server.channel("general")
    message_id = await server.send("bruno", "general", "t", "hi @**Ada Moreno** https://x.example/")
    direct = await server.send_direct("bruno", ["ada"])
    both = [message_id, direct]
    await server.call("bruno", "PATCH", f"/messages/{message_id}", {"content": "yo", "topic": "z"})
    fields: dict[str, object] = {"stream_id": server.channel("engineering")}
    await server.call("bruno", "PATCH", f"/messages/{message_id}", fields)
    await server.call("ada", "POST", f"/messages/{message_id}/reactions", {"emoji_name": "tada"})
    for op in ("add", "remove"):
        await server.call("ada", "POST", "/messages/flags", {"messages": both, "op": op, "flag": "read"})
    await server.call("ada", "POST", "/mark_all_as_read")
    await server.call("bruno", "POST", "/typing", {"op": "start", "to": [server.id("ada")]})
    fields = {"op": "start", "type": "channel", "stream_id": general, "topic": "x"}
    await server.call("bruno", "POST", "/typing", fields)
    await server.call("bruno", "POST", f"/messages/{direct}/typing", {"op": "start"})
    fields = {"stream_id": general, "topic": "x", "visibility_policy": 1}
    await server.call("ada", "POST", "/user_topics", fields)
    for name in ("ada", "bruno"):
        await server.subscribe(name, "new")
    data = [{"stream_id": general, "property": "is_muted", "value": True}]
    await server.call("ada", "POST", "/users/me/subscriptions/properties", {"subscription_data": data})
    await server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["new"]})
    await server.call("bruno", "POST", "/users/me/presence", {"status": "active"})
    await server.call("bruno", "POST", "/users/me/status", {"status_text": "x", "emoji_name": "tada"})
    await server.call("ada", "PATCH", "/settings", {"enable_sounds": False, "full_name": "Ada M"})
    await server.call("ada", "POST", f"/users/me/muted_users/{server.id('hugo')}")
    await server.call("ada", "POST", "/users/me/alert_words", {"alert_words": ["z"]})
    await server.call("ada", "DELETE", f"/messages/{message_id}")


async def test_every_event_has_the_recorded_keys(server: TestServer) -> None:
    listener = await server.listen("ada", client_capabilities=CAPABILITIES, include_subscribers=True)
    await act(server)
    known = recorded_events()
    seen = set()
    for event in await listener.events():
        samples = known.get(kind(event), [])
        if event["type"] == "stream" and event.get("property") == "first_message_id":
            continue
        assert samples, f"no recorded event of the kind {kind(event)}"
        best = min((list(missing(sample, event)) for sample in samples), key=len)
        assert best == [], kind(event)
        seen.add(event["type"])
    assert len(seen) >= 15


@pytest.mark.parametrize(
    ("capture", "path", "fields"),
    [
        (
            "GET_messages/01-success-newest",
            "/messages",
            {"anchor": "newest", "num_before": 1, "num_after": 0},
        ),
        ("GET_users_me/01-success", "/users/me", {}),
        ("GET_users/01-success", "/users", {}),
        ("GET_streams/01-success", "/streams", {}),
        ("GET_users_me_subscriptions/01-success", "/users/me/subscriptions", {}),
        ("GET_user_groups/01-success", "/user_groups", {}),
        ("GET_realm_linkifiers/01-success", "/realm/linkifiers", {}),
        ("users_me_alert_words/02-list", "/users/me/alert_words", {}),
    ],
)
async def test_a_response_has_the_recorded_keys(
    server: TestServer, capture: str, path: str, fields: dict[str, object]
) -> None:
    await server.send("ada", "general", "t")
    response = await server.call("bruno", "GET", path, fields)
    assert list(missing(recorded(CAPTURES / f"{capture}.json"), response)) == []
