"""What the cache finds without a network: words, and search terms about messages."""

from __future__ import annotations

import pytest

from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from narrowcast_api.storage.cache import Cache
from narrowcast_api.sync import local_search
from narrowcast_api.sync.local_search import search_cache
from support.live import ADA, GENERAL, channel_message, make_state

CONTENTS = {
    1: "<p>soup</p>",
    2: '<p>soup <a href="https://x.example/">here</a></p>',
    3: '<p>stew <span class="user-mention" data-user-id="1">@Ada</span></p><div class="message_inline_image"></div>',
    4: '<p>stew</p><div class="message-media-preview"></div>',
    5: '<p>soup and stew <a href="/user_uploads/2/ab/list.txt">list</a></p>',
    6: "<p>SOUP</p>",
}


@pytest.fixture
def cache(cache: Cache) -> Cache:
    """A state with the messages of `CONTENTS`."""
    rows = [
        channel_message(number, "lunch", content=content, sender=ADA if number == 6 else 2)
        for number, content in CONTENTS.items()
    ]
    cache.save_messages([read_message(row) for row in rows])
    return cache


@pytest.fixture
def state() -> State:
    return make_state()


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("has:link", [5, 2]),
        ("has:links", [5, 2]),
        ("-has:link", [6, 4, 3, 1]),
        ("has:image", [4, 3]),
        ("has:attachment", [5]),
        ("-has:attachments -has:image", [6, 2, 1]),
        ("soup", [6, 5, 2, 1]),
        ("soup -search:stew", [6, 2, 1]),
        ("-search:soup", [4, 3]),
        ("soup has:link", [5, 2]),
        ("soup sender:1", [6]),
        ("sender:1", [6]),
        ("-sender:1 -has:link soup", [1]),
        ("mentions:1", [3]),
    ],
)
def test_matching_messages_are_found_newest_first(
    cache: Cache, state: State, typed: str, ids: list[int]
) -> None:
    found = search_cache(cache, Narrow.search(typed), state, 10)
    assert [hit.message.id for hit in found.hits] == ids
    assert found.unevaluated == ()
    few = search_cache(cache, Narrow.search(typed), state, 1)
    assert [hit.message.id for hit in few.hits] == ids[:1]


@pytest.mark.parametrize("typed", ["soup", "has:link"])
def test_an_old_match_is_found_although_the_cache_is_read_in_parts(
    cache: Cache, state: State, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    whole = search_cache(cache, Narrow.search(typed), state, 10)
    monkeypatch.setattr(local_search, "BATCH_SIZE", 2)
    assert search_cache(cache, Narrow.search(typed), state, 10) == whole


def test_a_hit_has_text_of_its_message(cache: Cache, state: State) -> None:
    for typed in ("stew", "has:attachment"):
        hit = search_cache(cache, Narrow.search(typed, Narrow.channel(GENERAL)), state, 1).hits[0]
        assert (hit.message.id, "soup and stew" in hit.snippet) == (5, True)


@pytest.mark.parametrize("typed", ["has:of-the-future", "is:of-the-future", "channels:public"])
def test_what_only_the_server_can_tell_is_left_out_and_named(cache: Cache, state: State, typed: str) -> None:
    for alone, ids in ((typed, [6, 5, 4, 3, 2, 1]), (f"{typed} has:image", [4, 3])):
        found = search_cache(cache, Narrow.search(alone), state, 10)
        assert [hit.message.id for hit in found.hits] == ids
        assert [term.operator for term in found.unevaluated] == [typed.partition(":")[0]]
