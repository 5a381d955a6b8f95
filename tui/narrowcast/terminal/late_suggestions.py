"""Replaces `textual.suggestions`, which loads difflib for errors in a style sheet: here difflib is loaded
only when there is an error. Install it before `textual` is imported; like everything private, it is valid for
the version in `textual_version`.
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
    """Makes Textual import this module instead of its own."""
    sys.modules.setdefault("textual.suggestions", sys.modules[__name__])
