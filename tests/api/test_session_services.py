"""How a session handles written text: messages, drafts, and closing; without a server or real time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.outbox_item import OutboxState
from narrowcast_api.sync.session import Session
from support.clock import VirtualClock
from support.live import ADA, GENERAL, channel_message, message_event
from support.session_service import Service, after_events, live_session, open_session
from support.sessions import known, until

WHERE = ChannelDestination(GENERAL, "soup")


async def test_a_message_that_was_sent_is_shown_as_such_until_its_event_is_there(
    service: Service, session: Session
) -> None:
    local_id = session.outbox.send(WHERE, "Hello")
    await until(lambda: [entry.state for entry in session.outbox.entries()] == [OutboxState.SENT])
    await after_events(session, service)
    assert [entry.local_id for entry in session.outbox.entries()] == [local_id]
    await after_events(session, service, message_event(channel_message(200, sender=ADA), local_id=local_id))
    assert session.outbox.entries() == []
    assert 200 in session.state.messages


async def test_drafts_that_another_device_writes_changes_and_deletes_are_shown_here(
    service: Service, session: Session
) -> None:
    def contents() -> list[str]:
        return [draft.content for draft in session.drafts.all()]

    draft: dict[str, Any] = {"id": 9, "type": "stream", "to": [GENERAL], "topic": "soup", "timestamp": 1}
    draft["content"] = "From the telephone"
    await after_events(session, service, {"type": "drafts", "op": "add", "drafts": [draft]})
    assert contents() == ["From the telephone"]
    draft["content"] = "And more"
    await after_events(session, service, {"type": "drafts", "op": "update", "draft": draft})
    assert contents() == ["And more"]
    await after_events(session, service, {"type": "drafts", "op": "remove", "draft_id": 9})
    assert contents() == []


async def test_drafts_are_not_synced_while_no_events_are_received(
    tmp_path: Path, clock: VirtualClock
) -> None:
    service = Service()
    async with live_session(tmp_path, service, clock) as session:
        service.go_mute()
        await until(lambda: not session.is_live)
        before = len(service.asked)
        session.drafts.save(None, WHERE, "half a thought")
        await clock.advance(5)
        assert "/drafts" not in service.asked[before:]
        service.is_mute = False
        await clock.advance(120)
        assert session.is_live
        assert "/drafts" in service.asked[before:]


async def test_a_session_that_is_closed_does_not_run_on(tmp_path: Path) -> None:
    session = await open_session(tmp_path, Service())
    running = asyncio.create_task(session.run())
    await until(lambda: session.is_live)
    await session.close()
    assert running.done()


async def test_nobody_is_told_that_one_types_who_does_not_want_that(
    tmp_path: Path, clock: VirtualClock
) -> None:
    service = Service()
    service.snapshot["user_settings"] = {"send_stream_typing_notifications": False}
    setting = {"type": "user_settings", "op": "update", "property": "send_stream_typing_notifications"}
    async with live_session(tmp_path, service, clock) as session:
        for is_wanted in (False, True):
            await after_events(session, service, {**setting, "value": is_wanted})
            session.typing.typed(WHERE)
            await clock.advance(1)
            assert ("/typing" in service.asked) is is_wanted


async def test_a_star_is_shown_before_the_server_has_responded(service: Service, session: Session) -> None:
    await after_events(session, service, message_event(channel_message(101)))
    for is_on in (True, False):
        done = session.message_actions.flag(101, "starred", is_on)
        assert ("starred" in known(session, 101).flags) is is_on
        await done
        assert ("starred" in known(session, 101).flags) is is_on


async def test_drafts_go_to_the_server_from_when_another_device_says_so(
    tmp_path: Path, clock: VirtualClock
) -> None:
    service = Service()
    service.snapshot["user_settings"] = {"enable_drafts_synchronization": False}
    setting = {"type": "user_settings", "op": "update", "property": "enable_drafts_synchronization"}
    async with live_session(tmp_path, service, clock) as session:
        session.drafts.save(None, WHERE, "half a thought")
        await clock.advance(60)
        assert "/drafts" not in service.asked
        await after_events(session, service, {**setting, "value": True})
        await clock.advance(5)
        assert "/drafts" in service.asked


async def test_the_size_of_files_follows_the_plan_of_the_organization(
    service: Service, session: Session
) -> None:
    changed = {"type": "realm", "op": "update_dict", "property": "default"}
    for sent, most in ((1, 1), (0, 0), ("much", 0), (-1, 0), (30, 30)):
        await after_events(session, service, {**changed, "data": {"max_file_upload_size_mib": sent}})
        assert session.state.limits.max_file_upload_size_mib == most
        assert session.client.connection.limits.max_file_upload_size_mib == most
    await after_events(session, service, {**changed, "data": {"plan_type": 3}})
    assert session.state.limits.max_file_upload_size_mib == 30
