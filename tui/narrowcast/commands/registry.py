"""All commands, once: key bindings, help, palette, hints and the table of keys are made from this.

Each has an id with dots ("message.star") and default keys that hands know from the web app and from other terminal
clients. ``keymap.py`` checks and applies a user's own keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from textual.binding import Binding

from narrowcast.commands.catalog.dialogs import DIALOGS
from narrowcast.commands.catalog.functions import FUNCTIONS
from narrowcast.commands.catalog.panes import APP, COMPOSE, EDITOR, MESSAGES, NAVIGATION
from narrowcast.commands.command import Command, Context

__all__ = ["REGISTRY", "Command", "Context", "bindings_for", "by_id", "groups", "in_context"]

REGISTRY: tuple[Command, ...] = (
    *APP,
    *FUNCTIONS,
    *NAVIGATION,
    *MESSAGES,
    *COMPOSE,
    *EDITOR,
    *DIALOGS,
)
"""In the order in which help lists them."""


@lru_cache(maxsize=1)
def by_id() -> dict[str, Command]:
    return {command.id: command for command in REGISTRY}


def in_context(context: Context) -> tuple[Command, ...]:
    """The commands of one context."""
    return tuple(command for command in REGISTRY if command.context is context)


def bindings_for(*contexts: Context) -> list[Binding]:
    """``BINDINGS`` of a widget that hears the keys of ``contexts``."""
    return [command.binding() for context in contexts for command in in_context(context) if command.keys]


def groups(commands: Iterable[Command] = REGISTRY) -> dict[str, list[Command]]:
    """Commands by heading, in order."""
    grouped: dict[str, list[Command]] = {}
    for command in commands:
        grouped.setdefault(command.group, []).append(command)
    return grouped
