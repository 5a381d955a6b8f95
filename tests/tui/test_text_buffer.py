"""The text buffer of the editor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Size

from narrowcast.widgets.text_buffer import MAX_UNDO_LENGTH, TextBuffer
from narrowcast.widgets.text_window import TextWindow

TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_categories=["Cs"]), st.sampled_from("ab \n界👩‍👩‍👧e\u0301🇫🇷👍🏽")
    ),
    max_size=60,
)
ACTS = [
    "left",
    "right",
    "word_left",
    "word_right",
    "home",
    "end",
    "backspace",
    "delete",
    "kill_word",
    "kill_word_right",
    "kill_start",
    "kill_end",
    "yank",
    "undo",
]


@given(TEXTS, st.integers(2, 30))
def test_wrapping_loses_nothing_and_fits_the_width(text: str, width: int) -> None:
    buffer = TextBuffer(text)
    rows = buffer.rows(width)
    rebuilt = ""
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        rebuilt += buffer.text[row.start : row.end]
        if after is not None and after.start > row.end:
            rebuilt += "\n"
    assert rebuilt == buffer.text
    for row in rows:
        shown = buffer.text[row.start : row.end]
        assert cell_len(shown) < width or row.end - row.start == 1


@given(TEXTS, st.integers(4, 30), st.lists(st.sampled_from(ACTS), max_size=25))
def test_the_cursor_stays_within_the_text_for_all_keys(text: str, width: int, acts: list[str]) -> None:
    buffer = TextBuffer(text)
    for act in acts:
        getattr(buffer, act)()
        assert 0 <= buffer.cursor <= len(buffer.text)
        rows = buffer.rows(width)
        row, cell = buffer.locate(rows)
        assert 0 <= row < len(rows)
        assert cell >= 0


@given(TEXTS, st.lists(st.sampled_from(["insert", "backspace", "kill_word", "kill_start"]), max_size=15))
def test_undo_goes_back_to_the_beginning(text: str, acts: list[str]) -> None:
    buffer = TextBuffer(text)
    start = buffer.text
    for act in acts:
        buffer.insert("x") if act == "insert" else getattr(buffer, act)()
    while buffer.undo():
        pass
    assert buffer.text == start


def test_undo_of_a_huge_text_takes_a_limited_amount_of_memory() -> None:
    pasted = "x" * (MAX_UNDO_LENGTH // 10)
    buffer = TextBuffer()
    buffer.insert(pasted)
    for _ in range(30):
        buffer.backspace()
    steps = 0
    while buffer.undo():
        steps += 1
    assert 9 <= steps <= 11
    assert len(buffer.text) == len(pasted) - 30 + steps
    huge = TextBuffer("y" * (MAX_UNDO_LENGTH + 1))
    huge.backspace()
    huge.backspace()
    assert huge.undo()
    assert len(huge.text) == MAX_UNDO_LENGTH
    assert not huge.undo()


def test_typed_characters_are_undone_word_by_word() -> None:
    buffer = TextBuffer()
    for character in "one two":
        buffer.insert(character, typed=True)
    buffer.undo()
    assert buffer.text == "one "


def test_a_family_is_one_character() -> None:
    buffer = TextBuffer("a👩‍👩‍👧")
    buffer.backspace()
    assert buffer.text == "a"


def test_cut_text_can_be_inserted_elsewhere() -> None:
    buffer = TextBuffer("first second")
    buffer.kill_word()
    buffer.home()
    buffer.yank()
    assert buffer.text == "secondfirst "


def test_lines_break_at_blanks() -> None:
    buffer = TextBuffer("the quick brown fox")
    assert [buffer.text[row.start : row.end] for row in buffer.rows(11)] == ["the quick ", "brown fox"]


def test_up_and_down_keep_the_column() -> None:
    buffer = TextBuffer("abcdef\nxy\nabcdef")
    rows = buffer.rows(20)
    buffer.cursor = 4
    buffer.vertical(rows, 1)
    assert buffer.locate(rows) == (1, 2)
    assert not TextBuffer("one").vertical([*TextBuffer("one").rows(9)], 1)


def test_one_line_stays_one_line() -> None:
    buffer = TextBuffer("a\nb", multiline=False)
    buffer.insert("c\r\nd")
    assert buffer.text == "a bc d"


def test_a_line_that_fits_again_is_shown_from_its_beginning() -> None:
    buffer = TextBuffer("", multiline=False)
    buffer.insert("Elif Kaya, Bruno Castell")
    window = TextWindow(buffer)
    ((text, caret, _),) = window.shown(Size(18, 1), is_focused=True)
    assert (text, caret) == ("Bruno Castell"[1:], 12)
    ((text, caret, _),) = window.shown(Size(25, 1), is_focused=True)
    assert (text, caret) == ("Elif Kaya, Bruno Castell", 24)


def test_an_emoji_presentation_selector_takes_no_cell() -> None:
    buffer = TextBuffer("\u2764\ufe0f love", multiline=False)
    window = TextWindow(buffer)
    ((text, caret, _),) = window.shown(Size(40, 1), is_focused=True)
    assert (text, caret) == ("\u2764 love", 6)
    assert buffer.text == "\u2764\ufe0f love"


@pytest.mark.parametrize("text", ["日\t本", "é\x1b[x", "a\u200bb", "é\x9b", "日\u2028x", "👍🏽\u202ex"])
def test_the_caret_is_behind_what_is_shown_of_a_control(text: str) -> None:
    window = TextWindow(TextBuffer(text, multiline=False))
    ((shown, caret, _),) = window.shown(Size(40, 1), is_focused=True)
    assert shown.isprintable()
    assert caret == cell_len(shown)


def test_a_row_with_tabs_is_not_wider_than_the_text_has_room() -> None:
    buffer = TextBuffer("é\t\t\t\t\t\t\t\t\tx")
    shown = TextWindow(buffer).shown(Size(8, 4), is_focused=True)
    assert all(cell_len(row.text) < 8 for row in shown)
