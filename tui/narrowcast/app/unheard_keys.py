"""A letter that no command has where it was typed: it says so, where a command has it, and how to write."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from narrowcast.keys.command import Context
from narrowcast.keys.hints import Keys, with_keys
from narrowcast.keys.keymap import key_label
from narrowcast.keys.registry import EXTENSION, every

if TYPE_CHECKING:
    from textual.dom import DOMNode

__all__ = ["why_unheard"]

_WRITES = "<write.channel> writes to a channel, <write.direct> to a person"
"""For people who begin to type a message where letters are commands."""
_PLACES = {Context.MESSAGES: "in the messages", Context.NAVIGATION: "in the list of channels"}


def why_unheard(key: str, focused: DOMNode, keys: Keys, *, has_panes: bool) -> str:
    """Why nothing happens at a key; empty if a widget from ``focused`` outwards, or an extension, has it.

    ``has_panes``: the main screen is in front.
    """
    here = set(chain.from_iterable(_commands_of(type(node)) for node in focused.ancestors_with_self))
    if any(key in keys.get(one, ()) for one in here) or any(
        key in names for one, names in keys.items() if one.startswith(EXTENSION)
    ):
        return ""
    label = key_label(key)
    if has_panes:
        for command in every():
            if command.context in _PLACES and key in keys[command.id]:
                place = _PLACES[command.context]
                return with_keys(keys, f"{label} ({command.title}) works {place}: <pane.next> goes there.")
        return with_keys(keys, f"No command has the key {label}. {_WRITES}, <app.help> lists all keys.")
    no_command = f"No command has the key {label} here."
    if "write.channel" in here:
        return with_keys(keys, f"{no_command} {_WRITES}, <dialog.help> lists all keys.")
    return (
        with_keys(keys, f"{no_command} <dialog.help> lists the keys.")
        if "dialog.help" in here
        else no_command
    )


@lru_cache(maxsize=256)
def _commands_of(kind: type) -> frozenset[str]:
    """The ids of the commands whose keys the widgets of a class hear."""
    bindings = (binding for one in kind.__mro__ for binding in vars(one).get("BINDINGS", ()))
    return frozenset(filter(None, (getattr(binding, "id", None) for binding in bindings)))
