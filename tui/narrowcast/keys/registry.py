"""All commands, defined once: key bindings, help, palette, hints and the table of keys are made from this.

Each has an id with dots ("message.star") and default keys that users know from the web app and from other terminal
clients. ``keymap.py`` checks and applies a user's own keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from textual.binding import Binding

from narrowcast.keys.catalog.dialogs import DIALOGS
from narrowcast.keys.catalog.functions import FUNCTIONS
from narrowcast.keys.catalog.panes import APP, COMPOSE, EDITOR, MESSAGES, NAVIGATION
from narrowcast.keys.command import Command, Context

__all__ = [
    "EXTENSION",
    "REGISTRY",
    "Command",
    "Context",
    "add",
    "bindings_for",
    "bindings_to",
    "by_id",
    "every",
    "groups",
    "in_context",
]

EXTENSION = "extension."
"""Prefix of the ids of commands that extensions add."""

REGISTRY: tuple[Command, ...] = (
    *APP,
    *FUNCTIONS,
    *NAVIGATION,
    *MESSAGES,
    *COMPOSE,
    *EDITOR,
    *DIALOGS,
)
"""The app's own commands, in the order in which help lists them."""

_by_id = {command.id: command for command in REGISTRY}


def by_id() -> dict[str, Command]:
    """All commands by id, those of extensions last."""
    return _by_id


def every() -> tuple[Command, ...]:
    """All commands, those of extensions last."""
    return tuple(_by_id.values())


def add(commands: Sequence[Command]) -> Callable[[], None]:
    """Registers commands of extensions; the returned function removes them."""
    _by_id.update((command.id, command) for command in commands)

    def withdraw() -> None:
        for command in commands:
            _by_id.pop(command.id, None)

    return withdraw


def in_context(context: Context) -> tuple[Command, ...]:
    """The commands of one context."""
    return tuple(command for command in REGISTRY if command.context is context)


def bindings_for(*contexts: Context) -> list[Binding]:
    """``BINDINGS`` of a widget for the keys of ``contexts``, also those that a keymap gives them."""
    return [command.binding() for context in contexts for command in in_context(context)]


def bindings_to(action: str, *command_ids: str) -> list[Binding]:
    """``BINDINGS`` of a widget for the keys of these commands; each calls ``action`` with the command's id."""
    return [_by_id[command_id].binding(f"{action}('{command_id}')") for command_id in command_ids]


def groups(commands: Iterable[Command] | None = None) -> dict[str, list[Command]]:
    """Commands by heading, in order; all commands if none are given."""
    grouped: dict[str, list[Command]] = {}
    for command in every() if commands is None else commands:
        grouped.setdefault(command.group, []).append(command)
    return grouped
