"""Unsubscribed channels: no event reports what happens there, yet nothing may be missing."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_server.rules import access
from support.altered_servers import Event, sending_events_to
from support.fault_proxy import FaultProxy
from support.server import TestServer, running_server
from support.sessions import session_of, sessions, until


def subscribers_only(server: TestServer) -> AbstractContextManager[None]:
    """Some servers send the event of a message to subscribers only, not to its sender."""

    def inside(event: Event, people: set[int]) -> set[int]:
        if event["type"] != "message":
            return people
        return people & set(access.subscriber_ids(server.organization, event["message"]["stream_id"]))

    return sending_events_to(server, inside)


async def leave(server: TestServer, name: str) -> None:
    await server.call(name, "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})


async def test_a_message_sent_to_an_unsubscribed_channel_appears_once(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await leave(server, "dario")
        before = await server.send("ada", "general", "soup")
        async with sessions(server, tmp_path, "dario") as (dario,):
            view = dario.view(Narrow.topic(server.channel("general"), "soup"))
            await view.open()
            assert list(view.ids) == [before]
            with subscribers_only(server):
                unseen = await server.send("ada", "general", "soup")
                dario.outbox.send(ChannelDestination(server.channel("general"), "soup"), "hello")
                await until(lambda: not dario.outbox.entries() and len(view.ids) == 3)
            assert list(view.ids)[:2] == [before, unseen]
            message = dario.state.messages.get(view.ids[-1])
            assert message is not None
            assert message.content == "<p>hello</p>"


async def test_a_view_that_receives_no_events_is_fetched_each_time_it_is_opened(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await leave(server, "dario")
        first = await server.send("ada", "general", "soup")
        async with sessions(server, tmp_path, "dario") as (dario,):
            view = dario.view(Narrow.topic(server.channel("general"), "soup"))
            await view.open()
            second = await server.send("ada", "general", "soup")
            await view.open()
            assert list(view.ids) == [first, second]


async def test_who_comes_back_to_a_channel_sees_what_was_said_in_between(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        first = await server.send("ada", "general", "soup")
        async with sessions(server, tmp_path, "dario") as (dario,):
            general = server.channel("general")
            view = dario.view(Narrow.topic(general, "soup"))
            await view.open()
            await leave(server, "dario")
            await until(lambda: not view.has_events)
            second = await server.send("ada", "general", "soup")
            await dario.client.subscriptions.add(channels=["general"])
            third = await server.send("ada", "general", "soup")
            await until(lambda: list(view.ids) == [first, second, third])


async def test_a_view_on_screen_is_fetched_once_when_one_subscribes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []
    request = Connection.request

    async def counting(self: Connection, method: str, path: str, *rest: Any, **given: Any) -> Any:
        if (method, path) == ("GET", "/messages"):
            fetched.append(path)
        return await request(self, method, path, *rest, **given)

    async with running_server(tmp_path / "server") as server:
        await leave(server, "dario")
        first = await server.send("ada", "general", "soup")
        async with sessions(server, tmp_path, "dario") as (dario,):
            view = dario.view(Narrow.channel(server.channel("general")))
            await view.open()
            second = await server.send("ada", "general", "soup")
            monkeypatch.setattr(Connection, "request", counting)
            await dario.client.subscriptions.add(channels=["general"])
            await until(lambda: list(view.ids) == [first, second] and not view.is_stale)
            third = await server.send("ada", "general", "soup")
            await until(lambda: third in view.ids)
            assert len(fetched) == 1


async def test_what_was_read_without_a_network_is_marked_after_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        unread = await server.send("ada", "general", "soup")
        account = server.account("dario")
        through = type(account)(proxy.url, account.email, account.key)
        async with session_of(through, tmp_path) as dario:
            assert unread in dario.state.unreads
            await proxy.refuse()
            await until(lambda: not dario.is_live)
            dario.read_marks.seen([unread])
        await proxy.listen()
        async with session_of(through, tmp_path) as dario:
            await until(lambda: unread not in dario.state.unreads)


async def test_earlier_messages_show_when_a_channel_shares_its_history(tmp_path: Path) -> None:
    """No event delivers these messages; found on a live server."""
    async with running_server(tmp_path / "server") as server:
        operations = server.channel("operations")
        before = await server.send("dario", "operations", "soup")
        params = {"subscriptions": [{"name": "operations"}], "principals": [server.id("elif")]}
        await server.call("bruno", "POST", "/users/me/subscriptions", params)
        async with sessions(server, tmp_path, "elif") as (elif_,):
            view = elif_.view(Narrow.topic(operations, "soup"))
            await view.open()
            assert list(view.ids) == []
            shared = {"is_private": True, "history_public_to_subscribers": True}
            await server.call("bruno", "PATCH", f"/streams/{operations}", shared)
            await until(lambda: list(view.ids) == [before])
