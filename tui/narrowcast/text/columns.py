"""The maximum number of columns of a text, as terminals differ.

Indic scripts have marks beside their letter (Unicode's category Mc) and letters that are combined into one.
Rich counts no columns for them, and neither do terminals that shape text; most others, such as tmux, count
one for each.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len

JOINING = re.compile(
    "[\\u0900-\\u0dff\\u0f00-\\u109f\\u1700-\\u17ff\\u1900-\\u1bff\\ua880-\\ua9df\\uaa00-\\uaadf\\uabc0-\\uabff"
    "\\U00011000-\\U000114ff]"
)
"""Letters whose width differs between terminals."""

_NO_COLUMN = ("Mn", "Me", "Cf")


def most_columns(text: str) -> int:
    """The maximum number of columns that a text takes in any terminal."""
    if text.isascii():
        return len(text)
    if JOINING.search(text) is None:
        return cell_len(text)
    return sum(_most_columns(character) for character in text)


def _most_columns(character: str) -> int:
    if JOINING.match(character):
        return 0 if unicodedata.category(character) in _NO_COLUMN else 1
    return cell_len(character)
