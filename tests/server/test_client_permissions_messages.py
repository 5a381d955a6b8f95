"""Writing, editing, moving and deleting: the client's prediction and the server's decision agree."""

from __future__ import annotations

import pytest

from narrowcast_api import permissions
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import TopicsPolicy
from narrowcast_server.rules.access import find_message
from support.permissions import PEOPLE, allowed, state_of
from support.server import TestServer

MINUTE = 60.0


def message_of(server: TestServer, message_id: int) -> Message:
    """A message as the client's state holds it."""
    stored = find_message(server.organization, message_id)
    assert stored is not None
    return Message(
        id=stored.id,
        sender_id=stored.sender_id,
        sender_name="",
        sender_email="",
        timestamp=int(stored.timestamp),
        content="",
        channel_id=stored.channel_id,
        topic=stored.topic,
    )


@pytest.mark.parametrize("of_organization", ["allow_empty_topic", "disable_empty_topic"])
@pytest.mark.parametrize(
    "of_channel", ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]
)
async def test_the_client_predicts_whether_a_channel_requires_a_topic(
    server: TestServer, of_organization: str, of_channel: str
) -> None:
    general = server.channel("general")
    await server.call("ada", "PATCH", "/realm", {"topics_policy": of_organization})
    if of_channel == "empty_topic_only":
        await server.call("ada", "POST", f"/streams/{general}/delete_topic", {"topic_name": "x"})
    await server.call("ada", "PATCH", f"/streams/{general}", {"topics_policy": of_channel})
    state = await state_of(server, "dario")
    wanted = of_organization if of_channel == "inherit" else of_channel
    assert permissions.topics_policy(state, general) is TopicsPolicy(wanted)
    for topic in ("", "soup"):
        said = permissions.topic_refusal(state, general, topic)
        message = {"type": "channel", "to": general, "topic": topic, "content": "x"}
        assert (said == "") is await allowed(server, "dario", "POST", "/messages", message), (topic, said)


async def test_older_servers_require_a_topic(server: TestServer) -> None:
    server.set_level(333)
    state = await state_of(server, "dario")
    assert permissions.topics_policy(state, server.channel("general")) is TopicsPolicy.DISABLE_EMPTY


async def test_the_client_predicts_in_which_channels_the_user_cannot_post(server: TestServer) -> None:
    owners = {"new": server.group("role:owners")}
    await server.call(
        "ada", "PATCH", f"/streams/{server.channel('design')}", {"can_send_message_group": owners}
    )
    await server.call("ada", "DELETE", f"/streams/{server.channel('engineering')}")
    for name in PEOPLE:
        state = await state_of(server, name)
        for channel in state.channels:
            said = permissions.write_refusal(state, ChannelDestination(channel.channel_id, "t"))
            message = {"type": "channel", "to": channel.channel_id, "topic": "t", "content": "x"}
            assert (said == "") is await allowed(server, name, "POST", "/messages", message), (
                name,
                channel.name,
                said,
            )
    state = await state_of(server, "dario")
    gone = permissions.write_refusal(state, ChannelDestination(999_999, "t"))
    assert gone.startswith("This channel no longer exists")


@pytest.mark.parametrize(
    ("setting", "holders"),
    [
        ("direct_message_permission_group", "role:nobody"),
        ("direct_message_permission_group", "role:owners"),
        ("direct_message_initiator_group", "role:administrators"),
    ],
)
async def test_the_client_predicts_whom_the_user_may_write_to(
    server: TestServer, setting: str, holders: str
) -> None:
    await server.send_direct("ada", ["dario"], "first")
    await server.call("ada", "PATCH", "/realm", {setting: {"new": server.group(holders)}})
    for name in ("ada", "dario", "elif"):
        for others in ([], ["ada"], ["bruno"], ["bruno", "elif"], ["ada", "elif"]):
            state = await state_of(server, name)
            ids = frozenset(server.id(other) for other in others) - {server.id(name)}
            said = permissions.write_refusal(state, DirectDestination(ids))
            to = sorted(ids) or [server.id(name)]
            message = {"type": "direct", "to": to, "content": "x"}
            done = await allowed(server, name, "POST", "/messages", message)
            assert (said == "") is done, (name, others, said)


