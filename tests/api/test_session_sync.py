"""What a session keeps of messages when snapshots, pages and events cross; no server, no real time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import Change, MessagesAdded, MessagesChanged
from narrowcast_api.sync.session import Session
from support.live import ADA, CHIYO, GENERAL, SOUP, channel_message, message_event, snapshot
from support.session_service import (
    Service,
    after_a_new_snapshot,
    after_events,
    live_session,
    on_its_way,
)
from support.sessions import known, until


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


async def test_messages_survive_a_new_snapshot_with_the_flags_that_it_gives_them(
    service: Service, session: Session
) -> None:
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


async def test_messages_older_than_the_snapshot_reaches_keep_their_read_state(
    service: Service,
    session: Session,
) -> None:
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


async def test_nothing_is_kept_when_the_key_turns_out_to_belong_to_another_user(
    service: Service, session: Session
) -> None:
    await after_events(session, service, message_event(channel_message(101)))
    await after_a_new_snapshot(session, service, user_id=CHIYO)
    assert 101 not in session.state.messages


async def test_a_message_that_changed_while_its_page_was_being_fetched_is_fetched_again(
    service: Service, session: Session
) -> None:
    service.messages = {101: channel_message(101), 102: channel_message(102)}
    opening = await on_its_way(service, session.view(SOUP).open())
    for number in (101, 102):
        service.messages[number] = {**channel_message(number), "content": f"<p>changed {number}</p>"}
    await after_events(session, service, edited(101, "<p>changed 101</p>"), edited(102, "<p>changed 102</p>"))
    del service.messages[102]  # already deleted when it is fetched
    service.page_leaves.set()
    await opening
    assert list(session.view(SOUP).ids) == [101]
    assert known(session, 101).content == "<p>changed 101</p>"


async def test_a_message_of_the_state_before_is_asked_for_again_when_it_changes_meanwhile(
    service: Service,
    session: Session,
) -> None:
    await after_events(session, service, message_event(channel_message(101)))
    service.messages = {101: {**channel_message(101), "content": "<p>while nobody listened</p>"}}
    await after_a_new_snapshot(session, service)
    opening = await on_its_way(service, session.view(SOUP).open())
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


async def test_a_flag_that_came_while_a_page_was_on_its_way_joins_what_the_page_says(
    service: Service, session: Session
) -> None:
    await after_events(
        session, service, message_event(channel_message(101)), message_event(channel_message(102))
    )
    service.messages = {
        number: {**channel_message(number), "content": "<p>as it is now</p>", "flags": ["read"]}
        for number in (101, 102)
    }
    opening = await on_its_way(service, session.view(SOUP).open())
    await after_events(session, service, flagged(101, "starred"))
    service.page_leaves.set()
    await opening
    assert known(session, 101).content == known(session, 102).content == "<p>as it is now</p>"
    assert [known(session, number).flags for number in (101, 102)] == [{"starred"}, {"read"}]


async def test_flags_set_on_unknown_messages_while_their_page_was_on_its_way_are_kept(
    service: Service, session: Session
) -> None:
    service.messages = {101: channel_message(101, flags=["read"]), 102: channel_message(102, flags=[])}
    opening = await on_its_way(service, session.view(SOUP).open())
    await after_events(session, service, flagged(101, "starred"), flagged(102, "read"))
    service.page_leaves.set()
    await opening
    assert [known(session, number).flags for number in (101, 102)] == [{"read", "starred"}, {"read"}]


async def test_a_pending_page_still_receives_events_after_a_second_one_is_cancelled(
    service: Service,
    session: Session,
) -> None:
    await after_events(session, service, message_event(channel_message(101)))
    service.messages = {101: channel_message(101, flags=[])}
    first = await on_its_way(service, session.view(SOUP).open())
    second = await on_its_way(service, session.view(Narrow.all()).open())
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    await after_events(session, service, flagged(101, "starred"))
    service.page_leaves.set()
    await first
    assert known(session, 101).flags == {"starred"}


async def test_a_page_requested_before_a_snapshot_adds_unknown_messages_and_changes_no_known_ones(
    service: Service,
    session: Session,
) -> None:
    await after_events(session, service, message_event(channel_message(102)))
    old = {"content": "<p>as it was</p>", "flags": []}
    service.messages = {number: {**channel_message(number), **old} for number in (101, 102)}
    fetching = await on_its_way(service, session.pages.fetch(SOUP, "newest", 10, 0, include_anchor=True))
    await after_a_new_snapshot(session, service, starred_messages=[101])
    service.page_leaves.set()
    page = await fetching
    assert [message.content for message in page.messages] == ["<p>as it was</p>", "<p>message 102</p>"]
    assert (known(session, 101).flags, known(session, 102).content) == (
        frozenset({"read", "starred"}),
        "<p>message 102</p>",
    )


async def test_messages_fetched_by_id_during_a_new_snapshot_have_the_flags_that_it_gives_them(
    service: Service, session: Session
) -> None:
    await after_events(session, service)
    service.messages = {101: channel_message(101, flags=[])}
    loading = await on_its_way(service, session.loader.messages([101]))
    await after_a_new_snapshot(session, service, starred_messages=[101])
    service.page_leaves.set()
    await loading
    assert known(session, 101).flags == {"read", "starred"}


async def test_a_page_tells_which_of_its_messages_are_new(service: Service, session: Session) -> None:
    told: list[Change] = []
    await after_events(session, service, message_event(channel_message(101)))
    service.messages = {
        number: {**channel_message(number), "content": "<p>as it is now</p>", "flags": []}
        for number in (101, 102)
    }
    session.subscribe(told.extend)
    await session.pages.fetch(SOUP, "newest", 10, 0, include_anchor=True)
    await until(lambda: MessagesAdded((102,)) in told)
    assert MessagesChanged((101,)) in told


async def test_a_message_is_fetched_by_its_id_once(service: Service, session: Session) -> None:
    service.messages = {7: channel_message(7)}
    for _ in range(2):
        found = await session.loader.message(7)
        assert found is not None
        assert found == known(session, 7)
    assert service.asked.count("/messages/7") == 1
    assert await session.loader.message(8) is None


async def test_a_message_by_its_id_is_taken_from_a_page_where_older_servers_send_only_its_source(
    tmp_path: Path,
) -> None:
    service = Service()
    service.snapshot = snapshot(zulip_feature_level=65)
    service.messages = {number: channel_message(number) for number in (6, 7)}
    async with live_session(tmp_path, service) as session:
        found = await session.loader.message(7)
        assert found is not None
        assert found == known(session, 7)
        assert 6 not in session.state.messages
        assert await session.loader.message(8) is None
    assert "/messages/7" not in service.asked


async def arrives(session: Session, service: Service, message_id: int) -> None:
    """Delivers the event of one message."""
    service.tell(message_event(channel_message(message_id)))
    await until(lambda: message_id in session.state.messages)


async def test_of_messages_in_no_view_exactly_the_newest_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast_api.sync.synchronizer.NEWEST_KEPT", 3)
    monkeypatch.setattr("narrowcast_api.sync.synchronizer.EVICTION_BATCH", 2)
    service = Service()
    async with live_session(tmp_path, service) as session:
        for number in range(101, 106):
            await arrives(session, service, number)
        assert sorted(message.id for message in session.state.messages) == [103, 104, 105]
        await arrives(session, service, 106)
        assert sorted(message.id for message in session.state.messages) == [103, 104, 105, 106]


async def test_an_own_message_whose_event_never_arrived_is_fetched_and_shown(
    service: Service, session: Session
) -> None:
    view = session.view(SOUP)
    await view.open()
    service.messages = {150: channel_message(150, sender=ADA)}
    await session.show_sent(150)
    assert list(view.ids) == [150]
    await session.show_sent(151)
    assert list(view.ids) == [150], "it is gone already"
    await after_events(session, service)
    assert service.asked.count("/messages") == 1, "events keep the view true"


async def message_on_its_way(service: Service, session: Session) -> asyncio.Task[Message | None]:
    """Starts to fetch message 101, whose response waits for `message_leaves`."""
    await after_events(session, service)
    service.messages = {101: channel_message(101, flags=[])}
    service.message_leaves.clear()
    fetching = asyncio.create_task(session.loader.message(101))
    await until(lambda: "/messages/101" in service.asked)
    return fetching


async def test_a_message_that_changed_while_it_was_being_fetched_alone_is_fetched_again(
    service: Service, session: Session
) -> None:
    fetching = await message_on_its_way(service, session)
    service.messages[101] = {**channel_message(101), "content": "<p>changed</p>"}
    await after_events(session, service, edited(101, "<p>changed</p>"))
    service.message_leaves.set()
    assert await fetching == known(session, 101)
    assert known(session, 101).content == "<p>changed</p>"


async def test_a_message_that_was_deleted_while_it_was_being_fetched_alone_does_not_come_back(
    service: Service, session: Session
) -> None:
    fetching = await message_on_its_way(service, session)
    deleted = {"type": "delete_message", "message_ids": [101], "message_type": "stream"}
    await after_events(session, service, {**deleted, "stream_id": GENERAL, "topic": "soup"})
    service.message_leaves.set()
    assert await fetching is None
    assert 101 not in session.state.messages


async def test_a_message_fetched_alone_during_a_new_snapshot_is_requested_again(
    service: Service, session: Session
) -> None:
    fetching = await message_on_its_way(service, session)
    await after_a_new_snapshot(session, service, starred_messages=[101])
    service.messages = {101: channel_message(101, "stew", flags=["read", "starred"])}
    service.message_leaves.set()
    assert await fetching == known(session, 101)
    assert known(session, 101).topic == "stew"
    assert known(session, 101).flags == {"read", "starred"}


async def test_topics_that_were_requested_before_a_snapshot_are_requested_again(
    service: Service, session: Session
) -> None:
    await after_events(session, service)
    service.topics = [{"name": "soup", "max_id": 90}]
    service.channel_leaves.clear()
    loading = asyncio.create_task(session.loader.topics(GENERAL))
    await until(lambda: f"/users/me/{GENERAL}/topics" in service.asked)
    await after_a_new_snapshot(session, service)
    service.topics = [{"name": "stew", "max_id": 90}]
    service.channel_leaves.set()
    await loading
    assert [topic.name for topic in session.state.topics.of(GENERAL)] == ["stew"]
