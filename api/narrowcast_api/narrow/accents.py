"""Comparing names that a user types without their accents."""

from __future__ import annotations

import unicodedata
from itertools import filterfalse

__all__ = ["folded", "has_accents", "without_accents"]


def folded(text: str) -> str:
    """The text to compare, regardless of case and of how its accents are encoded."""
    lower = text.casefold()
    return lower if lower.isascii() else unicodedata.normalize("NFC", lower)


def has_accents(text: str) -> bool:
    """Whether `without_accents` changes a folded text."""
    return without_accents(text) != text


def without_accents(text: str) -> str:
    """A folded text with plain letters instead of those with accents."""
    if unicodedata.is_normalized("NFD", text):
        return text
    letters = filterfalse(unicodedata.combining, unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", "".join(letters))
