"""What a session does by itself when it starts, connects, reconnects and ends; no server, no real time."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.model.messages import read_message
from narrowcast_api.sync.session import Session
from support.clock import VirtualClock
from support.live import SOUP, channel_message, message_event, user
from support.session_service import Service, after_a_new_snapshot, after_events, live_session
from support.sessions import known, until


class ThreadsClock(VirtualClock):
    """Counts the calls from other threads than the main one."""

    def __init__(self) -> None:
        super().__init__()
        self.elsewhere = 0

    def now(self) -> float:
        self.elsewhere += threading.current_thread() is not threading.main_thread()
        return super().now()


@pytest.mark.parametrize("is_large", [False, True])
async def test_only_the_state_of_a_large_organization_is_built_beside_the_loop(
    tmp_path: Path, is_large: bool
) -> None:
    service, clock = Service(), ThreadsClock()
    people = range(1, 5_002 if is_large else 5_001)
    service.snapshot["realm_users"] = [user(number, f"User {number}") for number in people]
    async with live_session(tmp_path, service, clock) as session:
        assert len(session.state.users) == len(people)
        assert bool(clock.elsewhere) is is_large


async def test_what_is_on_screen_is_fetched_again_after_a_new_snapshot(
    service: Service, session: Session
) -> None:
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
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[bool] = []
    monkeypatch.setattr(session.services, "wake", lambda: woken.append(session.is_live))
    for kind in (
        ConnectionKind.RECONNECTING,
        ConnectionKind.OFFLINE,
        ConnectionKind.LIVE,
        ConnectionKind.LIVE,
    ):
        session.synchronizer.on_status(ConnectionStatus(kind, 0.0))
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
