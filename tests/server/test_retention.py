"""Messages that expire, deleted by the server itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.uploads.files import Folder
from support.clock import VirtualClock
from support.server import TestServer, running_server

DAY = 86_400


@dataclass
class Aging:
    """A server and its clock."""

    server: TestServer
    clock: VirtualClock

    async def ages(self, days: float) -> None:
        """Advances the clock and lets the server delete expired messages."""
        self.clock.jump(days * DAY)
        await self.clock.advance(601)

    async def left(self, name: str = "ada") -> list[str]:
        """The contents of the messages that a user can read."""
        params = {"anchor": "oldest", "num_before": 0, "num_after": 100, "apply_markdown": False}
        response = await self.server.call(name, "GET", "/messages", params)
        return [message["content"] for message in response["messages"]]

    async def keep(self, **params: object) -> None:
        """Changes the organization's settings."""
        await self.server.call("ada", "PATCH", "/realm", params)


@pytest.fixture
async def aging(tmp_path: Path) -> AsyncIterator[Aging]:
    """A server with batches of two messages, so that one run has several."""
    clock = VirtualClock()
    config = ServerConfig()
    config = replace(config, limits=replace(config.limits, delete_batch=2))
    async with running_server(tmp_path / "data", config=config, clock=clock) as server:
        yield Aging(server, clock)


async def test_messages_are_kept_forever_by_default(aging: Aging) -> None:
    await aging.server.send("ada", "general", "t", "old")
    await aging.server.send_direct("ada", ["dario"], "old, too")
    await aging.ages(4000)
    assert await aging.left() == ["old", "old, too"]


async def test_expired_messages_are_deleted_for_all_users(aging: Aging) -> None:
    ids = [await aging.server.send("ada", "general", "t", f"old {number}") for number in range(5)]
    direct = await aging.server.send_direct("ada", ["dario"], "old, too")
    await aging.keep(message_retention_days=30)
    await aging.ages(29)
    await aging.server.send("ada", "general", "t", "new")
    listener = await aging.server.listen("dario", client_capabilities={"bulk_message_deletion": True})
    assert len(await aging.left()) == 7
    await aging.ages(1.1)
    assert await aging.left() == ["new"]
    events = await listener.events("delete_message")
    assert sorted(i for event in events for i in event["message_ids"]) == sorted([*ids, direct])


async def test_a_channel_may_have_a_longer_shorter_or_unlimited_retention(aging: Aging) -> None:
    days = {"general": 3, "engineering": "unlimited", "announcements": None}
    for channel, value in days.items():
        path = f"/streams/{aging.server.channel(channel)}"
        params = {"message_retention_days": "realm_default" if value is None else value}
        await aging.server.call("ada", "PATCH", path, params)
        await aging.server.send("ada", channel, "t", channel)
    await aging.keep(message_retention_days=10)
    await aging.ages(4)
    assert await aging.left() == ["engineering", "announcements"]
    await aging.ages(7)
    assert await aging.left() == ["engineering"]


@pytest.mark.parametrize("value", [0, -2, 1.5, "soon", True, 10**9])
async def test_an_invalid_number_of_days_is_rejected(server: TestServer, value: object) -> None:
    params = {"message_retention_days": value}
    await server.refusal("ada", "PATCH", "/realm", params)
    await server.refusal("ada", "PATCH", f"/streams/{server.channel('design')}", params)


async def test_the_retention_of_an_organization_can_be_unlimited_again(aging: Aging) -> None:
    await aging.keep(message_retention_days=5)
    await aging.keep(message_retention_days="unlimited")
    await aging.server.send("ada", "general", "t", "old")
    await aging.ages(50)
    assert await aging.left() == ["old"]
    assert (await aging.server.listen("ada")).snapshot["realm_message_retention_days"] == -1


async def test_files_are_deleted_with_the_last_message_that_links_to_them(aging: Aging) -> None:
    server = aging.server
    links = []
    for name in ("old.txt", "both.txt", "draft.txt", "unsent.txt"):
        response = await server.raw("ada", "POST", "/user_uploads", files={"file": (name, b"hello")})
        links.append(f"[{name}]({response.json()['url']})")
    await server.send("ada", "general", "t", " ".join(links[:3]))
    await aging.keep(message_retention_days=30)
    await aging.ages(29)
    await server.send("ada", "general", "t", links[1])
    draft = {"type": "stream", "to": [server.channel("general")], "topic": "t", "content": links[2]}
    await server.call("ada", "POST", "/drafts", {"drafts": [draft]})
    listener = await server.listen("ada")
    await aging.ages(2)
    left = (await server.call("ada", "GET", "/attachments"))["attachments"]
    assert sorted(one["name"] for one in left) == ["both.txt", "draft.txt", "unsent.txt"]
    assert len(await listener.events("attachment")) == 1
    files = [
        Folder(server.organization).file(link.partition("/user_uploads/")[2].rstrip(")")) for link in links
    ]
    assert [file is not None and file.is_file() for file in files] == [False, True, True, True]
