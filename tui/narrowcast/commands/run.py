"""Running a command that has a function; its module is only imported then."""

from __future__ import annotations

import inspect
import logging
from typing import TYPE_CHECKING

from narrowcast.commands.command import Command
from narrowcast.commands.offline import offline_refusal
from narrowcast_api import debug_log

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace
    from narrowcast_api.server_info import ServerInfo

log = logging.getLogger(__name__)

__all__ = ["refusal", "run"]


def refusal(command: Command, server: ServerInfo) -> str:
    """Why the server is too old for the command; empty if it is not."""
    gate = command.gate
    return "" if gate is None or server.supports(gate) else gate.unsupported(server.level)


def run(screen: Workspace, command: Command) -> None:
    """Runs the command's function on the main screen, in the background if it is async.

    Errors are shown to the user and logged; nothing is raised.
    """
    if command.function is None:
        return
    debug_log.note("command", command.id)
    if problem := refusal(command, screen.session.state.server):
        screen.refuse(f"{command.title}: {problem}.")
        return
    if screen.refuse(offline_refusal(command, screen.session)):
        return
    try:
        result = command.function(screen)
    except Exception as error:
        log.exception("%s failed", command.id)
        problem = f"{command.title}: unexpected error ({type(error).__name__}). See the log for details."
        screen.tell(problem, severity="error")
        return
    if inspect.isawaitable(result):
        screen.spawn(result, f"run this command: {command.title}")
