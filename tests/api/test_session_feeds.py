"""The combined feed leaves out muted channels and topics, the feed of a channel its muted topics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.feeds import fetched_narrow
from narrowcast_api.sync.message_view import MessageView
from narrowcast_server.organization.errors import bad_narrow
from narrowcast_server.queries import narrow as server_narrow
from support.server import TestServer, running_server
from support.sessions import sessions, until


async def mute(server: TestServer, topic: str, policy: int = 1, channel: str = "general") -> None:
    params = {"stream_id": server.channel(channel), "topic": topic, "visibility_policy": policy}
    await server.call("ada", "POST", "/user_topics", params)


async def mute_channel(server: TestServer, *, muted: bool = True) -> None:
    row = {"stream_id": server.channel("general"), "property": "is_muted", "value": muted}
    await server.call("ada", "POST", "/users/me/subscriptions/properties", {"subscription_data": [row]})


@pytest.mark.parametrize("knows_in", [True, False])
async def test_feeds_leave_out_what_is_muted_and_topics_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knows_in: bool
) -> None:
    def refuse(*args: object) -> None:
        raise bad_narrow("unknown operator in")

    async with running_server(tmp_path / "server") as server:
        if not knows_in:
            monkeypatch.setitem(server_narrow._HANDLERS, "in", refuse)
        general = server.channel("general")
        soup = [await server.send("bruno", "general", "soup", f"{number}") for number in range(150)]
        bread = [await server.send("bruno", "general", "bread", f"{number}") for number in range(3)]
        other = await server.send("bruno", "engineering", "build", "red")
        await mute(server, "soup")
        async with sessions(server, tmp_path, "ada") as (session,):
            await until(lambda: session.state.is_muted(general, "soup"))
            feed, channel = session.view(Narrow.all()), session.view(Narrow.channel(general))
            topic = session.view(Narrow.topic(general, "soup"))
            for view in (feed, channel, topic):
                await view.open("newest")
                assert view.error is None
            assert shown(feed, [*bread, other]), feed.ids
            assert shown(channel, bread)
            assert topic.ids[-1] == soup[-1]
            new = [await server.send("bruno", "general", name, "new") for name in ("soup", "bread")]
            await until(lambda: feed.ids[-1] == channel.ids[-1] == new[1] and topic.ids[-1] == new[0])
            await mute_channel(server)
            await until(lambda: feed.is_stale)
            await feed.open("newest")
            await channel.open("newest")
            assert shown(feed, [other])
            assert shown(channel, [*bread, new[1]])
            await mute(server, "bread", policy=2)
            await until(lambda: feed.is_stale)
            await feed.open("newest")
            assert shown(feed, [*bread, other, new[1]])


def shown(view: MessageView, wanted: Sequence[int]) -> bool:
    """Whether a view ends with these messages, and shows no other ones among them."""
    return list(view.ids)[-len(wanted) :] == sorted(wanted)


async def test_a_message_that_is_moved_out_of_a_muted_topic_joins_the_feed(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await mute(server, "soup")
        moved, _ = [await server.send("bruno", "general", "soup", text) for text in ("hot", "cold")]
        last = await server.send("bruno", "general", "bread", "fresh")
        async with sessions(server, tmp_path, "ada") as (session,):
            await until(lambda: session.state.is_muted(server.channel("general"), "soup"))
            feed = session.view(Narrow.all())
            await feed.open("newest")
            assert shown(feed, [last])
            await server.call("bruno", "PATCH", f"/messages/{moved}", {"topic": "bread"})
            await until(lambda: moved in feed.ids)


async def test_a_feed_opened_at_a_muted_message_is_at_the_next_one(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        muted = await server.send("bruno", "general", "soup", "hot")
        following = await server.send("bruno", "general", "bread", "fresh")
        await mute(server, "soup")
        async with sessions(server, tmp_path, "ada") as (session,):
            await until(lambda: session.state.is_muted(server.channel("general"), "soup"))
            view = session.view(Narrow.channel(server.channel("general")))
            await view.open(muted)
            assert view.anchor == following
            search = Narrow.search("hot", view.narrow)
            assert fetched_narrow(search, session.state) == search


async def test_the_feed_of_a_muted_channel_goes_on_behind_many_muted_messages(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        first = await server.send("bruno", "general", "bread", "fresh")
        for number in range(250):
            await server.send("bruno", "general", "soup", f"{number}")
        await mute(server, "soup")
        await mute_channel(server)
        async with sessions(server, tmp_path, "ada") as (session,):
            general = server.channel("general")
            await until(lambda: session.state.is_muted(general, "soup"))
            view = session.view(Narrow.channel(general))
            await view.open("newest")
            assert view.ids[-1] == first
