"""Every kind of event parses, nothing is lost, and unexpected values are preserved, never an exception."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from narrowcast_api.events.parsing import EVENT_CLASSES, parse_event, parse_events
from narrowcast_api.model.users import read_user_change
from narrowcast_api.narrow.destinations import DirectDestination
from narrowcast_api.resources.drafts import DraftsUpdateEvent
from narrowcast_api.resources.presence import PresenceEvent
from narrowcast_api.resources.status import UserStatusEvent
from narrowcast_api.resources.typing import TypingEvent
from narrowcast_api.wire import events
from narrowcast_api.wire.events import (
    NO_ID,
    BadEvent,
    DefaultStreamsEvent,
    DeleteMessageEvent,
    MessageEvent,
    RealmUserUpdateEvent,
    RestartEvent,
    StreamDeleteEvent,
    StreamUpdateEvent,
    SubscriptionPeerRemoveEvent,
    UnknownEvent,
    UpdateMessageEvent,
    UpdateMessageFlagsEvent,
)
from support.captures import own_events, recorded_events
from support.ledger import proves


def _samples() -> Iterator[tuple[str, dict[str, Any]]]:
    for event in own_events():
        yield "our own sample", event
    yield from recorded_events()


def _own(type_: str, **fields: object) -> dict[str, Any]:
    for event in own_events():
        if event["type"] == type_ and all(event.get(name) == value for name, value in fields.items()):
            return event
    raise LookupError(type_)


def test_every_sample_of_every_kind_parses_whole(caplog: pytest.LogCaptureFixture) -> None:
    for source, raw in _samples():
        event = parse_event(raw)
        assert not isinstance(event, BadEvent | UnknownEvent), (source, raw)
        assert caplog.messages == [], source
        assert event.id == raw["id"]
        assert event.type == raw["type"]


def test_our_own_samples_cover_every_class() -> None:
    parsed = {type(parse_event(raw)) for raw in own_events()}
    assert parsed == set(EVENT_CLASSES.values())


def test_every_class_outside_of_a_resource_is_exported() -> None:
    package = f"{events.__name__}."
    classes = [kind for kind in EVENT_CLASSES.values() if kind.__module__.startswith(package)]
    assert classes
    for event_class in classes:
        assert getattr(events, event_class.__name__) is event_class


def test_unknown_fields_are_kept() -> None:
    event = parse_event({**_own("typing", op="start"), "mood": {"wild": [1]}})
    assert isinstance(event, TypingEvent)
    assert event.unknown_fields == {"mood": {"wild": [1]}}


@proves("EVT-06")
def test_an_unknown_event_is_kept_whole_with_its_id() -> None:
    raw = {"id": 7, "type": "weather", "op": "storm", "force": 9}
    event = parse_event(raw)
    assert isinstance(event, UnknownEvent)
    assert (event.id, event.type, event.raw) == (7, "weather", raw)


def test_what_cannot_be_read_is_not_shown_in_logs() -> None:
    secret = {
        "id": 7,
        "type": "realm_bot",
        "op": "add",
        "bot": {"api_key": "canary-4711"},
    }
    for raw in (secret, {**secret, "type": "vault"}, {**secret, "bot": [secret]}):
        assert "canary" not in repr(parse_event(raw))


def test_an_unknown_operation_of_a_known_type_is_unknown_too() -> None:
    assert isinstance(parse_event({"id": 7, "type": "stream", "op": "paint"}), UnknownEvent)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "message",
        7,
        {},
        {"id": 3},
        {"id": 3, "type": 4},
        {"id": 3, "type": "message"},
        {"id": 3, "type": "message", "message": []},
        {"id": 3, "type": "typing", "op": "start", "sender": {"user_id": "x"}},
        {"id": 10**400, "type": "heartbeat"},
        {"id": 3, "type": "presence"},
        {"id": 3, "type": "drafts", "op": "remove", "draft_id": 10**400},
    ],
)
def test_an_unreadable_event_is_a_value(raw: object) -> None:
    event = parse_event(raw)
    assert isinstance(event, BadEvent)
    assert event.raw == raw
    assert event.error
    expected = raw.get("id") if isinstance(raw, dict) else NO_ID
    assert event.id == (expected if expected == 3 else NO_ID)


def test_one_bad_event_does_not_take_the_others_along() -> None:
    parsed = parse_events([{"id": 1, "type": "heartbeat"}, 5, {"id": 2, "type": "heartbeat"}])
    assert [event.id for event in parsed] == [1, NO_ID, 2]
    assert parse_events({"not": "a list"}) == []


def test_a_bad_item_of_a_list_is_left_out_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    good = _own("stream", op="create")["streams"][0]
    event = parse_event({"id": 1, "type": "stream", "op": "create", "streams": [{"name": 3}, good]})
    assert isinstance(event, events.StreamCreateEvent)
    assert [stream.channel_id for stream in event.streams] == [good["stream_id"]]
    assert caplog.messages == ["streams 0 is left out: stream_id"]


def test_flags_and_local_id_stand_beside_the_message_of_an_event() -> None:
    event = parse_event(_own("message", flags=["read", "mentioned"]))
    assert isinstance(event, MessageEvent)
    assert event.flags == ["read", "mentioned"]
    assert event.message.topic == "tides"
    assert event.local_message_id == "31.02"
    assert event.message.reactions[0].user_id == 12


def test_a_direct_message_names_its_people() -> None:
    event = parse_event(_own("message", flags=[]))
    assert isinstance(event, MessageEvent)
    assert event.message.channel_id is None
    assert event.message.direct_user_ids == frozenset({11, 12})


def test_a_single_deletion_reads_as_a_list() -> None:
    event = parse_event(_own("delete_message", message_id=503))
    assert isinstance(event, DeleteMessageEvent)
    assert event.message_ids == [503]


def test_moves_and_edits_are_told_apart_by_what_is_there() -> None:
    edit, move, rename, rendering = (
        parse_event(raw) for raw in own_events() if raw["type"] == "update_message"
    )
    assert isinstance(edit, UpdateMessageEvent)
    assert edit.moved_to is None
    assert isinstance(move, UpdateMessageEvent)
    assert (move.topic, move.orig_topic, move.new_stream_id) == (None, "tides", 32)
    assert move.moved_to == (32, "tides")
    assert isinstance(rename, UpdateMessageEvent)
    assert rename.topic == "currents"
    assert rename.moved_to == (rename.stream_id, "currents")
    assert isinstance(rendering, UpdateMessageEvent)
    assert rendering.user_id is None
    assert rendering.rendering_only


def test_flag_events_read_the_old_name_of_their_operation() -> None:
    everything = parse_event(_own("update_message_flags", flag="read", all=True))
    assert isinstance(everything, UpdateMessageFlagsEvent)
    assert everything.op == "add"
    unread = parse_event(_own("update_message_flags", op="remove"))
    assert isinstance(unread, UpdateMessageFlagsEvent)
    assert unread.message_details[505].is_direct
    assert unread.message_details[504].topic == "tides"


def test_both_forms_of_presence_read_alike() -> None:
    modern, legacy = (parse_event(raw) for raw in own_events() if raw["type"] == "presence")
    assert isinstance(modern, PresenceEvent)
    assert modern.by_user_id()[11].idle == 1790000010
    assert isinstance(legacy, PresenceEvent)
    seen = legacy.by_user_id()[12]
    assert (seen.active, seen.idle) == (1790000015, 1790000018)


def test_both_forms_of_a_channel_deletion_and_of_peers_read_alike() -> None:
    for raw, expected in zip(
        (raw for raw in own_events() if raw["type"] == "stream" and raw["op"] == "delete"),
        (33, 34),
        strict=True,
    ):
        event = parse_event(raw)
        assert isinstance(event, StreamDeleteEvent)
        assert event.stream_ids == [expected]
    peer = parse_event(_own("subscription", op="peer_remove"))
    assert isinstance(peer, SubscriptionPeerRemoveEvent)
    assert (peer.stream_ids, peer.user_ids) == ([31], [22])


def test_both_forms_of_default_channels_read_alike() -> None:
    for raw in (raw for raw in own_events() if raw["type"] == "default_streams"):
        event = parse_event(raw)
        assert isinstance(event, DefaultStreamsEvent)
        assert event.default_streams[0] == 31


def test_a_status_event_says_only_what_changed() -> None:
    text, emoji = (parse_event(raw) for raw in own_events() if raw["type"] == "user_status")
    assert isinstance(text, UserStatusEvent)
    assert (text.status_text, text.emoji_name) == ("at sea", None)
    assert isinstance(emoji, UserStatusEvent)
    assert (emoji.status_text, emoji.emoji_name) == (None, "")


def test_null_and_absent_stay_apart_in_a_change_of_a_person() -> None:
    nulled = read_user_change({"user_id": 1, "delivery_email": None})
    assert nulled.values == {"delivery_email": None}
    event = parse_event(
        {"id": 1, "type": "realm_user", "op": "update", "person": {"user_id": 1, "role": 300}}
    )
    assert isinstance(event, RealmUserUpdateEvent)
    assert event.person.values == {"role": 300}


@proves("EVT-05")
def test_a_channel_update_tells_all_that_it_changes() -> None:
    privacy = parse_event(_own("stream", op="update", property="invite_only"))
    assert isinstance(privacy, StreamUpdateEvent)
    assert privacy.changes() == {
        "invite_only": True,
        "history_public_to_subscribers": False,
        "is_web_public": False,
    }
    first = parse_event(_own("stream", op="update", property="first_message_id"))
    assert isinstance(first, StreamUpdateEvent)
    assert first.changes() == {"first_message_id": None}


@pytest.mark.parametrize(("dialect", "level"), [("service", 400), ("zulip", 401)])
def test_both_dialects_of_a_restart_read_alike(dialect: str, level: int) -> None:
    raw = next(raw for raw in own_events() if raw.get(f"{dialect}_feature_level") == level)
    event = parse_event(raw)
    assert isinstance(event, RestartEvent)
    assert event.feature_level == level
    assert event.version


@proves("EVT-02", "EVT-03")
def test_typing_events_say_who_where_and_whether() -> None:
    start = parse_event(_own("typing", op="start"))
    assert isinstance(start, TypingEvent)
    assert (start.op, start.sender.user_id, start.stream_id, start.topic) == ("start", 12, 31, "tides")
    assert not start.is_direct
    stop = parse_event(_own("typing", op="stop"))
    assert isinstance(stop, TypingEvent)
    assert stop.is_direct
    assert [person.user_id for person in stop.recipients] == [11, 12]


@proves("EVT-04")
def test_a_draft_event_carries_the_draft_whole() -> None:
    event = parse_event(_own("drafts", op="update"))
    assert isinstance(event, DraftsUpdateEvent)
    assert (event.draft.id, event.draft.destination) == (3, DirectDestination(frozenset({12})))
