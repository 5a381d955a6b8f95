"""Keys for people: which key a command has now, and lines that name some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from narrowcast.commands.keymap import key_label
from narrowcast.commands.registry import by_id

__all__ = ["KeyHint", "Keys", "default_keys", "hint_words", "key_of"]

KeyHint = tuple[str, str]
"""The id of a command, and what it does in a word or two."""
Keys = Mapping[str, Sequence[str]]
"""The keys of each command by its id."""


def default_keys() -> Keys:
    """The keys where the user has chosen none."""
    return {command_id: command.keys for command_id, command in by_id().items()}


def key_of(keys: Keys, command_id: str) -> str:
    """The first key of a command as people write it; empty for one without a key."""
    chosen = keys.get(command_id, ())
    return key_label(chosen[0]) if chosen else ""


def hint_words(keys: Keys, hints: Iterable[KeyHint]) -> list[str]:
    """Each hint as "n creates"; those without a key are left out."""
    return [f"{key} {does}" for command_id, does in hints if (key := key_of(keys, command_id))]
