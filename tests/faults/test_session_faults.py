"""Real sessions on a bad network: nothing is lost, duplicated or frozen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.records import OutboxState
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session
from support.fault_proxy import Fault, FaultProxy
from support.server import TestServer, running_server
from support.sessions import QUICK, sessions, until
from support.timing import RunningTime

EVENTS, REGISTER, MESSAGES = "/api/v1/events", "/api/v1/register", "/api/v1/messages"


class Bench:
    """Dario's session behind a proxy, with a view of a topic that Ada writes to."""

    def __init__(self, server: TestServer, proxy: FaultProxy, session: Session) -> None:
        self.server = server
        self.proxy = proxy
        self.session = session
        self.place = ChannelDestination(server.channel("general"), "soup")
        self.view: MessageView = session.view(Narrow.from_destination(self.place))

    async def say(self, text: str = "hello") -> int:
        return await self.server.send("ada", "general", "soup", text)

    async def on_server(self, text: str) -> int:
        """Returns how many messages have this text."""
        found = await self.server.newest("ada", channel=self.place.channel_id)
        return sum(message["content"] == text for message in found)

    def has(self, *message_ids: int) -> bool:
        return set(message_ids) <= set(self.view.ids) and not self.view.gaps


@asynccontextmanager
async def bench(tmp_path: Path, polling: bool = True) -> AsyncIterator[Bench]:
    async with (
        running_server(tmp_path / "server", config=QUICK) as server,
        FaultProxy(server.url) as proxy,
        sessions(server, tmp_path, "dario", site=proxy.url, polling=polling) as (dario,),
    ):
        made = Bench(server, proxy, dario)
        first = await made.say()
        await made.view.open()
        assert made.has(first)
        yield made


transports = pytest.mark.parametrize("polling", [True, False], ids=["long poll", "websocket"])


@transports
async def test_a_cut_connection_loses_no_message(tmp_path: Path, polling: bool) -> None:
    async with bench(tmp_path, polling) as b:
        await b.proxy.cut()
        sent = [await b.say(f"number {i}") for i in range(20)]
        await until(lambda: b.has(*sent))
        assert b.session.is_live


@transports
async def test_an_outage_is_shown_and_what_was_said_in_it_appears(tmp_path: Path, polling: bool) -> None:
    async with bench(tmp_path, polling) as b:
        await b.proxy.refuse()
        await until(lambda: b.session.status.kind is ConnectionKind.RECONNECTING)
        sent = [await b.say(f"number {i}") for i in range(3)]
        b.session.outbox.send(b.place, "from the tunnel")
        await b.proxy.listen()
        await until(lambda: b.session.is_live and b.has(*sent))
        await until(lambda: b.session.outbox.entries() == [])
        assert await b.on_server("from the tunnel") == 1
        assert len(b.view.ids) == len(set(b.view.ids)) == 5


@transports
async def test_a_connection_that_hangs_is_noticed_by_the_missing_heartbeat(
    tmp_path: Path, polling: bool
) -> None:
    async with bench(tmp_path, polling) as b:
        b.proxy.hang()
        sent = await b.say()
        await until(lambda: b.session.status.kind is not ConnectionKind.LIVE, 20)
        b.proxy.resume()
        await until(lambda: b.session.is_live and b.has(sent), 20)


@transports
async def test_a_request_that_is_cut_makes_a_silent_event_stream_be_asked_again(
    tmp_path: Path, polling: bool
) -> None:
    """Otherwise this server's missing heartbeat would be noticed after 60 s."""
    async with (
        running_server(tmp_path / "server") as server,
        FaultProxy(server.url) as proxy,
        sessions(server, tmp_path, "dario", site=proxy.url, polling=polling) as (dario,),
    ):
        b = Bench(server, proxy, dario)
        await b.view.open()
        if polling:
            await until(lambda: any(EVENTS in request for request in proxy.seen))
            proxy.fail(Fault.HELD_BEFORE, "GET", EVENTS, times=1)
            await b.say()  # if nothing else ends the current poll
            await until(lambda: proxy.held)
        else:
            proxy.silence_events()
        sent = await b.say()
        proxy.fail(Fault.LOST_BEFORE, "POST", MESSAGES, times=1)
        b.session.outbox.send(b.place, "cut")
        await until(lambda: b.has(sent), 20)


@transports
async def test_an_expired_queue_leaves_no_gap(tmp_path: Path, polling: bool) -> None:
    async with bench(tmp_path, polling) as b:
        await b.proxy.refuse()
        old = b.session.queue_id
        sent = [await b.say(f"number {i}") for i in range(3)]
        await b.server.call("dario", "DELETE", "/events", {"queue_id": old})
        b.session.outbox.send(b.place, "written meanwhile")
        draft = b.session.drafts.save(None, b.place, "half a thought")
        await b.proxy.listen()
        await until(lambda: b.session.is_live and b.has(*sent))
        assert b.session.queue_id != old
        await until(lambda: b.session.outbox.entries() == [])
        assert await b.on_server("written meanwhile") == 1
        kept = b.session.drafts.get(draft)
        assert kept is not None
        assert kept.content == "half a thought"


