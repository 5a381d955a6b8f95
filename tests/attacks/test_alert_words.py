"""Other users' alert words make no message slow."""

from __future__ import annotations

import pytest

from narrowcast_server.markdown.render import alerted
from support.server import TestServer
from support.timing import held

HARD_TEXTS = ("a" * 10_000, "xa " * 3_333, "a " * 5_000, "aab" * 3_333)
HARD_WORDS = (
    ["a" * length for length in range(1, 100)],
    ["a " * (length // 2) + "b" for length in range(1, 99)],
    [("xa " * 33)[offset : offset + 60] + "q" for offset in range(39)],
)


@pytest.mark.parametrize("text", HARD_TEXTS, ids=lambda text: text[:3])
@pytest.mark.parametrize("words", HARD_WORDS, ids=lambda words: words[0][:3])
async def test_any_number_of_alert_words_is_matched_quickly(
    server: TestServer, text: str, words: list[str]
) -> None:
    for name in ("hugo", "dario", "elif", "farid"):
        await server.call(name, "POST", "/users/me/alert_words", {"alert_words": words})
    await server.send("ada", "general", "t", "warm")
    with held() as watch:
        await server.send("ada", "general", "t", text)
    assert watch.longest < 0.25, watch


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("soup", "soup", True),
        ("SOUP!", "soup", True),
        ("a soup, please", "Soup", True),
        ("soups", "soup", False),
        ("a_soup", "soup", False),
        ("Straße", "STRASSE", True),
        ("éclair", "clair", False),
        ("an éclair", "éclair", True),
        ("a.*b", ".*", False),
        ("a .* b", ".*", True),
        ("x", "", False),
        ("", "x", False),
        ("(x)", "(x)", True),
        ("日本 語", "日本", True),
        ("日本語", "日本", False),
        ("two words here", "two words", True),
        ("soupsoup soup", "soup", True),
    ],
)
def test_alert_words_are_whole_words(text: str, word: str, found: bool) -> None:
    assert (7 in alerted(text, {7: [word]})) is found
