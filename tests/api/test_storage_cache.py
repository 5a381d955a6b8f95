"""cache.db: quick, searchable, bounded, and dispensable when it is broken."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from narrowcast_api.model.messages import Message, Reaction, Submessage
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.storage.cache import Cache
from narrowcast_api.storage.cache_file import Rows
from narrowcast_api.storage.codec import destination_from_text, message_from_text, message_to_text, plain_text
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.search import match_expression

ME = 1
LUNCH = ChannelDestination(7, "lunch")
WITH_BRUNO = DirectDestination(frozenset({2}))


def message(number: int, content: str = "<p>hello</p>", **changes: Any) -> Message:
    made = Message(
        number, 2, "Bruno", "bruno@demo.example", 1_800_000_000, content, channel_id=7, topic="lunch"
    )
    return replace(made, **changes)


def direct(number: int, people: set[int]) -> Message:
    return message(number, channel_id=None, topic=None, direct_user_ids=frozenset(people))


@given(
    st.builds(
        Message,
        id=st.integers(),
        sender_id=st.integers(),
        sender_name=st.text(st.characters()),
        sender_email=st.text(),
        timestamp=st.integers(),
        content=st.text(st.characters()),
        channel_id=st.none() | st.integers(),
        topic=st.none() | st.text(),
        direct_user_ids=st.none() | st.frozensets(st.integers()),
        flags=st.frozensets(st.text()),
        reactions=st.lists(st.builds(Reaction, st.text(), st.text(), st.text(), st.integers())).map(tuple),
        is_me_message=st.booleans(),
        edited_at=st.none() | st.integers(),
        moved_at=st.none() | st.integers(),
        submessages=st.lists(st.builds(Submessage, st.integers(), st.integers(), st.text(), st.text())).map(
            tuple
        ),
        client=st.text(),
        local_id=st.none(),
    )
)
def test_a_message_survives_being_text(value: Message) -> None:
    assert message_from_text(message_to_text(value)) == value


def test_a_conversation_is_loaded_oldest_first_whatever_the_case_of_its_topic(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(3), message(1), message(2, topic="Lunch"), message(4, topic="tea")])
    assert [m.id for m in cache.load_conversation(ChannelDestination(7, "LUNCH"), ME, 10)] == [1, 2, 3]
    assert [m.id for m in cache.load_conversation(LUNCH, ME, 2)] == [2, 3]
    assert [m.id for m in cache.load_conversation(LUNCH, ME, 2, before=2)] == [1]
    assert [m.id for m in cache.load_conversation_after(LUNCH, ME, 1, 1)] == [2]
    assert [m.id for m in cache.load_conversation_after(LUNCH, ME, 5, 1)] == [2, 3]
    assert [m.id for m in cache.load_channel(7, 10)] == [1, 2, 3, 4]
    assert [m.id for m in cache.load_newest(1)] == [4]
    assert [m.id for m in cache.load_messages([4, 99, 1])] == [1, 4]
    cache.close()


def test_all_messages_are_forgotten_with_the_first_that_is_another_now(cache: Cache) -> None:
    cache.save_messages([message(1), message(2), message(3)])
    assert not cache.forget_replaced([message(2, "<p>edited</p>", topic="soup"), message(9)])
    assert cache.forget_replaced([message(2, sender_id=3)])
    assert (cache.load_newest(9), cache.search("hello")) == ([], [])


@pytest.mark.parametrize("other", [{"sender_id": 3}, {"timestamp": 5}])
def test_what_replaces_a_cached_message_is_stored_and_what_was_stored_before_is_not_kept_beside_it(
    cache: Cache, other: dict[str, Any]
) -> None:
    cache.save_messages([message(1), message(2)])
    cache.save_messages([replaced := message(2, "<p>another</p>", **other), message(3)])
    assert cache.load_newest(9) == [replaced, message(3)]
    assert [hit.message_id for hit in cache.search("hello")] == [3]


def test_the_newest_message_of_earlier_sessions_or_before_a_mark_is_known(tmp_path: Path) -> None:
    before = Cache.open(tmp_path / "cache.db", executor=inline)
    assert before.newest_marked() is None
    before.save_messages([message(1), message(2)])
    before.close()
    cache = Cache.open(tmp_path / "cache.db", executor=inline)
    cache.save_messages([message(3)])
    assert cache.newest_marked() == 2
    cache.mark()
    cache.save_messages([message(4)])
    assert cache.newest_marked() == 3
    cache.close()


def test_a_direct_conversation_is_known_by_the_others(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([direct(1, {ME, 5}), direct(2, {ME, 5, 6}), direct(3, {ME})])
    assert [m.id for m in cache.load_conversation(DirectDestination(frozenset({5})), ME, 10)] == [1]
    assert [m.id for m in cache.load_conversation(DirectDestination(frozenset()), ME, 10)] == [3]
    cache.close()


def test_everything_is_there_again_after_a_restart(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1), message(2)])
    cache.delete_messages([1])
    cache.save_view("first", [1], None)
    cache.save_view("second", [1, 2], 2)
    cache.save_snapshot(b'{"queue_id": "x"}' * 1000)
    cache.close()
    again = Cache.open(tmp_path / "cache.db")
    assert again.load_newest(10) == [message(2)]
    last = again.last_view()
    assert last is not None
    assert (last.key, last.ids, last.anchor) == ("second", (1, 2), 2)
    again.save_view("first", [2], 2)
    assert (again.last_view() or last).key == "first"
    assert again.load_snapshot() == b'{"queue_id": "x"}' * 1000
    again.close()


def test_an_edited_message_replaces_the_old_one_also_for_search(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1, "<p>apples</p>")])
    cache.save_messages([message(1, "<p>pears</p>")])
    assert cache.search("apples") == []
    assert [hit.message_id for hit in cache.search("pears")] == [1]
    cache.delete_messages([1])
    assert cache.search("pears") == []
    cache.close()


@pytest.mark.parametrize(
    "typed", ["creme brulee", "Crème", "BRÛLÉE", '"crème brûlée"', "brul", "bruno crème", "lunch cr"]
)
def test_search_folds_accents_and_case_and_completes_the_last_word(tmp_path: Path, typed: str) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages(
        [message(1, "<p>We have <strong>crème</strong> brûlée</p>"), message(2, "<p>soup</p>")]
    )
    (hit,) = cache.search(typed)
    assert hit.message_id == 1
    assert "crème brûlée" in hit.snippet
    cache.close()


def test_a_hit_says_where_the_words_are(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1, "<p>one two three</p>")])
    (hit,) = cache.search("two")
    assert hit.snippet == "one two three"
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["two"]
    cache.close()


def test_search_is_limited_to_a_channel_or_a_sender(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1), message(2, channel_id=8), direct(3, {ME, 2})])
    assert [hit.message_id for hit in cache.search("hello")] == [3, 2, 1]
    cache.close()


@given(st.text(st.characters()))
def test_no_text_is_understood_as_a_query_language(typed: str) -> None:
    cache = Cache.open(None)
    cache.save_messages([message(1)])
    expression = match_expression(typed)
    if expression is not None:
        # A syntax error would raise here; `search` itself would hide it.
        cache.file.reader.execute("SELECT rowid FROM words WHERE words MATCH ?", (expression,)).fetchall()
    cache.close()


def test_plain_text_keeps_words_whole_and_blocks_apart() -> None:
    assert plain_text("<p>in<em>divis</em>ible</p><p>next &amp; last</p>") == "indivisible next & last"


def test_a_hundred_messages_are_there_within_twenty_milliseconds(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(number, "<p>" + "some words " * 40 + "</p>") for number in range(5000)])
    took = []
    for _ in range(5):
        started = time.thread_time()
        assert len(cache.load_conversation(LUNCH, ME, 100)) == 100
        took.append(time.thread_time() - started)
    assert min(took) < 0.020
    cache.close()


def test_above_its_size_it_forgets_what_was_seen_longest_ago(tmp_path: Path) -> None:
    limit = 2 * 2**20
    cache = Cache.open(tmp_path / "cache.db", limit=limit)
    old, new = "<p>" + "old " * 500 + "</p>", "<p>" + "new " * 500 + "</p>"
    cache.save_messages([message(number, old) for number in range(10_000, 10_500)])
    cache.save_messages([message(9000, old)])
    for start in range(0, 2500, 100):
        cache.save_messages([message(9000, old)])
        cache.save_messages([message(number, new) for number in range(start, start + 100)])
        assert len(cache.load_messages([9000])) == 1, "it was seen again and again"
    assert cache.size <= limit
    assert cache.load_messages(range(10_000, 10_500)) == [], "a greater id does not help"
    assert len(cache.load_messages(range(2000, 2500))) > 0
    cache.close()
    assert (tmp_path / "cache.db").stat().st_size <= limit * 1.2


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(os.urandom(20_000))
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1)])
    assert cache.load_newest(10) == [message(1)]
    assert len(list(tmp_path.glob("cache.db.damaged-*"))) == 1
    cache.close()


def test_damage_found_while_reading_leads_to_a_new_cache(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    cache = Cache.open(path)
    cache.save_messages([message(number, "<p>" + "words " * 200 + "</p>") for number in range(2000)])
    cache.close()
    raw = bytearray(path.read_bytes())
    raw[4096 * 20 : 4096 * 400] = os.urandom(4096 * 380)
    path.write_bytes(raw)
    told: list[str | None] = []
    cache = Cache.open(path)
    cache.file.on_warning = lambda: told.append(cache.warning)
    assert cache.file.verify() is False
    assert "being rebuilt" in (told[0] or "")
    cache.save_messages([message(1)])
    assert cache.load_newest(10) == [message(1)]
    assert cache.file.verify() is True
    cache.close()


@pytest.mark.parametrize("closed", [True, False])
async def test_a_file_that_nobody_closed_is_checked_at_the_next_start(tmp_path: Path, closed: bool) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    await cache.run(cache.verify_after_crash)
    cache.save_messages([message(1)])
    if closed:
        cache.close()
    checked = []

    def verify() -> bool:
        checked.append(1)
        return True

    again = Cache.open(tmp_path / "cache.db")
    again.file.verify = verify  # type: ignore[method-assign]  # a spy
    await again.run(again.verify_after_crash)
    assert bool(checked) is not closed
    again.close()
    cache.close()


def test_a_cache_of_a_later_version_is_made_anew(tmp_path: Path) -> None:
    Cache.open(tmp_path / "cache.db").close()
    connection = sqlite3.connect(tmp_path / "cache.db")
    connection.execute("PRAGMA user_version=99")
    connection.close()
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1)])
    assert cache.load_newest(1) == [message(1)]
    cache.close()


@pytest.mark.parametrize(
    ("version", "says"), [(0, "an earlier version of this program"), (99, "a later version of this program")]
)
def test_who_may_only_read_says_which_version_wrote_the_cache(
    tmp_path: Path, version: int, says: str
) -> None:
    Cache.open(tmp_path / "cache.db").close()
    connection = sqlite3.connect(tmp_path / "cache.db")
    connection.execute(f"PRAGMA user_version={version}")
    connection.close()
    cache = Cache.open(tmp_path / "cache.db", read_only=True)
    assert says in (cache.file.warning or "")
    cache.close()


def test_on_a_full_disk_it_says_so_and_goes_on_with_what_it_has(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(1)])
    pages = cache.file.writer.execute("PRAGMA page_count").fetchone()[0]
    cache.file.writer.execute(f"PRAGMA max_page_count={pages}")
    cache.save_messages([message(2, "<p>" + "x" * 200_000 + "</p>")])
    assert cache.warning == "The cache cannot be used: the disk is full."
    assert [m.id for m in cache.load_newest(10)] == [1]
    cache.file.writer.execute("PRAGMA max_page_count=1000000")
    cache.save_messages([message(3)])
    assert cache.warning is None
    cache.close()


def test_where_no_file_can_be_made_it_works_in_memory(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "missing" / "cache.db")
    cache.save_messages([message(1)])
    assert cache.load_newest(1) == [message(1)]
    assert [hit.message_id for hit in cache.search("hello")] == [1]
    assert "cache cannot be used" in (cache.warning or "")
    cache.close()


def test_ids_that_sqlite_cannot_hold_are_skipped(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.save_messages([message(2**70), message(1)])
    cache.delete_messages([2**70])
    assert cache.load_messages([2**70, 1]) == [message(1)]
    cache.close()


async def test_writes_happen_in_order_in_a_thread_of_its_own(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    for number in range(50):
        cache.post(cache.save_messages, [message(1, f"<p>{number}</p>")])
    assert (await cache.run(cache.load_messages, [1]))[0].content == "<p>49</p>"
    cache.post(cache.save_messages, [message(2)])
    cache.close()
    again = Cache.open(tmp_path / "cache.db")
    assert len(again.load_newest(10)) == 2, "close waits for what was posted"
    again.close()


def test_a_second_instance_reads_the_cache_and_learns_nothing(tmp_path: Path) -> None:
    first = Cache.open(tmp_path / "cache.db")
    first.save_messages([message(1)])
    second = Cache.open(tmp_path / "cache.db", read_only=True)
    second.save_messages([message(2)])
    assert [m.id for m in second.load_newest(10)] == [1]
    second.close()
    first.close()


def test_what_earlier_versions_wrote_is_read() -> None:
    text = (
        '[7,2,"Bruno","b@demo.example",1800000000,"<p>hi \\ud83c\\udf72</p>",7,"lunch",null,["read"],'
        '[["tada","1f389","unicode_emoji",3]],false,null,1800000001,[[1,2,"widget","{}"]],"web"]'
    )
    assert message_from_text(text) == message(
        7,
        "<p>hi 🍲</p>",
        sender_email="b@demo.example",
        flags=frozenset({"read"}),
        reactions=(Reaction("tada", "1f389", "unicode_emoji", 3),),
        moved_at=1_800_000_001,
        submessages=(Submessage(1, 2, "widget", "{}"),),
        client="web",
    )
    assert destination_from_text('["channel", 7, "lunch"]') == LUNCH
    assert destination_from_text('["direct", [3, 2]]') == DirectDestination(frozenset({2, 3}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "7", '["channel", "7", "x"]', '["group", [1]]', '["direct", 5']
)
def test_an_invalid_stored_text_raises_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # or any subclass
        destination_from_text(text)
    with pytest.raises(ValueError):  # or any subclass
        message_from_text(text)


@pytest.mark.parametrize(
    ("load", "index"),
    [
        (lambda cache: cache.load_conversation(LUNCH, ME, 10), "messages_by_topic (channel_id=? AND topic=?"),
        (lambda cache: cache.load_conversation(WITH_BRUNO, ME, 10), "messages_by_people (people=?"),
        (lambda cache: cache.load_channel(7, 10), "messages_by_channel (channel_id=?"),
    ],
    ids=["topic", "direct", "channel"],
)
def test_a_page_is_read_from_its_index_in_order(
    monkeypatch: pytest.MonkeyPatch, load: Callable[[Cache], list[Message]], index: str
) -> None:
    """The indexes are partial: SQLite uses them only if the query excludes rows without channel or people."""
    asked: list[tuple[str, tuple[Any, ...]]] = []
    cache = Cache.open(None)

    def read(query: str, *values: Any) -> Rows:
        asked.append((query, values))
        return []

    monkeypatch.setattr(cache.file, "read", read)
    load(cache)
    ((query, values),) = asked
    plan = [step for (*_, step) in cache.file.reader.execute(f"EXPLAIN QUERY PLAN {query}", values)]
    assert len(plan) == 1, "nothing is sorted"
    assert f"INDEX {index}" in plan[0]
    cache.close()
