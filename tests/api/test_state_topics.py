"""Which topics a channel has, their spelling, and the user's visibility policy for them."""

from __future__ import annotations

from narrowcast_api.model.topics import Topic
from narrowcast_api.state.changes import TopicsChanged
from narrowcast_api.state.topics import Topics
from support.live import DESIGN, GENERAL, apply, channel_message, make_state, message_event


def listed(topics: Topics, channel_id: int = GENERAL) -> list[tuple[str, int]]:
    return [(topic.name, topic.max_id) for topic in topics.of(channel_id)]


def test_the_servers_topic_list_replaces_the_known_topics_except_those_that_arrived_since() -> None:
    topics = Topics()
    for name, newest in (("gone", 40), ("moved away", 50), ("soup", 30), ("came since", 51)):
        topics.add_message(GENERAL, name, newest)
    topics.load(GENERAL, [Topic("Soup", 30), Topic("moved here", 45)], since=50)
    assert listed(topics) == [("came since", 51), ("moved here", 45), ("Soup", 30)]


def test_a_topic_that_came_while_the_list_was_requested_has_its_newest_message() -> None:
    topics = Topics()
    for name, newest in (("soup", 51), ("stew", 53)):
        topics.add_message(GENERAL, name, newest)
    topics.load(GENERAL, [Topic("soup", 52), Topic("stew", 40)], since=50)
    assert listed(topics) == [("stew", 53), ("soup", 52)]


def test_a_topic_list_is_complete_until_the_last_message_of_a_topic_is_removed() -> None:
    topics = Topics()
    topics.add_message(GENERAL, "soup", 50)
    assert not topics.is_loaded(GENERAL)
    topics.load(GENERAL, [Topic("soup", 50), Topic("stew", 49)], since=50)
    assert (topics.is_loaded(GENERAL), topics.is_loaded(DESIGN)) == (True, False)
    topics.remove_messages(GENERAL, "soup", [48])
    assert (listed(topics), topics.is_loaded(GENERAL)) == ([("soup", 50), ("stew", 49)], True)
    topics.remove_messages(GENERAL, "SOUP", [50])
    assert (listed(topics), topics.is_loaded(GENERAL)) == ([("stew", 49)], False)


def test_a_topic_has_the_spelling_of_its_newest_message() -> None:
    topics = Topics()
    assert topics.name(GENERAL, "SOUP") == "SOUP"
    for name, message_id, changes, spelling in (
        ("Soup", 50, True, "Soup"),
        ("soup", 50, False, "Soup"),
        ("sOUP", 49, False, "Soup"),
        ("soup", 51, True, "soup"),
    ):
        assert topics.add_message(GENERAL, name, message_id) is changes
        assert topics.name(GENERAL, "SOUP") == spelling
    assert topics.name(DESIGN, "Soup") == "Soup"


def test_a_message_that_came_already_does_not_change_the_list() -> None:
    state = make_state()
    apply(state, message_event(channel_message(102), "read"))
    assert TopicsChanged(GENERAL) not in apply(state, message_event(channel_message(101), "read"))


def test_a_topics_visibility_policy_is_removed_when_it_is_reset_or_has_an_unknown_value() -> None:
    state = make_state()
    chosen = {"type": "user_topic", "stream_id": GENERAL, "topic_name": "soup"}
    for policy, kept in ((3, 3), (99, 0), (1, 1), (0, 0)):
        apply(state, {**chosen, "visibility_policy": policy})
        assert state.topics.visibility(GENERAL, "SOUP") == kept
        assert state.topics.has_policies(GENERAL) is bool(kept)
        assert len(list(state.topics.policies())) == bool(kept)
