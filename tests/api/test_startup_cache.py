"""What a start shows before there is a network: the account of the last session, and cached pages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import PAGE
from narrowcast_api.state.state import State
from narrowcast_api.storage.cache import Cache
from narrowcast_api.storage.codec import to_json
from narrowcast_api.sync import startup_cache
from narrowcast_api.sync.startup_cache import cached_messages, load_state, save_progress
from support.clock import VirtualClock
from support.live import (
    ADA,
    BRUNO,
    CHIYO,
    DESIGN,
    GENERAL,
    apply,
    channel_message,
    direct_message,
    make_state,
    message_event,
    snapshot,
)


def saved(cache: Cache, **fields: object) -> None:
    cache.save_snapshot(to_json(snapshot(**fields)))


@pytest.mark.parametrize("kept", [None, b"[]", b"{}", b"nonsense", b"[" * 100_000])
def test_without_a_snapshot_that_can_be_read_a_start_has_an_empty_account(
    cache: Cache, clock: VirtualClock, kept: bytes | None
) -> None:
    if kept is not None:
        cache.save_snapshot(kept)
    state = load_state(cache, clock)
    assert (state.me, state.from_cache, list(state.channels)) == (0, True, [])
    save_progress(cache, make_state())
    assert cache.load_snapshot() == kept


def test_a_start_shows_what_was_unread_and_starred_in_the_end(cache: Cache, clock: VirtualClock) -> None:
    saved(cache)
    state = load_state(cache, clock)
    assert (state.me, state.from_cache) == (ADA, True)
    apply(state, message_event(channel_message(101), "starred"))
    save_progress(cache, state)
    again = load_state(cache, clock)
    assert (set(again.unreads), again.starred, again.from_cache) == ({101}, {101}, True)


@pytest.mark.parametrize("why", ["somebody else's", "large"])
def test_what_is_somebody_elses_or_too_large_to_be_written_at_an_end_stays_as_it_is(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    saved(cache, user_id=BRUNO if why == "somebody else's" else ADA)
    before = cache.load_snapshot()
    assert before is not None
    monkeypatch.setattr(startup_cache, "MAX_RENEWED_BYTES", len(before) - (why == "large"))
    state = make_state()
    apply(state, message_event(channel_message(101)))
    save_progress(cache, state)
    assert cache.load_snapshot() == before


def shown(cache: Cache, state: State, narrow: Narrow, before: int | None = None) -> Sequence[int]:
    return [message.id for message in cached_messages(cache, state, narrow, before)]


def test_each_view_has_a_page_of_what_was_read_of_it(cache: Cache) -> None:
    state = make_state(starred_messages=[101, 104])
    rows = [
        channel_message(101, "soup"),
        channel_message(102, "stew", sender=CHIYO),
        channel_message(103, "soup", channel_id=DESIGN),
        direct_message(104),
    ]
    cache.save_messages([read_message(row) for row in rows])
    for narrow, ids in (
        (Narrow.topic(GENERAL, "soup"), [101]),
        (Narrow.direct(frozenset({BRUNO})), [104]),
        (Narrow.channel(GENERAL), [101, 102]),
        (Narrow.starred(), [101, 104]),
        (Narrow.all(), [101, 102, 103, 104]),
        (Narrow.search("sender:3", Narrow.channel(GENERAL)), [102]),
        (Narrow.search("sender:2"), [101, 103, 104]),
    ):
        assert shown(cache, state, narrow) == ids, narrow
        for before in range(101, 106):
            assert shown(cache, state, narrow, before) == [one for one in ids if one < before], narrow


def test_at_most_one_page_is_shown_however_much_is_cached(cache: Cache) -> None:
    state = make_state(starred_messages=list(range(1, 3 * PAGE)))
    rows = [channel_message(number, "soup" if number % 2 else "stew") for number in range(1, 3 * PAGE)]
    cache.save_messages([read_message(row) for row in rows])
    of_bruno = Narrow.search("sender:2")
    for narrow in (Narrow.all(), Narrow.starred(), Narrow.channel(GENERAL), of_bruno):
        assert shown(cache, state, narrow) == list(range(2 * PAGE, 3 * PAGE))
    odd = list(range(1, 3 * PAGE, 2))
    assert shown(cache, state, Narrow.topic(GENERAL, "soup")) == odd[-PAGE:]


def test_rare_matches_are_searched_in_several_pages_of_the_cache(cache: Cache) -> None:
    senders = {number: CHIYO if number % 10 == 0 else BRUNO for number in range(1, 3 * PAGE)}
    rows = [channel_message(number, sender=sender) for number, sender in senders.items()]
    cache.save_messages([read_message(row) for row in rows])
    of_chiyo = [number for number, sender in senders.items() if sender == CHIYO]
    assert shown(cache, make_state(), Narrow.search("sender:3")) == of_chiyo
