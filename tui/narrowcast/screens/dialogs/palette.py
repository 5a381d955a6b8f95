"""The command palette: every action by name, with the key that does the same."""

from __future__ import annotations

from collections.abc import Mapping

from narrowcast.commands.keymap import keys_label
from narrowcast.commands.registry import REGISTRY, Action
from narrowcast.commands.running import refusal
from narrowcast.screens.dialogs.picker import Choice, Picker


def palette(keys: Mapping[str, tuple[str, ...]], level: int) -> Picker[Action]:
    """A picker over the registry; gives back the chosen action. What a server of ``level`` lacks is disabled."""
    choices = [
        Choice(
            action,
            action.title,
            keys_label(keys.get(action.id, action.keys)),
            also=action.id,
            disabled=refusal(action, level),
        )
        for action in REGISTRY
        if action.palette and action.id != "app.palette"
    ]
    return Picker("What shall I do?", choices, placeholder="name of an action")
