"""Cleans texts of an archive so that they meet this server's rules; changes are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container
from typing import Final
from unicodedata import bidirectional

from narrowcast_server.organization.checks import unfit_position

_NAME_MARKS: Final = re.compile(r'[*`\\>"@]')
_REORDERING: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_LIKE_A_MENTION: Final = re.compile(r"\|\d+$")


class Texts:
    """Cleans texts; `changed` counts the changes by kind of text."""

    def __init__(self) -> None:
        self.changed: Counter[str] = Counter()

    def line(self, kind: str, text: str, limit: int, *, otherwise: str = "") -> str:
        """One line without characters that no name has here, and without those that reorder a text."""
        kept = (c for c in text if unfit_position(c) is None and bidirectional(c) not in _REORDERING)
        clean = "".join(kept).strip()[:limit].strip()
        return self.record_change(kind, text.strip(), clean or otherwise)

    def person(self, text: str, limit: int, identity: int) -> str:
        """A user name that works in mentions."""
        bare = _LIKE_A_MENTION.sub("", _NAME_MARKS.sub("", text))
        clean = self.line("", bare, limit) or f"User {identity}"
        return self.record_change("names of people", text, clean)

    def body(self, kind: str, text: str, limit: int) -> str:
        clean = text.replace("\0", "")
        if any("\ud800" <= c <= "\udfff" for c in clean):
            clean = clean.encode("utf-8", "replace").decode()
        return self.record_change(kind, text, clean[:limit])

    def single(self, kind: str, name: str, taken: Container[str], limit: int) -> str:
        """A unique name: a number is added if it is in `taken` (case-folded names)."""
        number, single = 1, name
        while single.casefold() in taken:
            number += 1
            single = f"{name[: limit - 8]} ({number})"
        return self.record_change(kind, name, single)

    def record_change(self, kind: str, before: str, after: str) -> str:
        """Returns `after`; counts a change."""
        if kind and before != after:
            self.changed[kind] += 1
        return after