async def test_deactivated_users_cannot_be_written_to(server: TestServer) -> None:
    await server.call("ada", "DELETE", f"/users/{server.id('elif')}")
    state = await state_of(server, "dario")
    said = permissions.direct_refusal(state, frozenset({server.id("elif")}))
    assert "has left" in said
    message = {"type": "direct", "to": [server.id("elif")], "content": "x"}
    assert not await allowed(server, "dario", "POST", "/messages", message)


@pytest.mark.parametrize("minutes", [0, 20])
@pytest.mark.parametrize("limits", [(600, "unlimited"), ("unlimited", 600)])
async def test_the_client_predicts_when_edits_and_deletions_are_too_late(
    server: TestServer, minutes: int, limits: tuple[object, object]
) -> None:
    for what, limit in zip(("edit", "delete"), limits, strict=True):
        await server.call("ada", "PATCH", "/realm", {f"message_content_{what}_limit_seconds": limit})
    for name in ("ada", "bruno", "dario", "hugo"):
        for operation in ("PATCH", "DELETE"):
            message_id = await server.send("dario", "general", "t")
            with server.organization.transaction():
                server.organization.store.execute(
                    "UPDATE messages SET timestamp = timestamp - ? WHERE id = ?",
                    int(minutes * MINUTE),
                    message_id,
                )
            state = await state_of(server, name)
            message = message_of(server, message_id)
            now = server.organization.now()
            if operation == "PATCH":
                said = permissions.edit_refusal(state, message, now)
                done = await allowed(
                    server, name, "PATCH", f"/messages/{message_id}", {"content": f"by {name}"}
                )
            else:
                said = permissions.delete_refusal(state, message, now)
                done = await allowed(server, name, "DELETE", f"/messages/{message_id}")
            assert (said == "") is done, (name, operation, said)
            if said and name == "dario":
                assert "for 10 minutes only" in said


@pytest.mark.parametrize(
    "setting", ["can_move_messages_between_topics_group", "can_move_messages_between_channels_group"]
)
@pytest.mark.parametrize("days", [0, 30])
async def test_the_client_predicts_who_may_move_messages_and_until_when(
    server: TestServer, setting: str, days: int
) -> None:
    await server.call("ada", "PATCH", "/realm", {setting: {"new": server.group("role:members")}})
    to_channel = setting.endswith("channels_group")
    for name in ("ada", "chiyo", "dario", "hugo"):
        message_id = await server.send("ada", "general", "t")
        with server.organization.transaction():
            server.organization.store.execute(
                "UPDATE messages SET timestamp = timestamp - ? WHERE id = ?", days * 86_400, message_id
            )
        state = await state_of(server, name)
        message = message_of(server, message_id)
        refusal = permissions.move_channel_refusal if to_channel else permissions.move_topic_refusal
        said = refusal(state, message, server.organization.now())
        change = {"stream_id": server.channel("engineering")} if to_channel else {"topic": "elsewhere"}
        done = await allowed(server, name, "PATCH", f"/messages/{message_id}", change)
        assert (said == "") is done, (name, said)


async def test_a_refusal_has_a_short_form_for_disabled_commands(server: TestServer) -> None:
    nobody = {"can_move_messages_between_channels_group": {"new": server.group("role:nobody")}}
    await server.call("ada", "PATCH", "/realm", nobody)
    message_id = await server.send("ada", "general", "t")
    state, message = await state_of(server, "dario"), message_of(server, message_id)
    now = server.organization.now()
    late = permissions.move_topic_refusal(state, message, now + 7 * 86_400 + 1)
    assert late == "Messages can be moved for 7 days only, and that time has passed."
    assert late.short == "only within 7 days"
    assert permissions.move_channel_refusal(state, message, now).short == "nobody"
    owners = permissions.only_owners(state, "change this")
    assert owners == "Only organization owners can change this; ask Ada Moreno."
    assert owners.short == "only organization owners"
    server.set_level(1)
    old = permissions.level_refusal(await state_of(server, "dario"), Gate.NEW_EMAIL)
    assert old == f"{Gate.NEW_EMAIL.title}: {old.short}."
    assert old.short.startswith("not supported by this server (level 1;")
    assert permissions.move_topic_refusal(state, message, now).short == ""


