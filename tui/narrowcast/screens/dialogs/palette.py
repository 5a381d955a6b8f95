"""The command palette: every command by name, with its key."""

from __future__ import annotations

from collections.abc import Mapping

from narrowcast.commands.keymap import keys_label
from narrowcast.commands.registry import Command, every
from narrowcast.commands.run import refusal
from narrowcast.screens.dialogs.other_names import OTHER_NAMES
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast_api.server_info import ServerInfo


def palette(keys: Mapping[str, tuple[str, ...]], server: ServerInfo | None) -> Picker[Command]:
    """A picker of commands; returns the chosen one. Commands that ``server`` does not support are disabled."""
    known = server or ServerInfo()
    choices = [
        Choice(
            command,
            command.title,
            keys_label(keys.get(command.id, command.keys)),
            also=f"{command.id} {OTHER_NAMES.get(command.id, '')}",
            disabled=refusal(command, known),
        )
        for command in every()
        if command.palette and command.id != "app.palette"
    ]
    return Picker(
        "Commands",
        choices,
        placeholder="name of a command",
        elsewhere="For channels, topics and people, press Esc and <go.switcher>.",
    )
