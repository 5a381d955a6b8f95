"""The stored edit history of a message, with bounds on its length.

Entries are in their stored and sent form, newest first. Each holds the values from before its change;
dropping an entry merges two changes into one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Entry = dict[str, Any]

MAX_ENTRIES: Final = 100
MAX_CHARACTERS: Final = 60_000
"""Of all earlier texts together, including rendered ones; those of the newest and the oldest change are
always kept.
"""
_SHOWN_CHARACTERS: Final = 20_000
"""The same limit in lists of messages; fetching the history of one message returns all."""
_TEXTS: Final = ("prev_content", "prev_rendered_content", "prev_rendered_content_version")


def bounded(entries: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Drops entries and texts beyond the limits; always keeps the newest and the oldest."""
    kept = [dict(entry) for entry in entries]
    room = MAX_CHARACTERS
    texts = [entry for entry in kept if "prev_content" in entry]
    for entry in texts[1:-1]:
        room -= _size(entry)
        if room < 0:
            for key in _TEXTS:
                entry.pop(key, None)
    changes = [entry for entry in kept if any(key.startswith("prev_") for key in entry)]
    return changes if len(changes) <= MAX_ENTRIES else [*changes[: MAX_ENTRIES - 1], changes[-1]]


def shown(entries: Sequence[Entry]) -> list[Entry]:
    """The newest entries that fit into a list of messages, at least one."""
    room = _SHOWN_CHARACTERS
    result: list[Entry] = []
    for entry in entries:
        room -= _size(entry)
        if room < 0 and result:
            break
        result.append(entry)
    return result


def _size(entry: Mapping[str, Any]) -> int:
    return len(entry.get("prev_content", "")) + len(entry.get("prev_rendered_content", ""))
