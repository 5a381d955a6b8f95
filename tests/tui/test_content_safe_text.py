"""Which characters may reach the screen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from narrowcast.text.safe_text import SafeText, crop_cells, safe_block, safe_line


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x7fb", "a␡b"),
        ("a\x9b31mb", "a�31mb"),
        ("two\nlines", "two lines"),
        ("two \r\n \n lines", "two lines"),
        ("tab\there", "tab here"),
        ("photo\u202egpj.exe", "photogpj.exe"),
        ("\u2066isolated\u2069", "isolated"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("soft\u00adhyphen", "softhyphen"),
        ("a\u200db", "ab"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("👍🏽", "👍🏽"),
        ("❤\ufe0f", "❤"),
        ("1\ufe0f\u20e3", "1\u20e3"),
        ("Z" + "\u0334\u0335" * 20, "Z\u0334\u0335\u0334"),
        ("ส" + "็" * 30, "ส็็็"),
        ("cafe\u0301", "cafe\u0301"),
        ("bad \ud800 half", "bad � half"),
        ("[bold]markup[/]", "[bold]markup[/]"),
        ("flag 🏴\U000e0067\U000e0062\U000e007f", "flag 🏴"),
    ],
)
def test_a_line_shows_controls_and_drops_what_is_invisible(raw: str, shown: str) -> None:
    assert safe_line(raw) == shown


def test_a_block_keeps_its_lines_and_expands_tabs() -> None:
    assert safe_block("a\tb\r\nc\u2028d\re") == "a   b\nc\nd␍e"


def test_a_chain_of_joined_emoji_is_broken_so_that_it_takes_the_room_it_shows() -> None:
    assert cell_len(safe_line("👩\u200d" * 50 + "👩")) >= 20


def test_a_line_is_cut_at_cells_and_not_at_characters() -> None:
    assert safe_line("漢字漢字", 5) == "漢字…"
    assert safe_line("漢字", 4) == "漢字"
    assert safe_line("abcdef", 3) == "ab…"
    assert safe_line("abc", 0) == ""


def test_the_work_for_a_line_is_bounded_by_its_cells() -> None:
    assert cell_len(safe_line("a" + "\u0301" * 10_000_000, 10)) <= 10


@given(st.text(alphabet=st.characters(codec=None), max_size=80), st.integers(0, 20))
def test_no_control_invisible_or_overlong_text_ever_comes_out(text: str, cells: int) -> None:
    line = safe_line(text, cells)
    block = safe_block(text)
    assert isinstance(line, SafeText)
    assert cell_len(line) <= cells
    assert "\n" not in line
    for character in line + block.replace("\n", ""):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in ("LRO", "RLO", "LRE", "RLE", "PDF", "LRI", "RLI")
    (line + block).encode()


@given(st.text(max_size=60))
def test_filtering_safe_text_changes_nothing(text: str) -> None:
    assert safe_line(safe_line(text)) == safe_line(text)
    assert safe_block(safe_block(text)) == safe_block(text)


@given(st.text(max_size=60), st.integers(0, 30))
def test_cropped_text_fits(text: str, cells: int) -> None:
    assert cell_len(crop_cells(safe_line(text), cells)) <= cells
