"""Messages that the notification bot sends by itself, in the words of a live Zulip server."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_server.first_run import prepare
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from support.server import TestServer


def mention(server: TestServer, name: str) -> str:
    user = server.user(name)
    return f"@_**{user.full_name}|{user.id}**"


async def subscribe(
    server: TestServer, names: list[str], people: list[str], **more: object
) -> dict[str, object]:
    subscriptions = [{"name": name} for name in names]
    fields = {"subscriptions": subscriptions, "principals": [server.id(one) for one in people], **more}
    return await server.call("ada", "POST", "/users/me/subscriptions", fields)


async def direct(server: TestServer, name: str) -> list[str]:
    rows = await server.newest(name, 1000, **{"is": "dm"})
    return [row["content"] for row in rows]


async def test_users_are_notified_of_channels_that_others_subscribe_them_to(server: TestServer) -> None:
    response = await subscribe(server, ["support"], ["elif", "ada", "iris"])
    assert response["new_subscription_messages_sent"] is True
    assert await direct(server, "elif") == [f"{mention(server, 'ada')} subscribed you to #**support**."]
    await subscribe(server, ["fresh"], ["elif"])
    quiet = await subscribe(server, ["support"], ["farid"], send_new_subscription_messages=False)
    assert "new_subscription_messages_sent" not in quiet
    await subscribe(server, ["support", "design", "brand new"], ["greta"])
    assert len(await direct(server, "elif")) == 1, "nobody is told of a channel that was just made"
    assert await direct(server, "farid") == []
    assert await direct(server, "greta") == [
        f"{mention(server, 'ada')} subscribed you to the following channels:\n\n* #**design**\n* #**support**"
    ]
    assert await direct(server, "ada") == []


async def test_users_are_notified_of_groups_that_others_add_them_to(server: TestServer) -> None:
    path = f"/user_groups/{await server.create_group('ada', 'cooks', 'ada')}/members"
    await server.call("ada", "POST", path, {"add": [server.id("elif")]})
    await server.call("ada", "POST", path, {"delete": [server.id("elif"), server.id("ada")]})
    by = mention(server, "ada")
    assert await direct(server, "elif") == [
        f"{by} added you to the group @_*cooks*.",
        f"{by} removed you from the group @_*cooks*.",
    ]
    assert await direct(server, "ada") == []


async def test_new_users_are_announced_in_the_configured_channel(server: TestServer) -> None:
    fields = {"email": "first@demo.example", "full_name": "First One", "password": "a long passphrase"}
    await server.call("ada", "POST", "/users", fields)
    await server.call("ada", "PATCH", "/realm", {"signup_announcements_stream_id": server.channel("general")})
    added = await server.call(
        "ada", "POST", "/users", {**fields, "email": "x@demo.example", "full_name": "X Y"}
    )
    (row,) = await server.newest("ada", channel="general", topic="signups")
    assert row["content"] == f"@_**X Y|{added['user_id']}** joined this organization."
    assert row["sender_full_name"] == "Notification Bot"


PRIVATE = "Private, protected history"
CHANGES: list[tuple[dict[str, object], str]] = [
    ({"new_name": "plans"}, "{by} renamed channel **design** to **plans**."),
    (
        {"description": "New *words*"},
        "{by} changed the description for this channel.\n\n* **Old description:**\n```` quote\n{old}\n````\n"
        "* **New description:**\n```` quote\nNew *words*\n````",
    ),
    (
        {"is_private": True, "history_public_to_subscribers": False},
        "{by} changed the [access permissions](/help/channel-permissions) for this channel from **Public** to "
        f"**{PRIVATE}**.",
    ),
    (
        {"message_retention_days": 30},
        "{by} has changed the [message retention period](/help/message-retention-policy) for this channel:\n"
        "* **Old retention period**: Forever\n* **New retention period**: 30 days\n\n"
        "Messages in this channel will now be automatically deleted 30 days after they are sent.",
    ),
    (
        {"can_send_message_group": {"new": {"direct_members": [2], "direct_subgroups": []}}},
        "{by} changed the [posting permissions](/help/channel-posting-policy) for this channel:\n\n"
        "* **Old**: @_*role:everyone*\n* **New**: {by}",
    ),
    ({"is_archived": True}, "Channel design has been archived."),
]


@pytest.mark.parametrize(("change", "text"), CHANGES, ids=[next(iter(change)) for change, _ in CHANGES])
async def test_changes_of_a_channel_are_announced_in_it_if_enabled(
    server: TestServer, change: dict[str, object], text: str
) -> None:
    identity = server.channel("design")
    await subscribe(server, ["design"], ["ada"])
    old = server.organization.channels[identity].description or "*No description.*"
    await server.call("ada", "PATCH", "/realm", {"send_channel_events_messages": True})
    await server.call("ada", "PATCH", f"/streams/{identity}", change)
    (row,) = await server.newest("ada", channel=identity, topic="channel events")
    assert row["content"] == text.format(by=mention(server, "ada"), old=old)


async def test_the_creator_of_a_new_channel_is_announced_if_enabled(server: TestServer) -> None:
    await subscribe(server, ["quiet"], ["ada"])
    assert await server.newest("ada", channel="quiet") == []
    await server.call("ada", "PATCH", "/realm", {"send_channel_events_messages": True})
    await subscribe(server, ["loud"], ["ada", "elif"])
    (row,) = await server.newest("ada", channel="loud", topic="channel events")
    text = "channel created by {}. **Description:**\n```` quote\n*No description.*\n````"
    assert row["content"] == "**Public** " + text.format(mention(server, "ada"))
    assert row["flags"] == ["read"]
    (row,) = await server.newest("elif", channel="loud", topic="channel events")
    assert row["flags"] == []


async def test_a_description_cannot_break_out_of_its_quote_block(server: TestServer) -> None:
    await server.call("ada", "PATCH", "/realm", {"send_channel_events_messages": True})
    identity = server.channel("design")
    await subscribe(server, ["design"], ["ada"])
    await server.call("ada", "PATCH", f"/streams/{identity}", {"description": "````"})
    (row,) = await server.newest("ada", channel=identity, topic="channel events")
    assert row["content"].endswith("* **New description:**\n````` quote\n````\n`````")


def test_a_new_organization_announces_channels_in_its_first_channel(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    organization = Organization(tmp_path / "data", ServerConfig(durable=False))
    try:
        prepare(organization, tmp_path / "data", demo=False)
        general = next(channel.id for channel in organization.channels.all() if channel.name == "general")
        names = ("new_stream_announcements_stream_id", "signup_announcements_stream_id")
        assert [organization.settings[name] for name in names] == [general, -1]
    finally:
        organization.close()
