"""The table of characters that a terminal interprets or does not show, and the filters that use it."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from narrowcast.terminal.terminal_filter import TerminalFilter
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast_api import characters
from narrowcast_api.files.names import safe_name

ORDINARY = "Grüße, Ωμέγα, हिन्दी, 漢字, עברית, عربي, 🙂, 👩\u200d💻, e\u0301"


def every() -> Iterator[str]:
    """All Unicode characters."""
    return map(chr, range(sys.maxunicode + 1))


def is_obeyed_or_hides(character: str) -> bool:
    """Whether a terminal may interpret the character, or does not show it."""
    category = unicodedata.category(character)
    if category == "Cf":
        return character in "\u202e\u2066\u200f" or not unicodedata.name(character, "").endswith("SIGN")
    return category in {"Cc", "Cs", "Zl", "Zp"}


def test_every_control_surrogate_separator_and_format_character_is_in_the_table() -> None:
    visible = {*map(chr, range(0x600, 0x606)), *"\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"}
    for character in filter(is_obeyed_or_hides, every()):
        drawn = (
            character in visible
            or unicodedata.name(character, "").startswith("EGYPTIAN")
            or unicodedata.name(character, "").startswith("SHORTHAND")
        )
        assert drawn or characters.has_unsafe(character), hex(ord(character))


def test_ordinary_text_of_any_script_stays() -> None:
    assert characters.sanitized(ORDINARY) == ORDINARY
    assert characters.sanitized_line(ORDINARY) == ORDINARY


def test_both_filters_and_the_names_of_files_take_all_of_the_table() -> None:
    gate = TerminalFilter()
    for character in every():
        if not characters.has_unsafe(character) or character in "\n\r\t\x07\x1b":
            continue
        text = f"a{character}b"
        assert not characters.has_unsafe(safe_line(text)), hex(ord(character))
        assert not characters.has_unsafe(safe_block(text).replace("\n", " ")), hex(ord(character))
        assert not characters.has_controls(safe_name(text)), hex(ord(character))
        if not (character == "\u200d" or "\ufe00" <= character <= "\ufe0f"):
            assert character not in gate(text), hex(ord(character))
            assert character not in characters.sanitized(text), hex(ord(character))
            assert character not in safe_name(text), hex(ord(character))


@given(st.text(), st.integers(1, 50))
def test_a_line_is_one_line_and_no_longer_than_asked(text: str, longest: int) -> None:
    line = characters.sanitized_line(text, longest)
    assert len(line) <= longest
    assert not characters.has_controls(line)


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_escaped_json_means_the_same_and_is_safe(value: object) -> None:
    line = characters.escaped(json.dumps(value, ensure_ascii=False))
    assert not characters.has_unsafe(line)
    assert json.loads(line) == json.loads(json.dumps(value))
