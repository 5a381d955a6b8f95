"""Keys as shown to users: the current key of a command, and texts that name keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from narrowcast.keys.keymap import key_label, types_character
from narrowcast.keys.registry import by_id

if TYPE_CHECKING:
    from textual.app import App

__all__ = [
    "GAP",
    "SEPARATOR",
    "HasApp",
    "KeyHint",
    "Keys",
    "ShownHint",
    "default_keys",
    "hint_pairs",
    "hint_words",
    "key_of",
    "keys_in_field",
    "keys_of",
    "shown_hints",
    "with_keys",
]

KeyHint = tuple[str, str]
"""The id of a command, and its effect in a word or two."""


class ShownHint(NamedTuple):
    """A hint as it is shown: the label of the key, and what it does. Without a key it is only a text."""

    key: str
    does: str
    command_id: str = ""

    @property
    def words(self) -> str:
        return f"{self.key} {self.does}" if self.key else self.does


Keys = Mapping[str, Sequence[str]]
"""The keys of each command by its id."""

GAP = "  "
"""Between two hints: a key is told from the word before it by its weight."""
SEPARATOR = " · "
"""Between hints in one text, whose keys look like its words."""

_NAMED = re.compile(r"<([a-z]+\.[a-z-]+)>")


class HasApp(Protocol):
    """A widget, a screen, or an object that has their ``app``."""

    @property
    def app(self) -> App[Any]: ...


def default_keys() -> Keys:
    """The default keys, before any change by the user."""
    return {command_id: command.keys for command_id, command in by_id().items()}


def keys_of(node: HasApp) -> Keys:
    """The current keys of the commands in the app of ``node``."""
    keys: Keys | None = getattr(node.app, "keys", None)
    return default_keys() if keys is None else keys


def key_of(keys: Keys, command_id: str) -> str:
    """The label of a command's first key; empty if it has no key."""
    chosen = keys.get(command_id, ())
    return key_label(chosen[0]) if chosen else ""


def keys_in_field(keys: Keys, hints: Iterable[KeyHint]) -> Keys:
    """The keys of these commands that work while the user types in a field."""
    return {
        command_id: [key for key in keys.get(command_id, ()) if not types_character(key)]
        for command_id, _ in hints
    }


def shown_hints(keys: Keys, hints: Iterable[KeyHint]) -> list[ShownHint]:
    """Each hint with its key; commands without a key are left out."""
    return [ShownHint(key, does, one) for one, does in hints if (key := key_of(keys, one))]


def hint_pairs(keys: Keys, hints: Iterable[KeyHint]) -> list[tuple[str, str]]:
    """Each hint as its key and what it does."""
    return [(hint.key, hint.does) for hint in shown_hints(keys, hints)]


def hint_words(keys: Keys, hints: Iterable[KeyHint]) -> list[str]:
    """Each hint as "n creates"; commands without a key are left out."""
    return [hint.words for hint in shown_hints(keys, hints)]


def with_keys(keys: Keys, text: str) -> str:
    """Replaces the command ids in ``text`` by their keys: "<write.outbox-retry> resends" becomes "F8
    resends".

    A command without a key is named by its title. Raises KeyError for an unknown command. Only for the app's
    own texts: append text from elsewhere to the result.
    """

    def name(found: re.Match[str]) -> str:
        command = by_id()[found[1]]
        return key_of(keys, command.id) or f"'{command.title}'"

    return _NAMED.sub(name, text)
