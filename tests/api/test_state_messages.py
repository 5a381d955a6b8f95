"""Messages, unread, mentions, stars, topics and conversations are updated by events."""

from __future__ import annotations

import pytest

from narrowcast_api.model.messages import Reaction, grouped, read_message
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import (
    MessagesAdded,
    MessagesChanged,
    MessagesRemoved,
    TopicsChanged,
    UnreadsChanged,
)
from support.ledger import proves
from support.live import (
    ADA,
    BRUNO,
    CHIYO,
    GENERAL,
    RANDOM,
    apply,
    channel_message,
    direct_message,
    make_state,
    message_event,
)


def test_a_new_message_is_known_unread_and_last_of_its_topic() -> None:
    state = make_state()
    changes = apply(state, message_event(channel_message(101, "Soup")))
    assert changes == [MessagesAdded((101,), live=True), TopicsChanged(GENERAL), UnreadsChanged()]
    assert state.unreads.count_topic(GENERAL, "soup") == 1
    assert state.topics.of(GENERAL)[0] == ("Soup", 101)
    assert state.max_message_id == 101


def test_the_first_message_of_a_channel_is_known_as_that_from_then_on() -> None:
    state = make_state()
    for number in (101, 102):
        apply(state, message_event(channel_message(number)))
        channel = state.channels.get(GENERAL)
        assert channel is not None
        assert channel.first_message_id == 101


def test_the_read_flag_of_the_event_is_trusted() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, sender=ADA)), message_event(direct_message(102), "read"))
    assert set(state.unreads) == {101}


def test_an_unread_message_in_an_unsubscribed_channel_is_known_but_counted_nowhere_else() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, channel_id=RANDOM), "mentioned"))
    assert (state.unreads.count_all(), state.unreads.count_channel(RANDOM)) == (0, 1)
    assert state.unreads.mentions == {101}


def test_topics_are_one_whatever_their_case() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, "Soup")), message_event(channel_message(102, "sOUP")))
    assert state.unreads.count_topic(GENERAL, "SOUP") == 2
    assert [topic.name for topic in state.topics.of(GENERAL)] == ["sOUP"]


def test_counts_over_all_leave_out_muted_channels_and_topics_but_inside_a_channel_only_topics_count() -> None:
    state = make_state()
    apply(
        state,
        message_event(channel_message(101, "loud")),
        message_event(channel_message(102, "quiet")),
        message_event(channel_message(103, "followed")),
        message_event(direct_message(104)),
    )
    apply(
        state,
        {"type": "user_topic", "stream_id": GENERAL, "topic_name": "QUIET", "visibility_policy": 1},
        {"type": "user_topic", "stream_id": GENERAL, "topic_name": "followed", "visibility_policy": 3},
    )
    assert (state.unreads.count_channel(GENERAL), state.unreads.count_all()) == (2, 3)
    apply(
        state,
        {"type": "subscription", "op": "update", "property": "is_muted", "value": True, "stream_id": GENERAL},
    )
    assert (state.unreads.count_channel(GENERAL), state.unreads.count_all()) == (2, 2)


def test_counts_over_all_leave_out_archived_channels_whatever_their_topics_policies() -> None:
    state = make_state()
    apply(
        state,
        message_event(channel_message(101, "soup")),
        message_event(channel_message(102, "followed")),
        message_event(direct_message(103)),
        {"type": "user_topic", "stream_id": GENERAL, "topic_name": "followed", "visibility_policy": 3},
    )
    assert state.unreads.count_all() == 3
    archived = {"type": "stream", "op": "update", "stream_id": GENERAL, "name": "general"}
    changes = apply(state, {**archived, "property": "is_archived", "value": True})
    assert UnreadsChanged() in changes
    assert (state.unreads.count_channel(GENERAL), state.unreads.count_all()) == (2, 1)
    assert not state.is_muted(GENERAL, "soup")
    apply(state, {**archived, "property": "is_archived", "value": False})
    assert state.unreads.count_all() == 3


def test_messages_become_unread_again_from_the_events_details_though_never_loaded() -> None:
    state = make_state()
    changes = apply(
        state,
        {
            "type": "update_message_flags",
            "op": "remove",
            "flag": "read",
            "messages": [50, 51, 52],
            "message_details": {
                "50": {"type": "stream", "stream_id": GENERAL, "topic": "Old", "mentioned": True},
                "51": {"type": "private", "user_ids": [BRUNO]},
                "52": {"type": "private", "user_ids": [ADA]},
            },
        },
    )
    assert changes == [MessagesChanged((50, 51, 52)), UnreadsChanged()]
    assert state.unreads.topic_ids(GENERAL, "old") == [50]
    assert state.unreads.mentions == {50}
    assert state.unreads.count_direct(frozenset({BRUNO})) == 1
    assert state.unreads.count_direct(frozenset()) == 1


