"""The command palette: every command by name, with its key, and every setting."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from narrowcast.keys.keymap import keys_label
from narrowcast.keys.registry import Command, every
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast_api.server_info import ServerInfo

RANKS = {"Organization": 1, "Files on their way": 1}
"""Of the groups of commands that stand behind the others, before the settings."""


class ChosenCommand(NamedTuple):
    """What was chosen in the palette: a command, and the row to select in the list that it opens."""

    command: Command
    row: Hashable = None


def palette(
    keys: Mapping[str, tuple[str, ...]],
    server: ServerInfo | None,
    settings: Sequence[Choice[ChosenCommand]] = (),
) -> Picker[ChosenCommand]:
    """A picker of commands and ``settings``. Commands that ``server`` does not support are disabled."""
    known = server or ServerInfo()
    choices = [
        Choice(
            ChosenCommand(command),
            command.title,
            keys_label(keys.get(command.id, command.keys)),
            also=f"{command.id} {command.other_names}",
            disabled=command.unsupported(known),
            rank=RANKS.get(command.group, 0),
        )
        for command in every()
        if command.palette and command.id != "app.palette"
    ]
    return Picker(
        "Commands",
        [*choices, *settings],
        placeholder="name of a command or a setting",
        elsewhere="For channels, topics and people, press Esc and <go.switcher>.",
    )
