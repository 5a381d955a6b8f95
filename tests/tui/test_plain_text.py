"""Columns stay aligned in terminals that cannot show every character."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from narrowcast.terminal.fallbacks import tolerate_all_characters


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("● live · #general › lunch", "ascii", "* live . #general > lunch"),
        ("▌▾ crème │", "latin-1", "|v crème |"),
        ("crème", "ascii", "creme"),
        ("漢字 😀!", "ascii", "???? ??!"),
        ("a\u0301b", "latin-1", "ab"),
    ],
)
def test_characters_missing_in_a_character_set_are_replaced_by_something_as_wide(
    text: str, encoding: str, shown: str
) -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    tolerate_all_characters(file)
    file.write(text)
    file.flush()
    assert raw.getvalue().decode(encoding) == shown
    assert cell_len(shown) == cell_len(text)
