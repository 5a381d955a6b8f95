"""Keys for people: which key a command has now, and texts that name some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from narrowcast.app.context import InApp
from narrowcast.commands.keymap import key_label
from narrowcast.commands.registry import by_id

__all__ = ["KeyHint", "Keys", "default_keys", "hint_words", "key_of", "keys_of", "with_keys"]

KeyHint = tuple[str, str]
"""The id of a command, and what it does in a word or two."""
Keys = Mapping[str, Sequence[str]]
"""The keys of each command by its id."""

_NAMED = re.compile(r"<([a-z]+\.[a-z-]+)>")


def default_keys() -> Keys:
    """The keys where the user has chosen none."""
    return {command_id: command.keys for command_id, command in by_id().items()}


def keys_of(node: InApp) -> Keys:
    """The keys that the commands have in the app of ``node``."""
    keys: Keys | None = getattr(node.app, "keys", None)
    return default_keys() if keys is None else keys


def key_of(keys: Keys, command_id: str) -> str:
    """The first key of a command as people write it; empty for one without a key."""
    chosen = keys.get(command_id, ())
    return key_label(chosen[0]) if chosen else ""


def hint_words(keys: Keys, hints: Iterable[KeyHint]) -> list[str]:
    """Each hint as "n creates"; those without a key are left out."""
    return [f"{key} {does}" for command_id, does in hints if (key := key_of(keys, command_id))]


def with_keys(keys: Keys, text: str) -> str:
    """``text`` with the keys of the commands whose ids stand in it: "<write.outbox-retry> resends" is "F8 resends".

    A command without a key is called by its title. Raises KeyError for what is no command. Only for texts of the
    app: put those of others behind it.
    """

    def name(found: re.Match[str]) -> str:
        command = by_id()[found[1]]
        return key_of(keys, command.id) or f"'{command.title}'"

    return _NAMED.sub(name, text)
