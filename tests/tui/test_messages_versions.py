"""What changed between two versions of a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast.screens.messages.versions import MAX_WORDS, Version, VersionsScreen, changed_words
from narrowcast.widgets.strips import plain_text
from support.stage import on_stage


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ("same", "same", [("", "same")]),
        ("the old words", "the new words", [("", "the "), ("gone", "old"), ("added", "new"), ("", " words")]),
        ("one", "one\ntwo", [("", "one"), ("added", "\ntwo")]),
        ("one two", "one", [("", "one"), ("gone", " two")]),
        ("", "all", [("added", "all")]),
        ("x", "w " * MAX_WORDS, [("", "w " * MAX_WORDS)]),
    ],
)
def test_the_words_that_changed_are_told_apart(old: str, new: str, pieces: list[tuple[str, str]]) -> None:
    assert list(changed_words(old, new)) == pieces


@pytest.mark.parametrize(("has_colours", "newest"), [(False, "[-old-]{+new+} words"), (True, "oldnew words")])
async def test_without_colours_changes_are_marked_by_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_colours: bool, newest: str
) -> None:
    if not has_colours:
        monkeypatch.setenv("NO_COLOR", "1")
    async with on_stage(tmp_path) as stage:
        screen = VersionsScreen(
            [Version("Ada, Monday", "first\nold words"), Version("Ada, Tuesday", "first\nnew words")]
        )
        await stage.app.push_screen(screen)
        await stage.pilot.pause()
        rows = plain_text(screen.rows.row_at(y) for y in range(8)).split("\n")
        assert [row.strip("▌ ") for row in rows] == [
            *("Ada, Tuesday", "first", newest, ""),
            *("Ada, Monday", "first", "old words", ""),
        ]


@given(st.text("ab \n,", max_size=40), st.text("ab \n,", max_size=40))
def test_both_versions_are_whole_in_the_pieces(old: str, new: str) -> None:
    pieces = list(changed_words(old, new))
    assert "".join(text for kind, text in pieces if kind != "gone") == new
    assert "".join(text for kind, text in pieces if kind != "added") == old
