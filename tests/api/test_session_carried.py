"""What a session does with messages that may have changed since it knew them: those of the state before a new
snapshot, and cached ones; no server, no real time.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.sync.earlier_messages import may_be_lost
from narrowcast_api.sync.session import Session
from narrowcast_api.sync.synchronizer import COMPARE_AFTER
from support.clock import VirtualClock
from support.live import CHIYO, GENERAL, RANDOM, SOUP, channel_message, make_state, message_event
from support.session_service import Service, after_a_new_snapshot, after_events, on_its_way
from support.sessions import known, until


def topics(session: Session) -> list[str]:
    return [topic.name for topic in session.state.topics.of(GENERAL)]


async def cache(session: Session, *rows: dict[str, Any]) -> None:
    """Caches messages without adding them to the state."""
    cache = session.storage.cache
    cache.post(cache.save_messages, [read_message(row) for row in rows])
    await cache.run(cache.load_newest, 1)


async def test_a_topic_whose_messages_were_deleted_unnoticed_is_not_listed(
    service: Service, session: Session
) -> None:
    await after_events(session, service, message_event(channel_message(101, "gone")))
    await after_a_new_snapshot(session, service, max_message_id=102)
    assert "gone" in topics(session), "until the list is loaded"
    await session.loader.topics(GENERAL)
    assert topics(session) == []


async def test_a_topic_that_arrives_while_the_list_is_requested_is_listed(
    service: Service, session: Session
) -> None:
    service.channel_leaves.clear()
    loading = asyncio.create_task(session.loader.topics(GENERAL))
    await until(lambda: f"/users/me/{GENERAL}/topics" in service.asked)
    await after_events(session, service, message_event(channel_message(101, "just now")))
    service.channel_leaves.set()
    await loading
    assert "just now" in topics(session)


async def test_a_topic_that_is_renamed_while_the_list_is_requested_has_its_new_name_only(
    service: Service, session: Session
) -> None:
    await after_events(session, service, message_event(channel_message(101)))
    service.topics = [{"name": "soup", "max_id": 101}]
    service.channel_leaves.clear()
    loading = asyncio.create_task(session.loader.topics(GENERAL))
    await until(lambda: f"/users/me/{GENERAL}/topics" in service.asked)
    service.topics = [{"name": "stew", "max_id": 101}]
    place = {"stream_id": GENERAL, "orig_subject": "soup", "subject": "stew", "propagate_mode": "change_all"}
    await after_events(
        session, service, {"type": "update_message", "message_id": 101, "message_ids": [101], **place}
    )
    service.channel_leaves.set()
    await loading
    assert topics(session) == ["stew"]


async def test_cached_messages_of_a_renamed_topic_do_not_bring_its_old_name_back(
    service: Service, session: Session
) -> None:
    await session.loader.topics(GENERAL)
    await cache(session, channel_message(90))
    assert list(session.view(SOUP).ids) == [90]
    assert topics(session) == []


async def test_cached_messages_have_the_flags_that_the_snapshot_gives_them(
    service: Service, session: Session
) -> None:
    await after_events(session, service)
    unread = {"stream_id": GENERAL, "topic": "soup", "unread_message_ids": [91]}
    await after_a_new_snapshot(
        session,
        service,
        unread_msgs={"streams": [unread], "pms": [], "huddles": [], "mentions": [], "count": 1},
        starred_messages=[91],
    )
    await cache(session, channel_message(90), channel_message(91, flags=["read"]))
    assert list(session.view(SOUP).ids) == [90, 91]
    assert [known(session, number).flags for number in (90, 91)] == [{"read"}, {"starred"}]


async def test_a_cached_message_that_changes_while_it_is_fetched_has_what_changed_before_too(
    service: Service, session: Session
) -> None:
    await cache(session, channel_message(90))
    view = session.view(SOUP)
    tada = {
        "emoji_name": "tada",
        "emoji_code": "1f389",
        "reaction_type": "unicode_emoji",
        "user_id": CHIYO,
    }
    service.messages = {90: {**channel_message(90), "content": "<p>edited before the start</p>"}}
    opening = await on_its_way(service, view.open())
    service.messages[90]["reactions"] = [tada]
    await after_events(session, service, {"type": "reaction", "op": "add", "message_id": 90, **tada})
    service.page_leaves.set()
    await opening
    assert known(session, 90).content == "<p>edited before the start</p>"
    assert len(known(session, 90).reactions) == 1


async def test_what_a_restored_server_has_lost_is_found_nowhere(service: Service, session: Session) -> None:
    await after_events(session, service, message_event(channel_message(190, "gone")))
    hidden = {**channel_message(191, "gone"), "stream_id": RANDOM}
    await cache(session, channel_message(90, "gone"), channel_message(180, "gone"), hidden)
    await after_a_new_snapshot(session, service, max_message_id=100)
    found = await session.search_cached(Narrow((Term("topic", "gone"),)))
    assert [hit.message.id for hit in found.hits] == [191, 90], "nobody tells what happens in other channels"
    assert 190 not in session.state.messages
    assert session.state.max_message_id == 100


@pytest.mark.parametrize("deleted", [False, True], ids=["all is there", "the newest one was deleted"])
async def test_a_star_on_a_message_of_a_channel_without_subscription_is_sent_after_a_new_snapshot(
    service: Service, session: Session, deleted: bool
) -> None:
    await after_events(session, service)
    newest = max(message.id for message in session.state.messages)
    session.state.add_messages([read_message(channel_message(newest + 9, "far", channel_id=RANDOM))])
    if deleted:
        place = {"stream_id": GENERAL, "topic": "elsewhere"}
        gone = {"type": "delete_message", "message_type": "stream", "message_id": newest, **place}
        service.tell(gone)
        await until(lambda: newest not in session.state.messages)
    service.go_mute()
    await until(lambda: not session.is_live)
    await session.message_actions.flag(newest + 9, "starred", True)
    service.is_mute = False
    service.lose_queue(max_message_id=newest - deleted)
    assert isinstance(session.clock, VirtualClock)
    await session.clock.advance(120)
    await until(lambda: "/messages/flags" in service.asked)
    assert newest + 9 in session.state.messages


def test_what_may_be_lost_is_told_for_each_message() -> None:
    before, now = make_state(max_message_id=104), make_state(max_message_id=104)
    far, near = channel_message(110, channel_id=RANDOM), channel_message(105)
    before.add_messages([read_message(far)])
    lost = [may_be_lost(message_id, 104, before, now) for message_id in (104, 109, 110)]
    assert lost == [False, True, False], "nothing is known of the second"
    assert [may_be_lost(message_id, 103, before, now) for message_id in (103, 110)] == [False, True]
    before.add_messages([read_message(near)])
    assert [may_be_lost(message_id, 104, before, now) for message_id in (105, 110)] == [True, True]


async def found(session: Session, topic: str) -> list[int]:
    result = await session.search_cached(Narrow((Term("topic", topic),)))
    return [hit.message.id for hit in result.hits]


async def test_a_server_without_any_message_has_lost_all(service: Service, session: Session) -> None:
    await after_events(session, service, message_event(channel_message(101, "gone")))
    await after_a_new_snapshot(session, service, max_message_id=-1)
    assert await found(session, "gone") == []
    assert 101 not in session.state.messages


async def test_messages_whose_ids_a_restored_server_gave_to_others_are_found_nowhere(
    service: Service, session: Session
) -> None:
    await after_events(session, service, message_event(channel_message(101, "gone")))
    await cache(session, channel_message(90, "gone"), channel_message(150, "gone"))
    service.messages = {150: channel_message(150, "soup", sender=CHIYO)}
    await after_a_new_snapshot(session, service, max_message_id=200)
    assert await found(session, "gone") == [150, 101, 90], "nothing shows yet what has happened"
    assert isinstance(session.clock, VirtualClock)
    await session.clock.advance(COMPARE_AFTER)
    await until(lambda: 101 not in session.state.messages)
    assert await found(session, "gone") == []


async def test_a_page_shows_that_a_server_was_restored(service: Service, session: Session) -> None:
    await after_events(session, service)
    await cache(session, channel_message(90, "gone"), channel_message(150, "gone"))
    gone = session.view(Narrow.topic(GENERAL, "gone"))
    assert list(gone.ids) == [90, 150]
    taken = {**channel_message(150, "soup"), "timestamp": 1_900_000_000}
    service.messages = {150: taken, 160: channel_message(160, "soup")}
    session.view(SOUP)  # it is on screen, and fetched again
    await after_a_new_snapshot(session, service, max_message_id=200)
    await until(lambda: not gone.ids)
    assert [await found(session, topic) for topic in ("gone", "soup")] == [[], [160, 150]]
    assert known(session, 150).timestamp == 1_900_000_000


async def test_messages_that_were_edited_moved_or_deleted_show_no_restored_server(
    service: Service, session: Session
) -> None:
    await after_events(session, service)
    await cache(session, channel_message(90, "soup"), channel_message(150, "soup"), channel_message(151))
    service.messages = {
        90: {**channel_message(90, "soup"), "content": "<p>edited</p>", "last_edit_timestamp": 1_900_000_000},
        150: channel_message(150, "stew", channel_id=RANDOM),
    }
    await after_a_new_snapshot(session, service, max_message_id=200)
    assert isinstance(session.clock, VirtualClock)
    before = len(service.asked)
    await session.clock.advance(COMPARE_AFTER)
    await until(lambda: "/messages" in service.asked[before:])
    await session.view(SOUP).open()
    assert await found(session, "soup") == [151, 90]


async def test_nothing_is_compared_if_nothing_was_cached(service: Service, session: Session) -> None:
    assert isinstance(session.clock, VirtualClock)
    await session.clock.advance(COMPARE_AFTER)
    assert "/messages" not in service.asked
