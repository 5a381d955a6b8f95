"""Moving messages: the notices it causes, and how long messages may be moved, edited and deleted."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.clock import VirtualClock
from support.server import TestServer

pytestmark = pytest.mark.usefixtures("clock")

ALL = {"propagate_mode": "change_all"}
LEEWAY = 20
"""Extra seconds for edits that were begun in time."""


async def newest(server: TestServer, channel: str, topic: str) -> str:
    """The content of the newest message in a topic."""
    (message,) = await server.newest("ada", 1, channel=channel, topic=topic)
    text: str = message["content"]
    return text


async def test_notices_name_the_other_topic_of_the_same_channel(server: TestServer) -> None:
    message_id = await server.send("dario", "general", "old")
    await server.send("dario", "general", "old", "stays")
    fields = {
        "topic": "new",
        "send_notification_to_old_thread": True,
        "send_notification_to_new_thread": True,
    }
    await server.call("dario", "PATCH", f"/messages/{message_id}", fields)
    by = f"by @_**Dario Vance|{server.id('dario')}**."
    link = f"[A message](#narrow/channel/{server.channel('general')}-general/topic/new/near/{message_id})"
    assert await newest(server, "general", "new") == f"{link} was moved here from #**general>old** {by}"
    assert (
        await newest(server, "general", "old")
        == f"A message was moved from this topic to #**general>new** {by}"
    )


@pytest.mark.parametrize(
    ("source", "target", "named"), [("support", "engineering", True), ("engineering", "support", False)]
)
async def test_a_notice_in_a_web_public_channel_names_no_channel_that_is_not_web_public(
    server: TestServer, source: str, target: str, named: bool
) -> None:
    message_id = await server.send("ada", source, "plans")
    move = {"stream_id": server.channel(target), "topic": "news"}
    await server.call("ada", "PATCH", f"/messages/{message_id}", move)
    text = await newest(server, target, "news")
    assert text.startswith("This topic was moved here")
    assert (f"from #**{source}>plans**" in text) is named


async def test_unresolving_a_topic_posts_a_notice(server: TestServer, clock: VirtualClock) -> None:
    message_id = await server.send("dario", "general", "bug")
    for topic, state in (("✔ bug", "resolved"), ("bug", "unresolved")):
        await server.call("elif", "PATCH", f"/messages/{message_id}", {"topic": topic, **ALL})
        text = await newest(server, "general", topic)
        assert text == f"@_**Elif Kaya|{server.id('elif')}** has marked this topic as {state}."
        clock.jump(61)


async def test_a_notice_is_sent_to_the_old_topic_of_a_resolved_one_if_requested(server: TestServer) -> None:
    message_id = await server.send("dario", "general", "bug")
    move = {"topic": "✔ bug", "send_notification_to_old_thread": True, **ALL}
    await server.call("elif", "PATCH", f"/messages/{message_id}", move)
    by = f"by @_**Elif Kaya|{server.id('elif')}**."
    assert await newest(server, "general", "bug") == f"This topic was moved to #**general>✔ bug** {by}"
    assert "marked this topic as resolved" in await newest(server, "general", "✔ bug")


async def test_resolving_and_unresolving_a_topic_at_once_leaves_no_notice(server: TestServer) -> None:
    message_id = await server.send("dario", "general", "bug")
    for topic in ("✔ bug", "bug"):
        await server.call("elif", "PATCH", f"/messages/{message_id}", {"topic": topic, **ALL})
    assert [row["id"] for row in await server.newest("ada", channel="general", topic="bug")] == [message_id]


CHANGES: Mapping[str, tuple[str, dict[str, object] | None]] = {
    "message_content_edit_limit_seconds": ("PATCH", {"content": "changed"}),
    "message_content_delete_limit_seconds": ("DELETE", None),
    "move_messages_within_stream_limit_seconds": ("PATCH", {"topic": "elsewhere"}),
    "move_messages_between_streams_limit_seconds": ("PATCH", {"stream_id": 0}),
}


async def change(server: TestServer, setting: str, message_id: int) -> int:
    """Attempts the change that a setting limits and returns the status."""
    method, fields = CHANGES[setting]
    if fields is not None and "stream_id" in fields:
        fields = {"stream_id": server.channel("engineering")}
    return (await server.raw("dario", method, f"/messages/{message_id}", fields)).status_code


@pytest.mark.parametrize("setting", CHANGES)
async def test_the_time_limit_for_changes_is_exact_to_the_second(
    server: TestServer, clock: VirtualClock, setting: str
) -> None:
    await server.call("ada", "PATCH", "/realm", {setting: 1})
    for seconds, status in ((1 + LEEWAY, 200), (2 + LEEWAY, 400)):
        message_id = await server.send("dario", "general", f"after {seconds}")
        clock.jump(seconds)
        assert await change(server, setting, message_id) == status


@pytest.mark.parametrize("setting", CHANGES)
async def test_without_a_limit_messages_may_be_changed_at_any_time(
    server: TestServer, clock: VirtualClock, setting: str
) -> None:
    await server.call("ada", "PATCH", "/realm", {setting: "unlimited"})
    message_id = await server.send("dario", "general", "old")
    clock.jump(10**8)
    assert await change(server, setting, message_id) == 200


async def test_a_rejected_move_returns_the_first_message_that_can_be_moved(
    server: TestServer, clock: VirtualClock
) -> None:
    await server.call("ada", "PATCH", "/realm", {"move_messages_within_stream_limit_seconds": 60})
    for _ in range(2):
        await server.send("dario", "general", "long")
    clock.jump(1)
    first = await server.send("dario", "general", "long")
    clock.jump(60 + LEEWAY)
    last = await server.send("dario", "general", "long")
    fields = {"topic": "short", **ALL}
    refusal = await server.refusal("dario", "PATCH", f"/messages/{last}", fields)
    assert refusal["code"] == "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
    assert refusal["first_message_id_allowed_to_move"] == first
    assert (refusal["total_messages_in_topic"], refusal["total_messages_allowed_to_move"]) == (4, 2)
    await server.call("chiyo", "PATCH", f"/messages/{last}", fields)
