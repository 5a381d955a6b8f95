"""Stands in for `textual.suggestions`, which loads difflib for what is wrong with a style sheet: here that waits until
something is wrong. It is to be installed before `textual` is imported; like everything private it holds for the version
of `textual_private`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["get_suggestion", "get_suggestions", "install"]


def get_suggestion(word: str, possible_words: Sequence[str]) -> str | None:
    """The closest match, if one is close."""
    return next(iter(get_suggestions(word, possible_words, 1)), None)


def get_suggestions(word: str, possible_words: Sequence[str], count: int) -> list[str]:
    """Up to ``count`` close matches."""
    from difflib import get_close_matches

    return get_close_matches(word, possible_words, n=count)


def install() -> None:
    """Give Textual this module where it asks for its own."""
    sys.modules.setdefault("textual.suggestions", sys.modules[__name__])