def test_an_event_about_a_message_in_an_unknown_place_changes_no_count() -> None:
    state = make_state()
    unread = {"type": "update_message_flags", "op": "remove", "flag": "read", "messages": [50]}
    for details in ({}, {"50": {"type": "stream"}}):
        assert apply(state, {**unread, "message_details": details}) == [MessagesChanged((50,))]
    apply(state, message_event(channel_message(101), "read"))
    changes = apply(state, {**unread, "messages": [101]})
    assert changes == [MessagesChanged((101,)), UnreadsChanged()]
    assert set(state.unreads) == {101}


def test_reading_everything_elsewhere_leaves_nothing_unread() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101), "mentioned"), message_event(direct_message(102)))
    everything = {"type": "update_message_flags", "op": "add", "flag": "read", "messages": [], "all": True}
    assert UnreadsChanged() in apply(state, everything)
    assert (len(state.unreads), state.unreads.mentions) == (0, set())
    assert (state.unreads.count_channel(GENERAL), state.unreads.count_all()) == (0, 0)
    message = state.messages.get(101)
    assert message is not None
    assert message.is_read


def test_deleted_messages_are_nowhere() -> None:
    state = make_state()
    apply(
        state,
        message_event(direct_message(101), "starred"),
        message_event(direct_message(102), "starred", "mentioned"),
        {"type": "delete_message", "message_ids": [102], "message_type": "private"},
    )
    assert 102 not in state.messages
    assert set(state.unreads) == {101}
    assert state.starred == {101}
    assert state.directs.newest(frozenset({BRUNO})) == 101


def test_a_topic_disappears_with_its_last_message() -> None:
    state = make_state()
    apply(
        state,
        message_event(channel_message(101, "soup"), "read"),
        message_event(channel_message(102, "stew")),
    )
    deletion = {"type": "delete_message", "message_type": "stream", "stream_id": GENERAL}
    for number, topic in ((101, "soup"), (102, "stew")):
        changes = apply(state, {**deletion, "message_ids": [number], "topic": topic})
        assert changes[:2] == [MessagesRemoved((number,)), TopicsChanged(GENERAL)]
        assert (UnreadsChanged() in changes) is (number == 102)
    assert state.topics.of(GENERAL) == []


def test_messages_that_were_never_loaded_are_starred_too_and_reading_stars_none() -> None:
    state = make_state(starred_messages=[40])
    flags = {"type": "update_message_flags", "messages": [40, 50], "all": False}
    apply(state, {**flags, "op": "add", "flag": "starred"})
    assert state.starred == {40, 50}
    for op in ("add", "remove"):
        apply(state, {**flags, "op": op, "flag": "read"})
        assert state.starred == {40, 50}
    apply(state, {**flags, "op": "remove", "flag": "starred", "messages": [40]})
    assert state.starred == {50}
    assert [state.has_flag(number, "starred") for number in (40, 50)] == [False, True]
    apply(state, message_event(channel_message(101), "collapsed"))
    assert [state.has_flag(number, "collapsed") for number in (101, 50)] == [True, False]
    assert not state.has_flag(101, "starred")


def test_conversations_are_listed_the_most_recent_first() -> None:
    state = make_state(recent_private_conversations=[{"user_ids": [CHIYO], "max_message_id": 90}])
    apply(state, message_event(direct_message(101)), message_event(direct_message(102, (ADA,), sender=ADA)))
    assert state.directs.recent() == [frozenset(), frozenset({BRUNO}), frozenset({CHIYO})]


def reaction(op: str, user_id: int, name: str = "smile", code: str = "1f604") -> dict[str, object]:
    return {
        "type": "reaction",
        "op": op,
        "message_id": 101,
        "user_id": user_id,
        "emoji_name": name,
        "emoji_code": code,
        "reaction_type": "unicode_emoji",
    }


def test_reactions_go_by_type_and_code_whatever_their_name() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)))
    apply(state, reaction("add", BRUNO), reaction("add", BRUNO, "smiley"), reaction("add", CHIYO, "grin"))
    message = state.messages.get(101)
    assert message is not None
    assert [(r.emoji_name, r.user_id) for r in message.reactions] == [("smile", BRUNO), ("grin", CHIYO)]
    apply(state, reaction("remove", BRUNO, "other"))
    message = state.messages.get(101)
    assert message is not None
    assert [r.user_id for r in message.reactions] == [CHIYO]


def test_reactions_are_grouped_by_votes_and_stay_in_order() -> None:
    def vote(name: str, user_id: int) -> Reaction:
        return Reaction(name, f"code of {name}", "unicode_emoji", user_id)

    groups = grouped([vote("a", 1), vote("b", 1), vote("b", 2), vote("c", 1)])
    assert [(group.emoji_name, group.user_ids) for group in groups] == [
        ("b", (1, 2)),
        ("a", (1,)),
        ("c", (1,)),
    ]


SOUP = ChannelDestination(GENERAL, "soup")