@pytest.mark.parametrize(
    "fault", [Fault.REFUSED_BY_GATEWAY, Fault.PORTAL, Fault.FAILED_AFTERWARDS, Fault.CUT_IN_BODY]
)
async def test_a_bad_response_to_a_poll_loses_nothing(tmp_path: Path, fault: Fault) -> None:
    async with bench(tmp_path) as b:
        b.proxy.fail(fault, "GET", EVENTS, times=1)
        sent = [await b.say(f"number {i}") for i in range(3)]
        await until(lambda: b.has(*sent))
        more = await b.say("after it")
        await until(lambda: b.session.is_live and b.has(more))


@pytest.mark.parametrize(
    "fault", [Fault.REFUSED_BY_GATEWAY, Fault.FAILED_AFTERWARDS, Fault.LOST_AFTERWARDS, Fault.PORTAL]
)
async def test_registration_that_fails_is_tried_again(tmp_path: Path, fault: Fault) -> None:
    async with bench(tmp_path) as b:
        b.proxy.fail(fault, "POST", REGISTER, times=1)
        await b.server.call("dario", "DELETE", "/events", {"queue_id": b.session.queue_id})
        sent = await b.say()
        await until(lambda: b.session.is_live and b.has(sent))


@pytest.mark.parametrize("fault", [Fault.FAILED_AFTERWARDS, Fault.LOST_AFTERWARDS, Fault.CUT_IN_BODY])
async def test_a_message_whose_response_is_lost_is_there_once(tmp_path: Path, fault: Fault) -> None:
    async with bench(tmp_path) as b:
        b.proxy.fail(fault, "POST", MESSAGES, times=1)
        b.session.outbox.send(b.place, "only once")
        await until(lambda: b.session.outbox.entries() == [])
        assert await b.on_server("only once") == 1


async def test_a_message_that_never_arrived_is_offered_again_and_sent_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        b.proxy.fail(Fault.REFUSED_BY_GATEWAY, "POST", MESSAGES, times=1)
        local_id = b.session.outbox.send(b.place, "never left")
        await until(lambda: b.session.outbox.entries()[0].state is OutboxState.FAILED, 15)
        assert await b.on_server("never left") == 0
        b.session.outbox.retry(local_id)
        await until(lambda: b.session.outbox.entries() == [], 15)
        assert await b.on_server("never left") == 1


async def test_a_slow_network_freezes_nothing(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        b.proxy.delay = 0.4
        with RunningTime() as clock:
            began = clock.mark()
            b.session.outbox.send(b.place, "slowly")
            b.session.typing.typed(b.place)
            b.session.drafts.save(None, b.place, "text")
            b.session.read_marks.seen(b.view.ids)
            assert b.session.outbox.entries()
            assert clock.since(began) < 0.2
        await until(lambda: b.session.outbox.entries() == [], 15)
        assert await b.on_server("slowly") == 1


async def test_what_was_read_offline_is_marked_later(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        unread = await b.say()
        await until(lambda: b.has(unread))
        await b.proxy.refuse()
        await until(lambda: not b.session.is_live)
        b.session.read_marks.seen([unread])
        await b.proxy.listen()
        await until(lambda: unread not in b.session.state.unreads)


async def test_a_view_opened_without_a_network_is_filled_when_it_returns(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        other = await b.server.send("ada", "general", "stew")
        await b.proxy.refuse()
        await until(lambda: not b.session.is_live)
        view = b.session.view(Narrow.topic(b.place.channel_id, "stew"))
        await view.open()
        assert view.error is not None
        await b.proxy.listen()
        await until(lambda: other in view.ids and view.error is None)


async def test_a_refused_key_is_told_and_nothing_is_thrown_away(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        user_id = b.server.id("dario")
        key = b.server.organization.users[user_id].api_key
        b.server.organization.users.update(user_id, api_key=b.server.organization.vault.seal("z" * 32))
        await b.proxy.refuse()
        await b.proxy.listen()
        await until(lambda: b.session.status.kind is ConnectionKind.REFUSED)
        b.session.outbox.send(b.place, "still here")
        b.server.organization.users.update(user_id, api_key=b.server.organization.vault.seal(key))
        b.session.reconnect()
        await until(lambda: b.session.outbox.entries() == [])
        assert await b.on_server("still here") == 1


async def test_closing_without_a_network_takes_no_longer_than_a_few_seconds(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        b.proxy.hang()
        with RunningTime() as clock:
            began = clock.mark()
            await b.session.close()
            assert clock.since(began) < 4


async def test_a_caller_that_gives_up_on_closing_still_finds_the_account_free(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        b.proxy.hang()
        with suppress(TimeoutError):
            async with asyncio.timeout(0.2):
                await b.session.close()
        folder = tmp_path / "dario"
        again = await Session.open(b.session.account, data_dir=folder / "data", cache_dir=folder / "cache")
        assert not again.read_only
        assert again.warnings == ()
        await again.close()
