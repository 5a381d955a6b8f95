"""Running a command: the one place to which keys, palette, panes, dialogs and extensions come."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from functools import partial, reduce
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from textual.actions import SkipAction, parse
from textual.app import App

from narrowcast.keys.command import Command, CommandFunction, Offline
from narrowcast.keys.registry import by_id
from narrowcast.runtime.context import app_of
from narrowcast.screens.workspace import workspace_of
from narrowcast.widgets.one_line import CommandPressed
from narrowcast.widgets.pressed_key import PressedKey
from narrowcast_api import debug_log
from narrowcast_api.events.status import ConnectionKind

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.sync.session import Session

Returned = TypeVar("Returned")

log = logging.getLogger(__name__)

__all__ = ["AppWithCommands", "method", "run_function", "workspace_function"]

_GONE = {ConnectionKind.OFFLINE, ConnectionKind.REFUSED}


class AppWithCommands(App[Returned]):
    """An app whose keys run commands, each for the widget that has the key."""

    async def perform(self, command: Command) -> None:
        """Runs a command on the nearest widget that has its context, from the focus outwards, else anywhere on
        screen.
        """
        node = _node_for(command, self)
        if node is None or not await _run(command, node):
            app_of(self).refuse(f"{command.title}: not available here.")

    async def on_command_pressed(self, event: CommandPressed) -> None:
        """Runs the command of a part of a line that was clicked, as its key does."""
        event.stop()
        await self.perform(by_id()[event.command_id])

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """As Textual's; ``command('id')``, the action of our keys, runs a command for the widget with the key."""
        namespace, name, arguments = parse(action) if isinstance(action, str) else action
        if namespace or name != "command":
            debug_log.note("action", name)
            return await super().run_action(action, default_namespace, namespaces)
        node, command = default_namespace or self, by_id()[str(arguments[0])]
        if command.priority and isinstance(self.focused, PressedKey):
            return False  # the field takes this key too
        return bool(node.check_action(name, arguments)) and await _run(command, node)


async def _run(command: Command, node: DOMNode) -> bool:
    """Runs a command for the widget that has its context; returns False if it leaves the key to the widgets around.

    Shows why it cannot run, if so. An error of a widget's own method is raised, as one in any handler.
    """
    workspace = workspace_of(node)
    if workspace_function(command) is not None:
        if workspace is not None and app_of(node).accounts.screen is node.app.screen:
            run_function(command, workspace)
        else:
            app_of(node).refuse(f"{command.title}: not available here.")
        return True
    debug_log.note("command", command.id)
    if workspace is not None and app_of(node).refuse(_why_not(command, workspace.session)):
        return True
    try:
        result = method(command, node)()
        if inspect.isawaitable(result):
            await result
    except SkipAction:
        return False
    return True


def run_function(command: Command, workspace: Workspace) -> None:
    """Runs a command that is a function on the main screen, in the background if it is async.

    Shows why it cannot run, if so. Errors are shown to the user and logged; nothing is raised.
    """
    function = workspace_function(command)
    debug_log.note("command", command.id)
    if function is None or workspace.refuse(_why_not(command, workspace.session)):
        return
    try:
        result = function(workspace)
    except Exception as error:
        log.exception("%s failed", command.id)
        problem = f"{command.title}: unexpected error ({type(error).__name__}). See the log for details."
        workspace.tell(problem, severity="error")
        return
    if inspect.isawaitable(result):
        workspace.spawn(result, f"run this command: {command.title}")


def _why_not(command: Command, session: Session) -> str:
    """Why a command cannot run now; empty if it can, or if only an attempt will show."""
    if problem := command.unsupported(session.state.server):
        return f"{command.title}: {problem}."
    if command.offline is Offline.REFUSED and session.status.kind in _GONE:
        return f"{command.title}: needs the server, and you are offline. Nothing was changed."
    return ""


def workspace_function(command: Command) -> CommandFunction | None:
    """The function that runs a command on the main screen; None if it is a method of a widget or of the app.

    Raises ImportError or AttributeError if there is no such function.
    """
    if not isinstance(command.run, str):
        return command.run
    module, name, _ = parse(command.run)
    if module.partition(".")[0] in ("self", "app"):
        return None
    function: CommandFunction = getattr(import_module(f"narrowcast.commands.{module}"), name)
    return function


def method(command: Command, node: DOMNode) -> Callable[[], object]:
    """The method that runs a command, with its arguments. Raises AttributeError if there is no such method."""
    path, name, arguments = parse(str(command.run))
    start, *parts = path.split(".")
    owner = reduce(getattr, parts, node.app if start == "app" else node)
    return partial(getattr(owner, name), *arguments)


def _node_for(command: Command, app: App[Any]) -> DOMNode | None:
    """The widget for which a command runs that no key of it asked for: from the focus outwards, else anywhere on
    the screen. None if no widget there has the context of the command, but it is a method of one.
    """
    if not isinstance(command.run, str) or not command.run.startswith("self."):
        return app
    start = app.focused or app.screen
    near = chain(start.ancestors_with_self, app.screen.walk_children())
    return next((node for node in near if _binds(type(node), command)), None)


def _binds(kind: type, command: Command) -> bool:
    """Whether the widgets of this class have the context of the command."""
    bindings = (binding for one in kind.__mro__ for binding in vars(one).get("BINDINGS", ()))
    return any(getattr(binding, "id", None) == command.id for binding in bindings)
