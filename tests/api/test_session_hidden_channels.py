"""Channels that became private while the user was not in them, without an event; no server, no real time."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.errors import BadRequest
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.session import Session
from support.live import GENERAL, RANDOM, channel, channel_message, snapshot, subscription
from support.session_service import Service, after_events, live_session
from support.sessions import until


async def test_a_channel_that_became_private_unnoticed_is_removed_when_its_view_is_empty(
    service: Service, session: Session
) -> None:
    await session.view(Narrow.channel(RANDOM)).open()
    await until(lambda: f"/streams/{RANDOM}" in service.asked)
    assert session.state.channels.get(RANDOM) is not None, "the server still shows it"
    del service.channels[RANDOM]
    await session.view(Narrow.channel(RANDOM)).open()
    await until(lambda: session.state.channels.get(RANDOM) is None)


async def test_a_channel_that_became_private_unnoticed_is_removed_when_its_topics_are_refused(
    service: Service, session: Session
) -> None:
    del service.channels[RANDOM]
    with pytest.raises(BadRequest):
        await session.loader.topics(RANDOM)
    await until(lambda: session.state.channels.get(RANDOM) is None)


async def test_a_subscribed_or_archived_channel_is_not_checked(tmp_path: Path) -> None:
    service = Service()
    archived = channel(RANDOM, "random", is_archived=True)
    service.snapshot = snapshot(streams=[archived], never_subscribed=[archived])
    service.channels.clear()
    async with live_session(tmp_path, service) as session:
        for number in (GENERAL, RANDOM):
            await session.view(Narrow.channel(number)).open()
        await after_events(session, service)
        assert [path for path in service.asked if path.startswith("/streams/")] == []


@pytest.mark.parametrize(("level", "asked"), [(479, False), (480, True)])
async def test_topics_of_an_archived_channel_are_asked_for_from_480(
    tmp_path: Path, level: int, asked: bool
) -> None:
    service = Service()
    archived = channel(RANDOM, "random", is_archived=True)
    service.snapshot = snapshot(streams=[archived], never_subscribed=[archived], zulip_feature_level=level)
    async with live_session(tmp_path, service) as session:
        await session.loader.topics(RANDOM)
        assert (f"/users/me/{RANDOM}/topics" in service.asked) is asked


async def test_a_channel_that_shows_messages_is_not_checked(service: Service, session: Session) -> None:
    service.messages = {101: channel_message(101, channel_id=RANDOM)}
    await session.view(Narrow.channel(RANDOM)).open()
    await after_events(session, service)
    assert f"/streams/{RANDOM}" not in service.asked


async def test_a_channel_that_the_user_joined_during_the_check_stays(
    service: Service, session: Session
) -> None:
    del service.channels[RANDOM]
    service.channel_leaves.clear()
    await session.view(Narrow.channel(RANDOM)).open()
    await until(lambda: f"/streams/{RANDOM}" in service.asked)
    joined = {"type": "subscription", "op": "add", "subscriptions": [subscription(RANDOM, "random")]}
    await after_events(session, service, joined)
    service.channel_leaves.set()
    await after_events(session, service)
    assert session.state.channels.get(RANDOM) is not None
