"""How many columns a text may take, where terminals differ.

The letters of India and its neighbours have marks that stand beside their letter (Unicode's category Mc) and letters
that are written as one. Rich reckons neither, nor do terminals that shape text; most others, tmux among them, give
each a column.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len

JOINING = re.compile(
    "[\\u0900-\\u0dff\\u0f00-\\u109f\\u1700-\\u17ff\\u1900-\\u1bff\\ua880-\\ua9df\\uaa00-\\uaadf\\uabc0-\\uabff"
    "\\U00011000-\\U000114ff]"
)
"""Letters of which terminals disagree."""

_NO_COLUMN = ("Mn", "Me", "Cf")


def most_columns(text: str) -> int:
    """The most columns that a terminal gives to a text."""
    if text.isascii():
        return len(text)
    if JOINING.search(text) is None:
        return cell_len(text)
    return sum(_most_columns(character) for character in text)


def _most_columns(character: str) -> int:
    if JOINING.match(character):
        return 0 if unicodedata.category(character) in _NO_COLUMN else 1
    return cell_len(character)
