"""How parameters are encoded: the table that client and server share, against recordings of a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from narrowcast_api.client import Client
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.wire.parameters import QUOTED, QUOTED_BELOW, is_quoted, shape
from narrowcast_api.wire.vocabulary import TopicsPolicy
from narrowcast_server.app import routes_of
from narrowcast_server.organization.realm_settings import FOREVER
from support.captures import needs_recordings, recorded_responses
from support.server import Bare, TestServer

TO_COME = 4_000_000_000
"""A delivery time in the far future."""


def recorded_texts() -> Iterator[tuple[str, str, str, str, dict[str, Any]]]:
    """(method, path, name, text, response) of every recorded parameter that is not JSON."""
    for _, capture in recorded_responses():
        request = capture["request"]
        params = request.get("params")
        for name, value in (params if isinstance(params, dict) else {}).items():
            if isinstance(value, str) and not _is_json(value):
                path = request["path"].removeprefix("/api/v1")
                yield request["method"], path, name, value, capture


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@needs_recordings
def test_the_table_agrees_with_the_unquoted_parameters_that_a_zulip_server_accepted() -> None:
    taken = refused = 0
    for method, path, name, text, capture in recorded_texts():
        response = capture["response"]
        if response.get("result") == "success":
            assert not is_quoted(method, path, name, None), (method, path, name, text)
            taken += 1
        elif response.get("msg") == f"{name} is not valid JSON" and text in ("empty_topic_only", "unlimited"):
            assert is_quoted(method, path, name, None), (method, path, name, text)
            refused += 1
    assert taken > 100
    assert refused == 2


@pytest.mark.parametrize(
    ("method", "path", "params"),
    [
        ("POST", "/channels/create", {"name": "new", "subscribers": [], "topics_policy": Bare("inherit")}),
        ("POST", "/channels/create", {"name": "new", "subscribers": [], "folder_id": None}),
        (
            "POST",
            "/users/me/subscriptions",
            {"subscriptions": [{"name": "new"}], "topics_policy": Bare("inherit")},
        ),
        ("POST", "/users/me/subscriptions", {"subscriptions": [{"name": "new"}], "folder_id": None}),
        ("PATCH", "/streams/{general}", {"message_retention_days": Bare("unlimited")}),
        ("PATCH", "/streams/{general}", {"topics_policy": Bare('"inherit"')}),
        ("PATCH", "/realm", {"message_retention_days": Bare("unlimited")}),
        ("PATCH", "/realm", {"message_content_edit_limit_seconds": Bare("unlimited")}),
        ("PATCH", "/realm", {"jitsi_server_url": Bare("https://meet.example.org")}),
        ("PATCH", "/realm", {"topics_policy": Bare('"allow_empty_topic"')}),
        ("PATCH", "/settings", {"default_language": Bare('"de"')}),
        ("PATCH", "/settings", {"web_home_view": "recents"}),
        ("PATCH", "/settings", {"email_notifications_batching_period_seconds": 0}),
        ("PATCH", "/settings", {"email_notifications_batching_period_seconds": 604_801}),
        ("PATCH", "/settings", {"notification_sound": "gong"}),
        ("PATCH", "/realm", {"message_content_edit_limit_seconds": 0}),
        ("PATCH", "/realm", {"message_retention_days": -1}),
        ("PATCH", "/realm", {"topics_policy": "empty_topic_only"}),
        ("PATCH", "/realm", {"jitsi_server_url": ""}),
        ("PATCH", "/realm", {"org_type": 5}),
        ("POST", "/typing", {"op": Bare('"start"'), "to": [9]}),
    ],
)
async def test_the_server_rejects_parameters_in_the_other_encoding(
    server: TestServer, method: str, path: str, params: dict[str, object]
) -> None:
    await server.refusal("ada", method, path.format(general=server.channel("general")), params)


def test_every_parameter_in_the_table_exists() -> None:
    known = {
        (endpoint.method, shape(endpoint.path), param.name)
        for endpoint in routes_of()
        for param in endpoint.params
    }
    listed = {
        (*operation, name)
        for table in (QUOTED, QUOTED_BELOW)
        for operation, names in table.items()
        for name in names
    }
    assert listed
    assert listed <= known


@pytest.mark.parametrize("level", [372, 416])
async def test_a_channel_is_created_and_changed_with_parameters_of_each_encoding(
    server: TestServer, level: int
) -> None:
    folder = {"name": "nature", "description": ""}
    folder_id = (await server.call("ada", "POST", "/channel_folders/create", folder))["channel_folder_id"]
    server.set_level(level)
    async with Client.open(server.account("ada")) as client:
        created = await client.channels.create(
            name="tides",
            subscribers=[server.id("ada")],
            topics_policy=TopicsPolicy.DISABLE_EMPTY,
            message_retention_days="unlimited",
            folder_id=folder_id,
        )

        def stored() -> tuple[object, ...]:
            channel = server.organization.channels[created.stream_id]
            return channel.name, channel.topics_policy, channel.message_retention_days, channel.folder_id

        assert stored() == ("tides", "disable_empty_topic", FOREVER, folder_id)
        for days, expected in ((7, 7), ("realm_default", None), ("unlimited", FOREVER)):
            await client.channels.update(
                channel_id=created.stream_id,
                topics_policy=TopicsPolicy.INHERIT,
                message_retention_days=days,
                folder_id=None,
                new_name=f"{days} days",
            )
            assert stored() == (f"{days} days", "inherit", expected, None)


async def test_each_setting_of_the_organization_is_sent_in_its_encoding(server: TestServer) -> None:
    async with Client.open(server.account("ada")) as client:
        for name, value in (
            ("jitsi_server_url", "https://meet.example.org"),
            ("message_retention_days", "unlimited"),
            ("message_content_edit_limit_seconds", "unlimited"),
            ("message_content_delete_limit_seconds", 60),
            ("default_language", "de"),
            ("waiting_period_threshold", 3),
            ("name", '"quoted"'),
        ):
            await client.organization.update(settings={name: value})
        assert server.organization.settings["name"] == '"quoted"'
        assert server.organization.settings["jitsi_server_url"] == "https://meet.example.org"
        assert server.organization.settings["message_content_edit_limit_seconds"] is None


async def test_a_note_to_oneself_can_be_scheduled(server: TestServer) -> None:
    me = server.id("ada")
    params = {"type": "direct", "to": [], "content": "x", "scheduled_delivery_timestamp": TO_COME}
    await server.refusal("ada", "POST", "/scheduled_messages", params)
    async with Client.open(server.account("ada")) as client:
        note = DirectDestination(frozenset())
        identity = await client.scheduled_messages.create(
            to=note, content="remember", scheduled_delivery_timestamp=TO_COME
        )
        channel = ChannelDestination(server.channel("general"), "later")
        await client.scheduled_messages.edit(scheduled_message_id=identity, to=channel)
        await client.scheduled_messages.edit(scheduled_message_id=identity, to=note)
        (scheduled,) = await client.scheduled_messages.list()
        assert scheduled.destination == DirectDestination(frozenset({me}))


async def test_notification_settings_of_a_channel_are_booleans(server: TestServer) -> None:
    data = [{"stream_id": server.channel("general"), "property": "push_notifications", "value": None}]
    path = "/users/me/subscriptions/properties"
    await server.refusal("ada", "POST", path, {"subscription_data": data})
    async with Client.open(server.account("ada")) as client:
        with pytest.raises(InvalidInput):
            await client.subscriptions.update(
                channel_id=server.channel("general"), properties={"push_notifications": None}
            )


async def test_a_hidden_email_address_is_not_a_recipient(server: TestServer) -> None:
    await server.call("bruno", "PATCH", "/settings", {"email_address_visibility": 4})
    hidden = server.user("bruno").delivery_email
    for name in ("ada", "bruno"):
        message = {"type": "direct", "to": json.dumps([hidden]), "content": "x"}
        refusal = await server.refusal(name, "POST", "/messages", message)
        assert refusal["msg"] == f"Invalid email '{hidden}'"
        narrow = [{"operator": "sender", "operand": hidden}]
        params = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}
        refusal = await server.refusal(name, "GET", "/messages", params)
        assert refusal["msg"] == f"Invalid narrow operator: unknown user {hidden}"


SHAPES = re.compile(r"(\w+)(\[\d+\])*(\[\"\w+\"\])? (is not|is too|field is missing)")


def refused_for_their_shape() -> list[tuple[str, str, str, dict[str, Any], str]]:
    """(file, method, path, params, parameter) of recorded requests that a real server rejected for the form
    of a parameter; without requests to a single object, which does not exist here.
    """
    found = []
    for name, capture in recorded_responses():
        request, response = capture["request"], capture["response"]
        match = SHAPES.match(str(response.get("msg", "")))
        path = request["path"].removeprefix("/api/v1")
        if (
            capture["status"] == 400
            and match
            and not re.search(r"\d", path)
            and isinstance(request.get("params"), dict)
        ):
            found.append((name, request["method"], path, request["params"], match[1]))
    return found


@needs_recordings
async def test_malformed_requests_that_a_zulip_server_rejected_are_rejected(
    server: TestServer,
) -> None:
    kinder = []
    requests = refused_for_their_shape()
    for name, method, path, params, parameter in requests:
        sent = {key: Bare(value) if isinstance(value, str) else value for key, value in params.items()}
        response = await server.raw("ada", method, path, sent)
        if response.status_code != 400:  # another error, such as an unknown channel, may come first
            kinder.append((name, parameter, response.status_code))
    assert len(requests) > 20
    assert not kinder, kinder
