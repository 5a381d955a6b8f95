"""What a session keeps of the messages that it knows when snapshots, pages and events cross; no server, no time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from narrowcast_api.account import Account
from narrowcast_api.errors import BadRequest
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.messages import Message, read_message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import Change, MessagesAdded, MessagesChanged
from narrowcast_api.sync.session import Session
from support.clock import VirtualClock
from support.live import (
    ADA,
    CHIYO,
    DESIGN,
    GENERAL,
    RANDOM,
    channel,
    channel_message,
    message_event,
    snapshot,
    subscription,
    user,
)
from support.scripted import unread
from support.sessions import until

SOUP = Narrow.topic(GENERAL, "soup")


class Service(httpx.AsyncBaseTransport):
    """Answers registration with `snapshot`, pages with `messages`, and tells events; all else it takes."""

    def __init__(self) -> None:
        self.snapshot = snapshot()
        self.messages: dict[int, dict[str, Any]] = {}
        self.channels: dict[int, str] = {GENERAL: "general", DESIGN: "design", RANDOM: "random"}
        self.page_leaves = asyncio.Event()
        self.page_leaves.set()
        self.channel_leaves = asyncio.Event()
        self.channel_leaves.set()
        self.asked: list[str] = []
        self.is_refusing = False
        self.is_closed = False
        self._events: list[dict[str, Any]] = []
        self._is_lost = False
        self._news = asyncio.Event()
        self.told = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/v1")
        self.asked.append(path)
        status, answer = 200, dict[str, Any](drafts=[], count=0)
        if path == "/register" and self.is_refusing:
            status, answer = 401, {"result": "error", "code": "UNAUTHORIZED", "msg": "Invalid API key"}
        elif path == "/register":
            answer = {**self.snapshot}
        elif path == "/events" and request.method == "GET":
            status, answer = await self._poll("dont_block=true" in str(request.url))
        elif path == "/messages" and request.method == "GET":
            found = [dict(message) for _, message in sorted(self.messages.items())]
            await self.page_leaves.wait()
            answer = {"messages": found, "found_oldest": True, "found_newest": True, "found_anchor": True}
        elif path.startswith("/streams/") or path.endswith("/topics"):
            await self.channel_leaves.wait()
            number = int(path.split("/")[2 if path.startswith("/streams/") else 3])
            if number in self.channels:
                answer = {"stream": channel(number, self.channels[number]), "topics": []}
            else:
                status, answer = 400, {"result": "error", "code": "BAD_REQUEST", "msg": "Invalid channel ID"}
        elif path.startswith("/messages/") and request.method == "GET":
            message = self.messages.get(int(path.rpartition("/")[2]))
            if message is None:
                status, answer = 400, {"result": "error", "code": "BAD_REQUEST", "msg": "Invalid message(s)"}
            else:
                answer = {"message": message}
        return unread(httpx.Response(status, json={"result": "success", "msg": "", **answer}))

    async def aclose(self) -> None:
        self.is_closed = True

    async def _poll(self, at_once: bool) -> tuple[int, dict[str, Any]]:
        while not (self._events or self._is_lost or at_once):
            self._news.clear()
            await self._news.wait()
        if self._is_lost:
            self._is_lost = False
            return 400, {"result": "error", "code": "BAD_EVENT_QUEUE_ID", "msg": "gone", "queue_id": "q1"}
        events, self._events = self._events, []
        return 200, {"events": events}

    def tell(self, *events: dict[str, Any]) -> None:
        """Hand events over, to be asked for."""
        for event in events:
            self.told += 1
            self._events.append({**event, "id": self.told})
        self._news.set()

    def lose_queue(self, **fields: object) -> None:
        """The queue is gone; registration gives this snapshot from now on."""
        self.snapshot = snapshot(queue_id="q2", last_event_id=self.told, **fields)
        self._is_lost = True
        self._news.set()


class ThreadsClock(VirtualClock):
    """Notes whether a thread of its own asked for the time."""

    def __init__(self) -> None:
        super().__init__()
        self.elsewhere = 0

    def now(self) -> float:
        self.elsewhere += threading.current_thread() is not threading.main_thread()
        return super().now()


@asynccontextmanager
async def live_session(
    folder: Path, service: Service, clock: VirtualClock | None = None, *, present: bool | None = False
) -> AsyncIterator[Session]:
    account = Account("http://chat.example", "user1@demo.example", Secret("k" * 32))
    opened = partial(
        Session.open,
        account,
        data_dir=folder / "data",
        cache_dir=folder / "cache",
        clock=clock or VirtualClock(),
        transport=service,
    )
    session = await (opened() if present is None else opened(present=present))
    running = asyncio.create_task(session.run())
    try:
        await until(lambda: session.is_live or session.status.kind is ConnectionKind.REFUSED)
        yield session
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await session.close()


def known(session: Session, message_id: int) -> Message:
    message = session.state.messages.get(message_id)
    assert message is not None
    return message


def edited(message_id: int, content: str) -> dict[str, Any]:
    return {
        "type": "update_message",
        "message_id": message_id,
        "message_ids": [message_id],
        "user_id": CHIYO,
        "flags": [],
        "edit_timestamp": 1_800_001_000,
        "rendering_only": False,
        "stream_id": GENERAL,
        "rendered_content": content,
        "content": content,
    }


def flagged(message_id: int, flag: str) -> dict[str, Any]:
    return {"type": "update_message_flags", "op": "add", "flag": flag, "messages": [message_id], "all": False}


async def arrives(session: Session, service: Service, message_id: int) -> None:
    """A message comes, alone."""
    service.tell(message_event(channel_message(message_id)))
    await until(lambda: message_id in session.state.messages)


async def after_events(session: Session, service: Service, *events: dict[str, Any]) -> None:
    """Tells events, and waits until they are applied."""
    last = 1000 + service.told
    service.tell(*events, message_event(channel_message(last, "elsewhere"), "read"))
    await until(lambda: last in session.state.messages)


async def after_a_new_snapshot(session: Session, service: Service, **fields: object) -> None:
    before = session.state
    service.lose_queue(**fields)
    await until(lambda: session.state is not before)


async def test_messages_stay_over_a_new_snapshot_with_what_it_says_of_them(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        unread_one, read_one, starred = (channel_message(number, "soup") for number in (101, 102, 103))
        await after_events(
            session,
            service,
            message_event(unread_one),
            message_event(read_one, "read"),
            message_event(starred, "read", "starred"),
        )
        now_unread = {"stream_id": GENERAL, "topic": "soup", "unread_message_ids": [102]}
        await after_a_new_snapshot(
            session,
            service,
            unread_msgs={"streams": [now_unread], "pms": [], "huddles": [], "mentions": [], "count": 1},
            starred_messages=[101],
        )
        assert [known(session, number).content for number in (101, 102, 103)] == [
            "<p>message 101</p>",
            "<p>message 102</p>",
            "<p>message 103</p>",
        ]
        assert [known(session, number).flags for number in (101, 102, 103)] == [
            {"read", "starred"},
            set(),
            {"read"},
        ]
        assert ("soup", 103) in [(topic.name, topic.max_id) for topic in session.state.topics.of(GENERAL)]


async def test_how_old_messages_were_read_stays_where_the_snapshot_does_not_go_back_that_far(
    tmp_path: Path,
) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(
            session,
            service,
            message_event(channel_message(101)),
            message_event(channel_message(102), "read"),
        )
        newer = {"stream_id": GENERAL, "topic": "soup", "unread_message_ids": [200]}
        await after_a_new_snapshot(
            session,
            service,
            unread_msgs={
                "streams": [newer],
                "pms": [],
                "huddles": [],
                "mentions": [],
                "count": 1,
                "old_unreads_missing": True,
            },
        )
        assert [known(session, number).is_read for number in (101, 102)] == [False, True]


async def test_nothing_is_kept_when_the_key_turns_out_to_be_somebody_elses(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(session, service, message_event(channel_message(101)))
        await after_a_new_snapshot(session, service, user_id=CHIYO)
        assert 101 not in session.state.messages


async def test_what_changed_while_its_page_was_on_its_way_is_asked_for_again(tmp_path: Path) -> None:
    service = Service()
    service.messages = {101: channel_message(101), 102: channel_message(102)}
    async with live_session(tmp_path, service) as session:
        service.page_leaves.clear()
        opening = asyncio.create_task(session.view(SOUP).open())
        await until(lambda: "/messages" in service.asked)
        for number in (101, 102):
            service.messages[number] = {**channel_message(number), "content": f"<p>changed {number}</p>"}
        await after_events(
            session, service, edited(101, "<p>changed 101</p>"), edited(102, "<p>changed 102</p>")
        )
        del service.messages[102]  # and it is gone when one asks
        service.page_leaves.set()
        await opening
        assert list(session.view(SOUP).ids) == [101]
        assert known(session, 101).content == "<p>changed 101</p>"


async def test_a_message_of_the_state_before_is_asked_for_again_when_it_changes_meanwhile(
    tmp_path: Path,
) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(session, service, message_event(channel_message(101)))
        service.messages = {101: {**channel_message(101), "content": "<p>while nobody listened</p>"}}
        await after_a_new_snapshot(session, service)
        service.page_leaves.clear()
        opening = asyncio.create_task(session.view(SOUP).open())
        await until(lambda: "/messages" in service.asked)
        tada = {
            "emoji_name": "tada",
            "emoji_code": "1f389",
            "reaction_type": "unicode_emoji",
            "user_id": CHIYO,
        }
        service.messages[101]["reactions"] = [tada]
        await after_events(session, service, {"type": "reaction", "op": "add", "message_id": 101, **tada})
        service.page_leaves.set()
        await opening
        assert known(session, 101).content == "<p>while nobody listened</p>"
        assert len(known(session, 101).reactions) == 1


async def test_a_flag_that_came_while_a_page_was_on_its_way_joins_what_the_page_says(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(
            session, service, message_event(channel_message(101)), message_event(channel_message(102))
        )
        service.messages = {
            number: {**channel_message(number), "content": "<p>as it is now</p>", "flags": ["read"]}
            for number in (101, 102)
        }
        service.page_leaves.clear()
        opening = asyncio.create_task(session.view(SOUP).open())
        await until(lambda: "/messages" in service.asked)
        await after_events(session, service, flagged(101, "starred"))
        service.page_leaves.set()
        await opening
        assert known(session, 101).content == known(session, 102).content == "<p>as it is now</p>"
        assert [known(session, number).flags for number in (101, 102)] == [{"starred"}, {"read"}]


async def test_of_two_pages_on_their_way_the_first_hears_of_events_after_the_second_is_given_up(
    tmp_path: Path,
) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(session, service, message_event(channel_message(101)))
        service.messages = {101: channel_message(101, flags=[])}
        service.page_leaves.clear()
        first = asyncio.create_task(session.view(SOUP).open())
        await until(lambda: service.asked.count("/messages") == 1)
        second = asyncio.create_task(session.view(Narrow.all()).open())
        await until(lambda: service.asked.count("/messages") == 2)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        await after_events(session, service, flagged(101, "starred"))
        service.page_leaves.set()
        await first
        assert known(session, 101).flags == {"starred"}


async def test_a_page_from_before_a_snapshot_adds_what_is_not_known_and_changes_nothing(
    tmp_path: Path,
) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(session, service, message_event(channel_message(102)))
        old = {"content": "<p>as it was</p>", "flags": []}
        service.messages = {number: {**channel_message(number), **old} for number in (101, 102)}
        service.page_leaves.clear()
        fetching = asyncio.create_task(session.fetch(SOUP, "newest", 10, 0, include_anchor=True))
        await until(lambda: "/messages" in service.asked)
        await after_a_new_snapshot(session, service, starred_messages=[101])
        service.page_leaves.set()
        page = await fetching
        assert [message.content for message in page.messages] == ["<p>as it was</p>", "<p>message 102</p>"]
        assert (known(session, 101).flags, known(session, 102).content) == (
            frozenset({"read", "starred"}),
            "<p>message 102</p>",
        )


async def test_a_page_tells_which_of_its_messages_are_new(tmp_path: Path) -> None:
    service = Service()
    told: list[Change] = []
    async with live_session(tmp_path, service) as session:
        await after_events(session, service, message_event(channel_message(101)))
        service.messages = {
            number: {**channel_message(number), "content": "<p>as it is now</p>", "flags": []}
            for number in (101, 102)
        }
        session.subscribe(told.extend)
        await session.fetch(SOUP, "newest", 10, 0, include_anchor=True)
        await until(lambda: MessagesAdded((102,)) in told)
        assert MessagesChanged((101,)) in told


async def test_a_message_is_fetched_by_its_id_once(tmp_path: Path) -> None:
    service = Service()
    service.messages = {7: channel_message(7)}
    async with live_session(tmp_path, service) as session:
        for _ in range(2):
            found = await session.load_message(7)
            assert found is not None
            assert found == known(session, 7)
        assert service.asked.count("/messages/7") == 1
        assert await session.load_message(8) is None


async def test_of_messages_in_no_view_exactly_the_newest_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast_api.sync.synchronizer.NEWEST_KEPT", 3)
    monkeypatch.setattr("narrowcast_api.sync.synchronizer.FORGOTTEN_AT_ONCE", 2)
    service = Service()
    async with live_session(tmp_path, service) as session:
        for number in range(101, 106):
            await arrives(session, service, number)
        assert sorted(message.id for message in session.state.messages) == [103, 104, 105]
        await arrives(session, service, 106)
        assert sorted(message.id for message in session.state.messages) == [103, 104, 105, 106]


@pytest.mark.parametrize("is_large", [False, True])
async def test_only_the_state_of_a_large_organization_is_built_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    monkeypatch.setattr("narrowcast_api.sync.synchronizer._LARGE", 5)
    service, clock = Service(), ThreadsClock()
    people = range(1, 7 if is_large else 6)
    service.snapshot["realm_users"] = [user(number, f"User {number}") for number in people]
    async with live_session(tmp_path, service, clock) as session:
        assert len(session.state.users) == len(people)
        assert bool(clock.elsewhere) is is_large


async def test_a_channel_that_became_private_unheard_goes_when_its_view_is_empty(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await session.view(Narrow.channel(RANDOM)).open()
        await until(lambda: f"/streams/{RANDOM}" in service.asked)
        assert session.state.channels.get(RANDOM) is not None, "the server still shows it"
        del service.channels[RANDOM]
        await session.view(Narrow.channel(RANDOM)).open()
        await until(lambda: session.state.channels.get(RANDOM) is None)


async def test_a_channel_that_became_private_unheard_goes_when_its_topics_are_refused(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        del service.channels[RANDOM]
        with pytest.raises(BadRequest):
            await session.load_topics(RANDOM)
        await until(lambda: session.state.channels.get(RANDOM) is None)


async def test_a_channel_that_one_is_in_or_that_is_archived_is_not_doubted(tmp_path: Path) -> None:
    service = Service()
    archived = channel(RANDOM, "random", is_archived=True)
    service.snapshot = snapshot(streams=[archived], never_subscribed=[archived])
    service.channels.clear()
    async with live_session(tmp_path, service) as session:
        for number in (GENERAL, RANDOM):
            await session.view(Narrow.channel(number)).open()
        await after_events(session, service)
        assert [path for path in service.asked if path.startswith("/streams/")] == []


async def test_a_channel_that_one_joined_while_it_was_looked_for_stays(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        del service.channels[RANDOM]
        service.channel_leaves.clear()
        await session.view(Narrow.channel(RANDOM)).open()
        await until(lambda: f"/streams/{RANDOM}" in service.asked)
        joined = {"type": "subscription", "op": "add", "subscriptions": [subscription(RANDOM, "random")]}
        await after_events(session, service, joined)
        service.channel_leaves.set()
        await after_events(session, service)
        assert session.state.channels.get(RANDOM) is not None


async def test_a_message_of_ones_own_of_which_no_event_came_is_fetched_and_shown(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        view = session.view(SOUP)
        await view.open()
        service.messages = {150: channel_message(150, sender=ADA)}
        await session.show_sent(150)
        assert list(view.ids) == [150]
        await session.show_sent(151)
        assert list(view.ids) == [150], "it is gone already"
        await after_events(session, service)
        assert service.asked.count("/messages") == 1, "events keep the view true"


async def test_what_is_on_screen_is_fetched_again_after_a_new_snapshot(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await session.view(SOUP).open()
        await after_events(session, service)
        service.messages = {150: channel_message(150)}
        await after_a_new_snapshot(session, service)
        await until(lambda: list(session.view(SOUP).ids) == [150])


@pytest.mark.parametrize("present", [True, None, False])
async def test_others_are_told_that_somebody_is_here_unless_nobody_is(
    tmp_path: Path, present: bool | None
) -> None:
    service = Service()
    async with live_session(tmp_path, service, present=present) as session:
        await after_events(session, service)
        if present is not False:
            await until(lambda: "/users/me/presence" in service.asked)
        assert ("/users/me/presence" in service.asked) is (present is not False)


async def test_who_asks_to_connect_again_is_heard_after_a_refused_key_and_before_there_is_anything(
    tmp_path: Path,
) -> None:
    service = Service()
    service.is_refusing = True
    async with live_session(tmp_path, service) as session:
        service.is_refusing = False
        assert session.status.kind is ConnectionKind.REFUSED
        session.reconnect()
        await until(lambda: session.is_live)
    still = await Session.open(session.account, data_dir=tmp_path / "d", cache_dir=tmp_path / "c")
    still.reconnect()
    await still.close()


async def test_the_services_are_woken_when_the_connection_becomes_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[bool] = []
    async with live_session(tmp_path, Service()) as session:
        monkeypatch.setattr(session.services, "wake", lambda: woken.append(session.is_live))
        for kind in (
            ConnectionKind.RECONNECTING,
            ConnectionKind.OFFLINE,
            ConnectionKind.LIVE,
            ConnectionKind.LIVE,
        ):
            session.set_status(ConnectionStatus(kind, 0.0))
        assert woken == [True]


async def test_what_the_cache_has_of_a_view_is_known_then_unless_something_newer_is(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service) as session:
        await after_events(
            session, service, message_event(channel_message(101)), message_event(channel_message(102))
        )
        account = session.account
    again = await Session.open(account, data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")
    again.state.messages.put(read_message({**channel_message(102), "content": "<p>newer</p>"}))
    assert list(again.view(SOUP).ids) == [101, 102]
    assert [known(again, number).content for number in (101, 102)] == ["<p>message 101</p>", "<p>newer</p>"]
    await again.close()


async def test_the_sockets_are_closed_with_the_session(tmp_path: Path) -> None:
    service = Service()
    async with live_session(tmp_path, service):
        assert not service.is_closed
    assert service.is_closed
