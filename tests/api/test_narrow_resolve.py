"""Resolving users and channels by id, name, or an unambiguous part of a name, in app and command line."""

from __future__ import annotations

import pytest

from narrowcast_api.model.channels import Channel
from narrowcast_api.model.users import User
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.narrow.resolve import Unresolved, channel_id, person_id, resolve

ADA, BRUNO, DARIO, DANA, GONE, TWIN, OTHER = range(1, 8)
PEOPLE = [
    User(ADA, "Ada Moreno", "user1@x.example", "ada@x.example"),
    User(BRUNO, "Bruno Castell", "bruno@x.example"),
    User(DARIO, "Dario Vance", "dario@x.example"),
    User(DANA, "Dana, the second", "dana@x.example"),
    User(GONE, "Bruno Gone", "gone@x.example", is_active=False),
    User(TWIN, "Sam Twin", "sam1@x.example"),
    User(OTHER, "Sam Twin", "sam2@x.example"),
]
CHANNELS = [
    Channel(10, "general"),
    Channel(11, "engineering"),
    Channel(12, "Engine room"),
    Channel(13, "42"),
    Channel(14, "general of old", is_archived=True),
    Channel(42, "answers"),
]


@pytest.mark.parametrize(
    ("text", "user_id"),
    [
        ("me", ADA),
        ("ada", ADA),
        ("ADA MORENO", ADA),
        ("more", ADA),
        ("ada@x.example", ADA),
        ("user1@x.example", ADA),
        ("2", BRUNO),
        ("Sam Twin|7", OTHER),
        ("cast", BRUNO),
        ("bruno", BRUNO),
        ("Bruno Gone", GONE),
        ("gone", GONE),
        ("astel", BRUNO),
        ("999", 999),
    ],
)
def test_one_person_is_meant(text: str, user_id: int) -> None:
    assert person_id(text, PEOPLE, ADA) == user_id


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sam twin", "Several users match 'sam twin': Sam Twin|6, Sam Twin|7."),
        ("da", "Several users match 'da': Dario Vance|3, Dana, the second|4."),
        ("nobody", "No user matches 'nobody'."),
        ("", "Enter the name of a user."),
    ],
)
def test_the_reason_says_that_nobody_or_several_users_match(text: str, reason: str) -> None:
    with pytest.raises(Unresolved) as refused:
        person_id(text, PEOPLE, BRUNO)
    assert refused.value.user_message == reason


@pytest.mark.parametrize(
    ("text", "user_id"),
    [
        ("me", ADA),
        ("Bruno Castell", BRUNO),
        ("@bruno castell", BRUNO),
        ("USER1@x.example", ADA),
        ("2", BRUNO),
        ("Bruno Castell|2", BRUNO),
        ("Sam Twin|7", OTHER),
        ("Bruno Gone", GONE),
        ("Dana, the second", DANA),
        ("999", 999),
    ],
)
def test_where_no_part_of_a_name_is_enough_a_user_is_named_exactly(text: str, user_id: int) -> None:
    assert person_id(text, PEOPLE, ADA, parts=False) == user_id


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("castell", "No user matches 'castell' exactly; candidates: Bruno Castell|2."),
        ("dario", "No user matches 'dario' exactly; candidates: Dario Vance|3."),
        ("da", "No user matches 'da' exactly; candidates: Dario Vance|3, Dana, the second|4."),
        ("gone", "No user matches 'gone' exactly; candidates: Bruno Gone|5."),
        ("Ada Moreno|2", "No user matches 'Ada Moreno|2' exactly; candidates: Ada Moreno|1."),
        ("sam twin", "Several users match 'sam twin': Sam Twin|6, Sam Twin|7."),
        ("nobody", "No user matches 'nobody'."),
    ],
)
def test_anything_else_is_refused_with_the_candidates(text: str, reason: str) -> None:
    with pytest.raises(Unresolved) as refused:
        person_id(text, PEOPLE, ADA, parts=False)
    assert refused.value.user_message == reason


def test_who_joins_changes_no_target_but_to_an_error() -> None:
    newcomer = User(40, "2", "newcomer@x.example")
    with pytest.raises(Unresolved, match=r"Several users match '2': 2\|40, Bruno Castell\|2"):
        person_id("2", [*PEOPLE, newcomer], parts=False)
    with pytest.raises(Unresolved, match="Several channels match '12'"):
        channel_id("12", [*CHANNELS, Channel(40, "12")], parts=False)


def test_where_no_part_of_a_name_is_enough_a_channel_is_named_exactly() -> None:
    assert channel_id("#General", CHANNELS, parts=False) == 10
    assert channel_id("12", CHANNELS, parts=False) == 12
    for text, reason in (
        ("gen", "No channel matches 'gen' exactly; candidates: #general."),
        ("engin", "No channel matches 'engin' exactly; candidates: #engineering, #Engine room."),
        ("nowhere", "No channel matches 'nowhere'."),
    ):
        with pytest.raises(Unresolved) as refused:
            channel_id(text, CHANNELS, parts=False)
        assert refused.value.user_message == reason


def test_all_names_of_a_narrow_can_be_exact() -> None:
    for text in ("from:dario", "mentions:dario", "channel:gen", "dm:bruno", "dm-including:dana"):
        with pytest.raises(Unresolved, match="exactly; candidates: "):
            resolve(Narrow.search(text), PEOPLE, CHANNELS, ADA, parts=False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("general", 10),
        ("#General", 10),
        ("gen", 10),
        ("room", 12),
        ("42", 13),
        ("12", 12),
        ("engineering", 11),
        ("general of old", 14),
        ("14", 14),
        ("of old", 14),
    ],
)
def test_one_channel_is_meant(text: str, found: int) -> None:
    assert channel_id(text, CHANNELS) == found


def test_several_channels_are_named_in_the_reason() -> None:
    with pytest.raises(Unresolved) as refused:
        channel_id("engin", CHANNELS)
    assert refused.value.user_message == "Several channels match 'engin': #engineering, #Engine room."


def test_all_terms_of_a_narrow_are_resolved() -> None:
    narrow = Narrow.search(
        'from:dario mentions:dario -channel:gen dm:me,bruno dm-including:"Dana, the second" is:unread soup'
    )
    assert resolve(narrow, PEOPLE, CHANNELS, ADA) == Narrow(
        (
            Term("sender", DARIO),
            Term("mentions", DARIO),
            Term("channel", 10, True),
            Term("dm", frozenset({BRUNO})),
            Term("dm-including", frozenset({DANA})),
            Term("is", "unread"),
            Term("search", "soup"),
        )
    )


@pytest.mark.parametrize("text", ["is:nonsense", "has:nonsense"])
def test_filters_that_do_not_exist_are_refused_with_those_that_do(text: str) -> None:
    with pytest.raises(Unresolved, match="Known: "):
        resolve(Narrow.search(text), PEOPLE, CHANNELS, ADA)


def test_a_part_of_a_name_may_be_written_without_its_accents() -> None:
    bela, plain = User(8, "Béla Ősz", "bela@x.example"), User(9, "Bela Nagy", "nagy@x.example")
    stores = [Channel(20, "Läden")]
    assert person_id("osz", [bela, plain]) == 8
    assert person_id("bela", [bela]) == 8
    assert person_id("bela", [bela, plain]) == 9, "as it is written comes first"
    assert channel_id("lade", stores) == 20
    for text in ("nágy", "böla"):
        with pytest.raises(Unresolved):
            person_id(text, [bela, plain])
    with pytest.raises(Unresolved):
        person_id("bela osz", [bela], parts=False)
