"""The keys that the status line names: those of the moment first, then the usual ones as far as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from narrowcast.commands.keymap import effective, key_label
from narrowcast.commands.registry import by_id

__all__ = ["KeyHint", "hint_line", "keys_of_commands"]

KeyHint = tuple[str, str]
"""The id of a command, and what it does in a word or two."""

SHARE = 0.56
"""How much of the line hints may take; the rest says how things are."""

HELP: KeyHint = ("app.help", "help")
READING: tuple[KeyHint, ...] = (
    ("message.reply", "reply"),
    ("write.channel", "write"),
    ("message.react", "react"),
    ("go.next-unread-topic", "next unread"),
    ("go.switcher", "go to"),
)
NARROW: tuple[KeyHint, ...] = (
    ("pane.navigation", "channels"),
    ("write.channel", "write"),
    ("go.switcher", "go to"),
)
NAVIGATION: tuple[KeyHint, ...] = (
    ("navigation.open", "open"),
    ("navigation.collapse", "topics"),
    ("pane.find-channel", "find"),
    ("pane.next", "next pane"),
)
WRITING: tuple[KeyHint, ...] = (
    ("compose.attach", "attach"),
    ("compose.editor", "editor"),
    ("compose.leave", "back"),
)


def keys_of_commands(user: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
    """The key that each command has, as people write it; those without one are absent."""
    keys = effective(user) if user else _default_keys()
    return {command_id: key_label(chosen[0]) for command_id, chosen in keys.items() if chosen}


@lru_cache(maxsize=1)
def _default_keys() -> dict[str, tuple[str, ...]]:
    return {command_id: command.keys for command_id, command in by_id().items()}


def hint_line(keys: Mapping[str, str], hints: Iterable[KeyHint], width: int) -> str:
    """As many of `hints` as fit into their share of a line of `width` cells, and last how to get help."""
    last = _words(keys, HELP)
    room = int(width * SHARE) - len(last)
    shown: list[str] = []
    for words in (_words(keys, hint) for hint in hints):
        if words and len(words) + 3 <= room:
            shown.append(words)
            room -= len(words) + 3
    return " · ".join(filter(None, [*shown, last]))


def _words(keys: Mapping[str, str], hint: KeyHint) -> str:
    command_id, does = hint
    return f"{keys[command_id]} {does}" if command_id in keys else ""
