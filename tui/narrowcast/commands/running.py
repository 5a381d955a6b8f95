"""Doing an act of the registry: its module is imported now, and not before."""

from __future__ import annotations

import inspect
import logging
from importlib import import_module
from typing import TYPE_CHECKING

from narrowcast.commands.registry import Action
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast.screens.main.screen import MainScreen

log = logging.getLogger(__name__)

__all__ = ["gate_of", "refusal", "run"]


def gate_of(action: Action) -> Gate | None:
    """The gate that an action names; None for those that every server has."""
    return Gate[action.needs.removeprefix("Gate.")] if action.needs else None


def refusal(action: Action, level: int) -> str:
    """'needs level N' where a server of ``level`` does not have what the action needs, else nothing."""
    gate = gate_of(action)
    return "" if gate is None or level >= gate.level else gate.needs


def run(screen: MainScreen, action: Action) -> None:
    """Do it, in the background if it takes time."""
    if problem := refusal(action, screen.session.state.server.level):
        has = screen.session.state.server.level
        screen.tell(f"{action.title}: {problem}, this server has {has}.", severity="warning")
        return
    module, _, name = action.run.partition(":")
    try:
        result = getattr(import_module(f"narrowcast.commands.{module}"), name)(screen)
    except Exception as error:
        log.exception("%s failed", action.id)
        problem = f"{action.title}: this went wrong here ({type(error).__name__}); the log has more."
        screen.tell(problem, severity="error")
        return
    if inspect.isawaitable(result):
        screen.spawn(result, f"do this: {action.title}")
