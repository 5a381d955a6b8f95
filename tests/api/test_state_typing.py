"""Who is typing and who is editing, as the state reports it."""

from __future__ import annotations

from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.state.changes import MessagesChanged, TypingChanged
from support.ledger import proves
from support.live import ADA, BRUNO, CHIYO, GENERAL, apply, channel_message, make_state, message_event

SOUP = ChannelDestination(GENERAL, "soup")


def typing(op: str, sender: int, **fields: object) -> dict[str, object]:
    place = {"message_type": "stream", "stream_id": GENERAL, "topic": "Soup"}
    return {"type": "typing", "op": op, "sender": {"user_id": sender, "email": ""}, **place, **fields}


def test_who_types_is_shown_from_start_to_stop() -> None:
    state = make_state()
    assert apply(state, typing("start", BRUNO)) == [TypingChanged(ChannelDestination(GENERAL, "Soup"))]
    assert state.typing.typers(SOUP) == (BRUNO,)
    assert apply(state, typing("stop", BRUNO)) == [TypingChanged(ChannelDestination(GENERAL, "Soup"))]
    assert state.typing.typers(SOUP) == ()
    assert apply(state, typing("stop", BRUNO)) == []


@proves("TYP-30")
def test_who_types_is_hidden_after_the_servers_expiry_unless_started_again() -> None:
    state = make_state()
    now = 0.0
    state.monotonic = lambda: now
    apply(state, typing("start", BRUNO), typing("start", CHIYO))
    now = 40.0
    apply(state, typing("start", CHIYO))
    assert state.typing.next_expiry() == 45.0
    assert state.typing.expire(44.9) == ([], [])
    assert state.typing.expire(45.0) == ([ChannelDestination(GENERAL, "Soup")], [])
    assert state.typing.typers(SOUP) == (CHIYO,)
    state.typing.expire(85.0)
    assert state.typing.typers(SOUP) == ()


@proves("EVT-09")
def test_the_current_user_is_never_shown_typing() -> None:
    state = make_state()
    assert apply(state, typing("start", ADA)) == []
    assert state.typing.typers(SOUP) == ()


def test_editing_by_others_is_shown_from_start_to_end_and_never_by_the_current_user() -> None:
    state = make_state()
    place = {"type": "channel", "channel_id": GENERAL, "topic": "soup"}
    edit = {"type": "typing_edit_message", "message_id": 101, "recipient": place}
    for op, editors in (("start", (BRUNO,)), ("stop", ())):
        assert apply(state, {**edit, "op": op, "sender_id": BRUNO}) == [MessagesChanged((101,))]
        assert state.typing.editors(101) == editors
        for sender in (BRUNO, ADA):
            assert apply(state, {**edit, "op": op, "sender_id": sender}) == []


def test_a_message_ends_the_typing_of_its_sender() -> None:
    state = make_state()
    apply(state, typing("start", BRUNO), typing("start", CHIYO))
    apply(state, message_event(channel_message(101)))
    assert state.typing.typers(SOUP) == (CHIYO,)


def test_direct_typing_belongs_to_the_conversation_of_all_others() -> None:
    state = make_state()
    people = [{"user_id": user_id, "email": ""} for user_id in (ADA, BRUNO, CHIYO)]
    apply(
        state,
        {
            "type": "typing",
            "op": "start",
            "message_type": "direct",
            "sender": people[1],
            "recipients": people,
        },
    )
    assert state.typing.typers(DirectDestination(frozenset({BRUNO, CHIYO}))) == (BRUNO,)
    assert state.typing.typers(DirectDestination(frozenset({BRUNO}))) == ()


def test_editing_by_others_is_known_by_message() -> None:
    state = make_state()
    event = {
        "type": "typing_edit_message",
        "op": "start",
        "sender_id": BRUNO,
        "message_id": 101,
        "recipient": {"type": "channel", "channel_id": GENERAL, "topic": "soup"},
    }
    apply(state, event)
    assert state.typing.editors(101) == (BRUNO,)
    apply(state, {**event, "op": "stop"})
    assert state.typing.editors(101) == ()
