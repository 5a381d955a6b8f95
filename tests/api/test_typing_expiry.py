"""A session hides typing indicators whose stop event never arrived."""

from __future__ import annotations

from pathlib import Path

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.state.changes import Change, MessagesChanged, TypingChanged
from support.clock import VirtualClock
from support.live import BRUNO, CHIYO, GENERAL
from support.session_service import Service, after_events, live_session

SOUP = ChannelDestination(GENERAL, "soup")


async def test_whoever_stops_typing_or_editing_without_a_word_is_hidden_each_time(
    tmp_path: Path, clock: VirtualClock
) -> None:
    service, told = Service(), list[Change]()
    async with live_session(tmp_path, service, clock) as session:
        session.subscribe(told.extend)
        for person in (BRUNO, CHIYO):
            start = {"type": "typing", "op": "start", "sender": {"user_id": person, "email": ""}}
            place = {"message_type": "stream", "stream_id": GENERAL, "topic": "soup"}
            edit = {
                "type": "typing_edit_message",
                "op": "start",
                "sender_id": person,
                "message_id": 101,
                "recipient": {"type": "channel", "channel_id": GENERAL, "topic": "soup"},
            }
            await after_events(session, service, {**start, **place}, edit)
            typing = session.state.typing
            assert (typing.typers(SOUP), typing.editors(101)) == ((person,), (person,))
            told.clear()
            await clock.advance(typing.expiry_seconds - 1)
            assert (typing.typers(SOUP), typing.editors(101), told) == ((person,), (person,), [])
            await clock.advance(1)
            assert (typing.typers(SOUP), typing.editors(101)) == ((), ())
            assert told == [TypingChanged(SOUP), MessagesChanged((101,))]


async def test_whoever_stops_editing_without_a_word_is_hidden_though_nobody_types(
    tmp_path: Path, clock: VirtualClock
) -> None:
    service = Service()
    async with live_session(tmp_path, service, clock) as session:
        edit = {
            "type": "typing_edit_message",
            "op": "start",
            "sender_id": BRUNO,
            "message_id": 101,
            "recipient": {"type": "channel", "channel_id": GENERAL, "topic": "soup"},
        }
        await after_events(session, service, edit)
        assert session.state.typing.editors(101) == (BRUNO,)
        await clock.advance(session.state.typing.expiry_seconds)
        assert session.state.typing.editors(101) == ()
