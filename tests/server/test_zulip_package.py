"""The unmodified `zulip` package from PyPI against the embedded server."""

from __future__ import annotations

import asyncio
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from narrowcast_server.first_run import account_file
from support.server import TestServer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import zulip

Response = dict[str, Any]


class Package:
    """The package's client, whose blocking calls run in a thread."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def __call__(self, name: str, *args: object, **fields: object) -> Response:
        method: Callable[..., Response] = getattr(self._client, name)
        return await asyncio.to_thread(method, *args, **fields)

    async def ok(self, name: str, *args: object, **fields: object) -> Response:
        response = await self(name, *args, **fields)
        assert response["result"] == "success", response
        return response


@pytest.fixture
async def package(server: TestServer) -> Package:
    user = server.user("ada")

    def make() -> Any:
        return zulip.Client(
            email=user.delivery_email, api_key=user.api_key, site=server.url, retry_on_errors=False
        )

    return Package(await asyncio.to_thread(make))


async def test_the_zulip_package_sends_reads_edits_and_deletes(server: TestServer, package: Package) -> None:
    request = {"type": "stream", "to": "general", "topic": "t", "content": "hi"}
    message_id = (await package.ok("send_message", request))["id"]
    direct = {"type": "private", "to": [server.id("bruno")], "content": "psst"}
    await package.ok("send_message", direct)
    response = await package.ok(
        "get_messages", {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": []}
    )
    assert len(response["messages"]) == 2
    await package.ok("update_message", {"message_id": message_id, "content": "hello"})
    assert (await package.ok("get_raw_message", message_id))["raw_content"] == "hello"
    assert len((await package.ok("get_message_history", message_id))["message_history"]) == 2
    await package.ok("add_reaction", {"message_id": message_id, "emoji_name": "octopus"})
    await package.ok("remove_reaction", {"message_id": message_id, "emoji_name": "octopus"})
    await package.ok("update_message_flags", {"messages": [message_id], "op": "add", "flag": "starred"})
    await package.ok("render_message", {"content": "**x**"})
    narrow = [{"operator": "has", "operand": "link"}]
    await package.ok("check_messages_match_narrow", msg_ids=[message_id], narrow=narrow)
    await package.ok("mark_all_as_read")
    await package.ok("mark_stream_as_read", server.channel("general"))
    await package.ok("mark_topic_as_read", server.channel("general"), "t")
    await package.ok("delete_message", message_id)


async def test_the_zulip_package_registers_and_gets_events(server: TestServer, package: Package) -> None:
    registration = await package.ok("register", event_types=["message"])
    queue = {"queue_id": registration["queue_id"], "last_event_id": registration["last_event_id"]}
    waiting = asyncio.create_task(package.ok("get_events", **queue))
    await server.send("bruno", "general", "t", "news")
    (event,) = (await waiting)["events"]
    assert event["message"]["content"] == "news"
    await package.ok("deregister", registration["queue_id"])
    refused = await package("get_events", **queue)
    assert refused["code"] == "BAD_EVENT_QUEUE_ID"


async def test_the_zulip_package_manages_users_and_groups(server: TestServer, package: Package) -> None:
    await package.ok("get_profile")
    assert len((await package.ok("get_members"))["members"]) == 10
    await package.ok("get_user_by_id", server.id("bruno"))
    new = {"email": "new@demo.example", "password": "long enough", "full_name": "New Person"}
    user_id = (await package.ok("create_user", new))["user_id"]
    await package.ok("update_user_by_id", user_id, full_name="Newer Person")
    await package.ok("deactivate_user_by_id", user_id)
    await package.ok("reactivate_user_by_id", user_id)
    await package.ok("update_presence", {"status": "active"})
    await package.ok("get_user_presence", "ada@demo.example")
    await package.ok("get_realm_presence")
    group = {"name": "team", "description": "d", "members": [server.id("ada")]}
    await package.ok("create_user_group", group)
    group_id = server.group("team")
    await package.ok("get_user_groups")
    await package.ok("update_user_group", {"group_id": group_id, "name": "crew", "description": "d"})
    await package.ok("update_user_group_members", group_id, {"add": [server.id("bruno")]})
    await package.ok("remove_user_group", group_id)


async def test_the_zulip_package_manages_channels_and_topics(server: TestServer, package: Package) -> None:
    await package.ok("add_subscriptions", [{"name": "fresh", "description": "new"}])
    assert "fresh" in [row["name"] for row in (await package.ok("get_subscriptions"))["subscriptions"]]
    fresh = (await package.ok("get_stream_id", "fresh"))["stream_id"]
    await package.ok("get_streams")
    assert (await package.ok("get_subscribers", stream="fresh"))["subscribers"]
    data = [{"stream_id": fresh, "property": "pin_to_top", "value": True}]
    await package.ok("update_subscription_settings", data)
    await package.ok("mute_topic", {"stream": "fresh", "topic": "t", "op": "add"})
    await package.ok("send_message", {"type": "stream", "to": "fresh", "topic": "t", "content": "x"})
    message_id = (
        await package.ok("send_message", {"type": "stream", "to": "fresh", "topic": "t", "content": "y"})
    )["id"]
    await package.ok("get_stream_topics", fresh)
    await package.ok("move_topic", "fresh", "general", "t", "u", message_id, "change_all", True, True)
    await package.ok("remove_subscriptions", ["fresh"])
    await package.ok("delete_stream", fresh)
    await package.ok("set_typing_status", {"op": "start", "to": [server.id("bruno")]})


async def test_the_zulip_package_configures_the_organization_and_the_user(package: Package) -> None:
    assert (await package.ok("get_server_settings"))["realm_name"]
    pattern, template = "#(?P<id>[0-9]+)", "https://x.example/{id}"
    linkifier = await package.ok("add_realm_filter", pattern, template)
    (listed,) = (await package.ok("get_realm_linkifiers"))["linkifiers"]
    assert (listed["id"], listed["pattern"], listed["url_template"]) == (linkifier["id"], pattern, template)
    await package.ok("remove_realm_filter", linkifier["id"])
    assert (await package.ok("get_realm_linkifiers"))["linkifiers"] == []
    assert (await package.ok("get_realm_emoji"))["emoji"] == {}
    await package.ok("add_alert_words", ["soup"])
    assert (await package.ok("get_alert_words"))["alert_words"] == ["soup"]
    await package.ok("remove_alert_words", ["soup"])
    assert (await package.ok("get_alert_words"))["alert_words"] == []
    await package.ok("update_notification_settings", {"enable_sounds": False})
    assert (await package.ok("register"))["user_settings"]["enable_sounds"] is False


async def test_the_zulip_package_stores_and_reads_the_data_of_a_bot(server: TestServer) -> None:
    bot = server.user("iris")

    def make() -> Any:
        return zulip.Client(
            email=bot.delivery_email, api_key=bot.api_key, site=server.url, retry_on_errors=False
        )

    client = Package(await asyncio.to_thread(make))
    await client.ok("update_storage", {"storage": {"a": "1", "b": "2"}})
    assert (await client.ok("get_storage"))["storage"] == {"a": "1", "b": "2"}
    assert (await client.ok("get_storage", {"keys": ["a"]}))["storage"] == {"a": "1"}


async def test_the_zulip_package_uploads_a_file(package: Package) -> None:
    file = io.BytesIO(b"hello")
    file.name = "hello.txt"
    uploaded = await package.ok("upload_file", file)
    assert uploaded["uri"].startswith("/user_uploads/")
    assert (await package.ok("get_attachments"))["attachments"]


async def test_the_zulip_package_reads_the_account_file(server: TestServer, tmp_path: Path) -> None:
    path = tmp_path / "zuliprc"
    path.write_text(account_file(server.organization, server.user("ada")))
    client = Package(
        await asyncio.to_thread(lambda: zulip.Client(config_file=str(path), retry_on_errors=False))
    )
    assert (await client.ok("get_profile"))["email"] == "ada@demo.example"
