"""Earlier places and texts of a message are shown only to users who may read it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.narrow.narrow import Narrow
from support.server import JsonObject, TestServer
from support.sessions import sessions, until

SAID = ("takeover", "severance")
"""Words from the earlier topic and the earlier text."""
CHANNELS = ("operations", "leads")


async def history(server: TestServer, name: str, message_id: int) -> list[JsonObject]:
    """The edit history of a message that a user receives."""
    response = await server.call(name, "GET", f"/messages/{message_id}/history")
    versions: list[JsonObject] = response["message_history"]
    return versions


async def listed(server: TestServer, name: str, message_id: int) -> list[JsonObject]:
    """`edit_history` of a message in a page of messages; asserts that fetching it alone gives the same."""
    narrow = [{"operator": "id", "operand": message_id}, {"operator": "channels", "operand": "public"}]
    fields = {"anchor": message_id, "num_before": 0, "num_after": 0, "narrow": narrow}
    (row,) = (await server.call(name, "GET", "/messages", fields))["messages"]
    alone = (await server.call(name, "GET", f"/messages/{message_id}"))["message"]
    assert row.get("edit_history") == alone.get("edit_history")
    entries: list[JsonObject] = row.get("edit_history", [])
    return entries


async def everything(server: TestServer, name: str, message_id: int) -> str:
    """All that the API returns to a user about a message and its current topic."""
    topics = await server.call(name, "GET", f"/users/me/{server.channel('general')}/topics")
    narrow = [{"operator": "channels", "operand": "public"}]
    newest = {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": narrow}
    page = await server.call(name, "GET", "/messages", newest)
    return str((await history(server, name, message_id), topics, page))


async def moved_out(server: TestServer, source: str) -> int:
    """A message that was renamed, edited and moved from a private channel to `general`, topic `news`."""
    mover = "bruno" if source == "operations" else "ada"
    message_id = await server.send(mover, source, "takeover", "the severance is ten")
    quiet: JsonObject = {"propagate_mode": "change_all", "send_notification_to_new_thread": False}
    path = f"/messages/{message_id}"
    await server.call(mover, "PATCH", path, {"topic": "takeover of Acme", **quiet})
    await server.call(mover, "PATCH", path, {"content": "nothing to see"})
    move = {"stream_id": server.channel("general"), "topic": "news", "send_notification_to_old_thread": True}
    await server.call(mover, "PATCH", path, {**move, "propagate_mode": "change_all"})
    return message_id


@pytest.mark.parametrize(
    ("source", "outsiders", "insiders"),
    [("operations", ("elif", "ada"), ("dario", "bruno")), ("leads", ("elif", "bruno"), ("chiyo", "ada"))],
)
async def test_a_message_moved_out_of_a_private_channel_reveals_nothing_of_it_to_others(
    server: TestServer, source: str, outsiders: tuple[str, ...], insiders: tuple[str, ...]
) -> None:
    listeners = {name: await server.listen(name) for name in (*outsiders, *insiders)}
    message_id = await moved_out(server, source)
    for name in outsiders:
        told = str(await listeners[name].events()) + await everything(server, name, message_id)
        # Administrators may know that a private channel exists.
        secrets = SAID if server.user(name).is_administrator else SAID + CHANNELS
        assert [word for word in secrets if word in told] == []
        assert await listed(server, name, message_id) == []
        (only,) = await history(server, name, message_id)
        assert (only["topic"], only["content"]) == ("news", "nothing to see")
    for name in insiders:
        events = await listeners[name].events("update_message")
        assert events[-1]["orig_subject"] == "takeover of Acme"
        assert events[-1]["stream_name"] == source
        versions = await history(server, name, message_id)
        assert [version["topic"] for version in versions] == [
            "takeover",
            "takeover of Acme",
            "takeover of Acme",
            "news",
        ]
        assert [entry.get("prev_topic") for entry in await listed(server, name, message_id)] == [
            "takeover of Acme",
            None,
            "takeover",
        ]


async def test_a_moved_message_is_new_for_users_who_cannot_know_the_old_channel(
    server: TestServer,
) -> None:
    listener = await server.listen("elif")
    message_id = await moved_out(server, "operations")
    (event,) = await listener.events("update_message")
    general = server.channel("general")
    assert (event["message_id"], event["message_ids"]) == (message_id, [message_id])
    assert (event["stream_id"], event["new_stream_id"], event["stream_name"]) == (general, general, "general")
    assert (event["orig_subject"], event["subject"]) == ("news", "news")


async def test_edits_after_a_move_are_shown_to_all(server: TestServer) -> None:
    message_id = await moved_out(server, "operations")
    await server.call("bruno", "PATCH", f"/messages/{message_id}", {"content": "something to see"})
    await server.call("bruno", "PATCH", f"/messages/{message_id}", {"topic": "more news"})
    versions = await history(server, "elif", message_id)
    assert [(version["topic"], version["content"]) for version in versions] == [
        ("news", "nothing to see"),
        ("news", "something to see"),
        ("more news", "something to see"),
    ]
    assert len(await listed(server, "elif", message_id)) == 2


async def test_a_new_subscriber_cannot_see_that_messages_left_the_protected_history(
    server: TestServer,
) -> None:
    message_id = await server.send("bruno", "operations", "takeover", "fine")
    await server.subscribe("bruno", "operations", "elif")
    listener = await server.listen("elif")
    move = {"stream_id": server.channel("general"), "topic": "news"}
    await server.call("bruno", "PATCH", f"/messages/{message_id}", move)
    await server.call(
        "elif", "POST", "/messages/flags", {"messages": [message_id], "op": "add", "flag": "starred"}
    )
    told = str(await listener.events("update_message", "message")) + await everything(
        server, "elif", message_id
    )
    assert "takeover" not in told
    assert "takeover" in await everything(server, "dario", message_id)


async def test_a_notice_does_not_name_topics_of_protected_history_to_new_subscribers(
    server: TestServer,
) -> None:
    message_id = await server.send("bruno", "operations", "takeover", "fine")
    await server.subscribe("bruno", "operations", "elif")
    listener = await server.listen("elif")
    await server.call("bruno", "PATCH", f"/messages/{message_id}", {"topic": "plans"})
    (event,) = await listener.events("message")
    assert "This topic was moved here by" in event["message"]["content"]
    assert "takeover" not in str(event)


async def test_users_who_lose_access_to_moved_messages_do_not_learn_where_they_went(
    server: TestServer,
) -> None:
    message_id = await server.send("bruno", "general", "news")
    listener = await server.listen("elif")
    move = {
        "stream_id": server.channel("operations"),
        "topic": "takeover",
        "send_notification_to_old_thread": True,
    }
    await server.call("bruno", "PATCH", f"/messages/{message_id}", move)
    events = await listener.events()
    assert {"delete_message", "message"} <= {event["type"] for event in events}
    assert "update_message" not in {event["type"] for event in events}
    assert "This topic was moved by" in str(events)
    assert [word for word in SAID + CHANNELS if word in str(events)] == []


async def test_a_guest_does_not_learn_the_name_of_a_public_channel_that_they_cannot_read(
    server: TestServer,
) -> None:
    message_id = await server.send("dario", "engineering", "takeover", "fine")
    listener = await server.listen("hugo")
    move = {"stream_id": server.channel("design"), "topic": "news"}
    await server.call("dario", "PATCH", f"/messages/{message_id}", move)
    told = str(await listener.events()) + str(await history(server, "hugo", message_id))
    assert "takeover" not in told
    assert "engineering" not in told


async def test_a_move_between_visible_conversations_is_shown_with_both(server: TestServer) -> None:
    message_id = await server.send("dario", "engineering", "old", "fine")
    listener = await server.listen("greta")
    await server.call("dario", "PATCH", f"/messages/{message_id}", {"topic": "new"})
    move = {"stream_id": server.channel("announcements"), "topic": "news"}
    await server.call("ada", "PATCH", f"/messages/{message_id}", move)
    told = await listener.events("update_message", "message")
    assert "engineering" in str([event["message"]["content"] for event in told if "message" in event])
    assert [event["orig_subject"] for event in told if event["type"] == "update_message"] == ["new"]
    assert len(await history(server, "greta", message_id)) == 3


async def test_a_move_through_a_private_channel_hides_the_history_before_it(
    server: TestServer,
) -> None:
    message_id = await server.send("bruno", "engineering", "first", "fine")
    for channel, topic in (("operations", "takeover"), ("general", "news")):
        move = {"stream_id": server.channel(channel), "topic": topic}
        await server.call("bruno", "PATCH", f"/messages/{message_id}", move)
    assert "takeover" not in await everything(server, "elif", message_id)
    assert await listed(server, "elif", message_id) == []
    assert len(await listed(server, "bruno", message_id)) == 2


async def test_the_app_shows_a_moved_message_in_its_new_place(server: TestServer, tmp_path: Path) -> None:
    async with sessions(server, tmp_path, "elif") as (elif_,):
        view = elif_.view(Narrow.topic(server.channel("general"), "news"))
        await view.open()
        message_id = await moved_out(server, "operations")
        await until(lambda: message_id in view.ids)
        message = elif_.state.messages.get(message_id)
        assert message is not None
        assert (message.channel_id, message.topic) == (server.channel("general"), "news")
        assert "takeover" not in [topic.name for topic in elif_.state.topics.of(server.channel("general"))]
