"""Narrows: how typed ones are parsed, how they are sent at each level, which ones are equal."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from narrowcast_api.errors import Unsupported
from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow, Term, missing_operand
from support.ledger import proves
from support.live import ADA, BRUNO, CHIYO, GENERAL, channel_message, direct_message, make_state


@dataclass(frozen=True)
class Server:
    level: int


def wire(narrow: Narrow, level: int = 442) -> list[dict[str, object]]:
    state = make_state()
    return narrow.to_wire(Server(level), state, state.me)


@proves("NAR-04")
@pytest.mark.parametrize(
    ("narrow", "level", "sent"),
    [
        (Narrow.all(), 442, []),
        (Narrow.channel(GENERAL), 442, [("channel", GENERAL)]),
        (Narrow.channel(GENERAL), 249, [("stream", GENERAL)]),
        (Narrow.channel(GENERAL), 0, [("stream", "general")]),
        (Narrow.topic(GENERAL, ""), 442, [("channel", GENERAL), ("topic", "")]),
        (Narrow.direct(frozenset({BRUNO, CHIYO})), 442, [("dm", [BRUNO, CHIYO])]),
        (Narrow.direct(frozenset({BRUNO})), 176, [("pm-with", [BRUNO])]),
        (Narrow.direct(frozenset()), 442, [("dm", [ADA])]),
        (Narrow.direct(frozenset({BRUNO})), 0, [("pm-with", "user2@demo.example")]),
        (Narrow.directs(), 442, [("is", "dm")]),
        (Narrow.directs(), 176, [("is", "private")]),
        (Narrow.mentions(), 0, [("is", "mentioned")]),
        (Narrow.search("sender:Bruno"), 442, [("sender", BRUNO)]),
        (Narrow.search("dm-including:bruno"), 442, [("dm-including", BRUNO)]),
        (Narrow.search("sender:nobody"), 442, [("sender", "nobody")]),
        (Narrow.search("mentions:bruno"), 446, [("mentions", BRUNO)]),
        (Narrow.search("with:214"), 271, [("with", 214)]),
        (Narrow.search("with:214"), 270, [("near", "214")]),
        (Narrow.search("near:214"), 442, [("near", "214")]),
        (Narrow.search("id:214"), 194, [("id", 214)]),
        (Narrow.search("id:214"), 193, [("id", "214")]),
        (Narrow.search("dm-including:bruno,chiyo"), 442, [("dm-including", BRUNO), ("dm-including", CHIYO)]),
        (
            Narrow.search("stream:general from:me subject:x"),
            442,
            [("channel", "general"), ("sender", ADA), ("topic", "x")],
        ),
    ],
)
def test_a_narrow_is_sent_in_words_that_the_server_knows(
    narrow: Narrow, level: int, sent: list[tuple[str, object]]
) -> None:
    assert [(term["operator"], term["operand"]) for term in wire(narrow, level)] == sent


def test_without_several_people_means_without_each_of_them() -> None:
    narrow = Narrow.search("-dm-including:bruno,chiyo")
    both = [("dm-including", BRUNO, True), ("dm-including", CHIYO, True)]
    assert [(term["operator"], term["operand"], term["negated"]) for term in wire(narrow)] == both
    state = make_state()
    with_bruno, with_others = (read_message(direct_message(1, people)) for people in ((ADA, BRUNO), (ADA, 4)))
    assert narrow.matches(with_bruno, state) is False
    assert narrow.matches(with_others, state) is True
    assert narrow.matches(read_message(channel_message(2)), state) is True


def test_typed_searches_are_split_into_terms_and_words() -> None:
    narrow = Narrow.search(
        'channel:general -topic:"two words" has:link soup "barley soup" http://x.example:80'
    )
    assert narrow.terms == (
        Term("channel", "general"),
        Term("topic", "two words", True),
        Term("has", "link"),
        Term("search", 'soup "barley soup" http://x.example:80'),
    )
    assert wire(narrow)[1]["negated"] is True


def test_what_messages_have_may_be_written_in_the_plural() -> None:
    for word in ("link", "image", "attachment", "reaction"):
        (term,) = wire(Narrow.search(f"has:{word}s"))
        assert term["operand"] == word


def test_a_search_in_a_view_keeps_to_the_view() -> None:
    narrow = Narrow.search("soup", Narrow.topic(GENERAL, "lunch"))
    assert (narrow.channel_id, narrow.topic_name) == (GENERAL, "lunch")
    assert Term("search", "soup") in narrow.terms
    assert not narrow.marks_read
    assert narrow.destination is None


def test_conversations_are_the_same_whatever_their_case() -> None:
    one, other = Narrow.topic(GENERAL, "Soup"), Narrow.topic(GENERAL, "sOUP")
    assert one == other
    assert len({one, other}) == 1
    assert Narrow.search("Soup") != Narrow.search("sOUP")
    assert not Narrow.all() != Narrow.all()  # noqa: SIM202 - the operator itself is meant


def test_views_of_the_same_terms_are_equal_in_any_order() -> None:
    topic = Narrow.topic(GENERAL, "soup")
    assert Narrow(topic.terms[::-1]) == topic
    assert len({topic, Narrow(topic.terms[::-1])}) == 1
    assert topic != Narrow.channel(GENERAL)


def test_a_term_that_is_given_twice_changes_nothing() -> None:
    for narrow in (Narrow.topic(GENERAL, "soup"), Narrow.channel(GENERAL), Narrow.direct(frozenset({BRUNO}))):
        twice = Narrow(narrow.terms * 2)
        assert twice == narrow
        assert twice.destination == narrow.destination
        assert twice.new_message_destination == narrow.new_message_destination
        assert twice.shows(ChannelDestination(GENERAL, "soup")) is (narrow.channel_id is not None)


def test_destinations_and_narrows_lead_to_each_other() -> None:
    for destination in (ChannelDestination(GENERAL, "soup"), DirectDestination(frozenset({BRUNO}))):
        assert Narrow.from_destination(destination).destination == destination


@pytest.mark.parametrize("text", ["", "{}", "7", "[7]", '[["a"]]', '[["dm", ["x"], false]]', '[["a", 1, 1]]'])
def test_an_invalid_stored_narrow_is_rejected(text: str) -> None:
    with pytest.raises(ValueError):
        Narrow.load(text)


def test_what_is_written_to_a_place_appears_in_the_views_that_hold_it_for_certain() -> None:
    topic, person = ChannelDestination(GENERAL, "soup"), DirectDestination(frozenset({BRUNO}))
    shown = {
        Narrow.all(): (True, True),
        Narrow.directs(): (False, True),
        Narrow.channel(GENERAL): (True, False),
        Narrow.topic(GENERAL, "SOUP"): (True, False),
        Narrow.topic(GENERAL, "stew"): (False, False),
        Narrow.direct(frozenset({BRUNO})): (False, True),
        Narrow.starred(): (False, False),
    }
    for narrow, expected in shown.items():
        assert (narrow.shows(topic), narrow.shows(person)) == expected, narrow


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("topic:", 'topic: needs a topic; the general chat is topic:"". Quote it to search for the word.'),
        ("soup -from: ada", "from: needs a user. Quote it to search for the word."),
        ("Stream:", "Stream: needs a channel. Quote it to search for the word."),
        ("is: unread", "is: needs a filter, such as 'unread'. Quote it to search for the word."),
        ('topic:""', ""),
        ('"topic:"', ""),
        ("note: soup", ""),
        ("topic:a:", ""),
        ("12:", ""),
        ("topic", ""),
    ],
)
def test_an_operator_with_nothing_after_it_says_what_is_missing(text: str, wanted: str) -> None:
    assert missing_operand(text) == wanted


def test_the_messages_that_mention_somebody_are_not_requested_from_a_server_that_cannot_find_them() -> None:
    with pytest.raises(Unsupported) as caught:
        wire(Narrow.search("mentions:bruno"), 445)
    expected = "The search operator mentions: not supported by this server (level 445; needs 446)."
    assert caught.value.user_message == expected


@pytest.mark.parametrize(
    ("content", "matches"),
    [
        (f'<p><span class="user-mention" data-user-id="{BRUNO}">@Bruno</span> soup</p>', True),
        (f'<p><span class="user-mention me-mention" data-user-id="{BRUNO}">@Bruno</span></p>', True),
        (f'<p><span class="user-mention silent" data-user-id="{BRUNO}">Bruno</span></p>', None),
        (f'<p><span class="user-mention" data-user-id="{BRUNO}0">@Dana</span></p>', False),
        ('<p><span class="user-mention" data-user-id="*">@all</span></p>', False),
        (f'<p><span class="user-group-mention" data-user-group-id="{BRUNO}">@cooks</span></p>', False),
        ("<p>@Bruno</p>", False),
    ],
)
def test_a_message_that_mentions_a_user_by_name_is_found_by_its_text(
    content: str, matches: bool | None
) -> None:
    message = read_message(channel_message(1, content=content))
    assert Narrow.search("mentions:bruno").matches(message, make_state()) is matches


@pytest.mark.parametrize(
    "piece", ['<span class="user-mention ', '<span class="user-mention"', "user-mention "]
)
def test_mentions_are_looked_for_in_time_in_a_text_of_any_kind(piece: str) -> None:
    message = read_message(channel_message(1, content='<span class="' + piece * 20_000))
    started = time.thread_time()
    assert Narrow.search("mentions:bruno").matches(message, make_state()) is False
    assert time.thread_time() - started < 1