async def test_the_client_predicts_who_may_resolve_topics(server: TestServer) -> None:
    setting = {"can_resolve_topics_group": {"new": server.group("role:moderators")}}
    await server.call("ada", "PATCH", "/realm", setting)
    for name in ("ada", "chiyo", "dario"):
        message_id = await server.send("ada", "general", f"by {name}")
        state = await state_of(server, name)
        said = permissions.resolve_refusal(state, server.channel("general"))
        assert permissions.resolve_refusal(state, server.channel("general"), "")
        params = {"topic": f"✔ by {name}", "propagate_mode": "change_all"}
        assert (said == "") is await allowed(server, name, "PATCH", f"/messages/{message_id}", params), (
            name,
            said,
        )


async def test_drafts_are_synced_for_channels_that_the_user_can_read(server: TestServer) -> None:
    await server.call("ada", "DELETE", f"/streams/{server.channel('engineering')}")
    channels = ("general", "design", "engineering", "support", "operations", "leads")
    for name in PEOPLE:
        state = await state_of(server, name)
        for channel_id in (*map(server.channel, channels), 999):
            draft = {"type": "stream", "to": [channel_id], "topic": "lunch", "content": "soup"}
            refusal = permissions.draft_refusal(state, ChannelDestination(channel_id, "lunch"))
            kept = await allowed(server, name, "POST", "/drafts", {"drafts": [draft]})
            assert bool(refusal) is not kept, (name, channel_id, refusal)


@pytest.mark.parametrize("name", PEOPLE[:-1])
async def test_messages_in_an_archived_channel_cannot_be_changed(server: TestServer, name: str) -> None:
    channel = server.channel("general")
    sent = {"type": "channel", "to": channel, "topic": "t", "content": "x"}
    message = message_of(server, (await server.call(name, "POST", "/messages", sent))["id"])
    await server.call("ada", "DELETE", f"/streams/{channel}")
    state, now = await state_of(server, name), server.organization.now()
    archived = "#general is archived: its messages stay as they are."
    assert permissions.archived_change_refusal(state, channel) == archived
    assert permissions.delete_refusal(state, message, now) == archived
    assert permissions.move_channel_refusal(state, message, now) == archived
    path = f"/messages/{message.id}"
    assert not await allowed(server, name, "DELETE", path)
    assert not await allowed(server, name, "POST", f"{path}/reactions", {"emoji_name": "tada"})
    move = {"stream_id": server.channel("design")}
    assert not await allowed(server, name, "PATCH", path, move)


async def test_the_client_predicts_who_may_delete_topics(server: TestServer) -> None:
    general = server.channel("general")
    for name in PEOPLE:
        said = permissions.delete_topic_refusal(await state_of(server, name), general)
        params = {"topic_name": "nothing"}
        assert (said == "") is await allowed(server, name, "POST", f"/streams/{general}/delete_topic", params)


async def test_the_client_predicts_that_a_guest_can_only_read_a_web_public_channel(
    server: TestServer,
) -> None:
    support = server.channel("support")
    sent = {"type": "channel", "to": support, "topic": "t", "content": "x"}
    message_id = (await server.call("ada", "POST", "/messages", sent))["id"]
    star = {"messages": [message_id], "op": "add", "flag": "starred"}
    mute = {"stream_id": support, "topic": "t", "visibility_policy": 1}
    for name in ("dario", "hugo"):
        state = await state_of(server, name)
        for said, path, params in (
            (
                permissions.act_refusal(state, support),
                f"/messages/{message_id}/reactions",
                {"emoji_name": "tada"},
            ),
            (permissions.flag_refusal(state, support), "/messages/flags", star),
            (permissions.archived_change_refusal(state, support), "/user_topics", mute),
        ):
            assert (said == "") is await allowed(server, name, "POST", path, params), (name, path, said)
