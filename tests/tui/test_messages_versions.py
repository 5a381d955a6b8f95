"""What changed between two versions of a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast.screens.messages.versions import MOST_WORDS, _lines, changed_words


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ("same", "same", [("", "same")]),
        ("the old words", "the new words", [("", "the "), ("gone", "old"), ("added", "new"), ("", " words")]),
        ("one", "one\ntwo", [("", "one"), ("added", "\ntwo")]),
        ("one two", "one", [("", "one"), ("gone", " two")]),
        ("", "all", [("added", "all")]),
        ("x", "w " * MOST_WORDS, [("", "w " * MOST_WORDS)]),
    ],
)
def test_the_words_that_changed_are_told_apart(old: str, new: str, pieces: list[tuple[str, str]]) -> None:
    assert list(changed_words(old, new)) == pieces


def test_without_colours_changes_are_marked_by_characters() -> None:
    assert _lines("old words", "new words", plain=True) == [
        [("gone", "[-old-]"), ("added", "{+new+}"), ("", " words")]
    ]
    assert _lines(None, "first\nwords", plain=True) == [[("", "first")], [("", "words")]]


@given(st.text("ab \n,", max_size=40), st.text("ab \n,", max_size=40))
def test_both_versions_are_whole_in_the_pieces(old: str, new: str) -> None:
    pieces = list(changed_words(old, new))
    assert "".join(text for kind, text in pieces if kind != "gone") == new
    assert "".join(text for kind, text in pieces if kind != "added") == old