@proves("TYP-29", "EVT-02", "EVT-03")
def test_votes_are_appended_once() -> None:
    state = make_state()
    vote = {"type": "submessage", "message_id": 101, "submessage_id": 9, "sender_id": BRUNO, "content": "{}"}
    apply(state, message_event(channel_message(101)), vote, vote)
    message = state.messages.get(101)
    assert message is not None
    assert [part.id for part in message.submessages] == [9]


def test_is_unread_is_three_valued_when_the_server_left_out_old_ones() -> None:
    state = make_state(
        unread_msgs={
            "streams": [{"stream_id": GENERAL, "topic": "soup", "unread_message_ids": [80, 90]}],
            "pms": [],
            "huddles": [{"user_ids_string": "1,2,3", "unread_message_ids": [95]}],
            "mentions": [80],
            "old_unreads_missing": True,
        }
    )
    assert [state.unreads.is_unread(i) for i in (10, 80, 85)] == [None, True, False]
    assert state.unreads.count_direct(frozenset({BRUNO, CHIYO})) == 1
    apply(state, {"type": "update_message_flags", "op": "add", "flag": "read", "messages": [80]})
    assert [state.unreads.is_unread(i) for i in (10, 80)] == [None, False]
    apply(state, {"type": "update_message_flags", "op": "add", "flag": "read", "messages": [], "all": True})
    assert [state.unreads.is_unread(i) for i in (10, 95)] == [False, False]


def test_old_messages_that_turn_out_to_be_unread_are_counted_where_the_server_left_them_out() -> None:
    unread = {"streams": [], "pms": [], "huddles": [], "mentions": [], "old_unreads_missing": True}
    state = make_state(unread_msgs={**unread, "pms": [{"other_user_id": BRUNO, "unread_message_ids": [90]}]})
    old = read_message(channel_message(50, flags=["mentioned"]))
    state.add_messages([old])
    assert state.unreads.topic_ids(GENERAL, "soup") == [50]
    assert state.unreads.mentions == {50}


def test_a_fetched_copy_keeps_what_only_this_client_knows() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101), local_id="mine"))
    fetched = read_message(channel_message(101))
    assert state.add_messages([fetched]) == []
    message = state.messages.get(101)
    assert message is not None
    assert message.local_id == "mine"


def test_reading_one_topic_leaves_the_others_of_its_channel_unread() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, "soup")), message_event(channel_message(102, "stew")))
    apply(state, {"type": "update_message_flags", "op": "add", "flag": "read", "messages": [101]})
    assert (state.unreads.count_channel(GENERAL), state.unreads.count_all()) == (1, 1)
    assert state.unreads.topic_ids(GENERAL, "stew") == [102]


def test_reading_is_idempotent_and_counts_never_go_below_zero() -> None:
    unreads = make_state().unreads
    unreads.add_topic(GENERAL, "a", [1, 2])
    assert unreads.remove([2, 2, 3])
    assert not unreads.remove([2])
    counts = unreads.count_all(), unreads.count_channel(GENERAL), unreads.count_topic(GENERAL, "A")
    assert counts == (1, 1, 1)


@pytest.mark.parametrize(
    ("narrow", "verdict"),
    [
        (Narrow.all(), True),
        (Narrow.channel(GENERAL), True),
        (Narrow.topic(GENERAL, "SOUP"), True),
        (Narrow.topic(GENERAL, "stew"), False),
        (Narrow.direct(frozenset({BRUNO})), False),
        (Narrow.mentions(), True),
        (Narrow.starred(), False),
        (Narrow.search("words"), None),
        (Narrow.search("words channel:design"), False),
        (Narrow.search("-is:starred sender:Bruno"), True),
        (Narrow.search("sender:me"), False),
        (Narrow.search("sender:nobody"), None),
        (Narrow.search("has:link"), None),
        (Narrow.search("is:unread is:muted"), False),
    ],
)
def test_narrows_decide_what_they_can(narrow: Narrow, verdict: bool | None) -> None:
    state = make_state()
    apply(state, message_event(channel_message(101), "mentioned"))
    message = state.messages.get(101)
    assert message is not None
    assert narrow.matches(message, state) is verdict
    assert Narrow.load(narrow.dump()) == narrow


def test_a_reconnected_mute_changes_the_counts_at_once() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)))
    changes = apply(
        state, {"type": "user_topic", "stream_id": GENERAL, "topic_name": "soup", "visibility_policy": 1}
    )
    assert UnreadsChanged() in changes
    assert state.unreads.count_all() == 0


def test_what_an_older_server_mutes_and_unmutes_changes_the_counts_at_once() -> None:
    state = make_state(zulip_feature_level=133)
    apply(state, message_event(channel_message(101)))
    soup, wrong = ["general", "soup", 0], [7, ["general"], ["general", 7]]
    for muted, count in (([], 1), ([soup[:2]], 0), (wrong, 1), ([*wrong, soup], 0)):
        assert UnreadsChanged() in apply(state, {"type": "muted_topics", "muted_topics": muted})
        assert state.unreads.count_all() == count
