"""What is kept of a message's earlier versions: enough to tell what happened, never more than a few messages' worth.

Entries are as they are stored and sent, the newest first. Each tells what was before it; one that is left out makes
one change of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Entry = dict[str, Any]

MOST_ENTRIES: Final = 100
MOST_CHARACTERS: Final = 60_000
"""Of all earlier texts together, rendered ones included; the first and the last are kept in any case."""
_SHOWN_CHARACTERS: Final = 20_000
"""The same in lists of messages; the history of one message has all."""
_TEXTS: Final = ("prev_content", "prev_rendered_content", "prev_rendered_content_version")


def bounded(entries: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """The entries that are kept: the newest, the first, and of those between what there is room for."""
    kept = [dict(entry) for entry in entries]
    room = MOST_CHARACTERS
    texts = [entry for entry in kept if "prev_content" in entry]
    for entry in texts[1:-1]:
        room -= _size(entry)
        if room < 0:
            for key in _TEXTS:
                entry.pop(key, None)
    told = [entry for entry in kept if any(key.startswith("prev_") for key in entry)]
    return told if len(told) <= MOST_ENTRIES else [*told[: MOST_ENTRIES - 1], told[-1]]


def shown(entries: Sequence[Entry]) -> list[Entry]:
    """The newest of them, at least one: what fits into a list of messages."""
    room = _SHOWN_CHARACTERS
    answer: list[Entry] = []
    for entry in entries:
        room -= _size(entry)
        if room < 0 and answer:
            break
        answer.append(entry)
    return answer


def _size(entry: Mapping[str, Any]) -> int:
    return len(entry.get("prev_content", "")) + len(entry.get("prev_rendered_content", ""))
