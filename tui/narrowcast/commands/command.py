"""What a command is, and where its keys are active. The tables of all commands are in `catalog`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from importlib import import_module
from typing import Any

from msgspec import Struct
from textual.binding import Binding

from narrowcast_api.wire.levels import Gate

__all__ = ["UNUSED", "Command", "CommandFunction", "Context", "LateModules", "around", "rows"]

UNUSED = "unused"
"""The name of a key that no terminal sends: that of commands without keys, which keymaps replace."""

CommandFunction = Callable[[Any], object]
"""Runs a command on a `narrowcast.commands.workspace.Workspace`. It may be async; exceptions are shown to the user.

Its argument has no type here, since this file is imported by the panes that a workspace holds. A test checks the
functions.
"""


class Context(StrEnum):
    """Where the keys of a command are active. `around` lists the contexts that enclose each one."""

    APP = "app"
    MAIN = "main"
    """The main screen, whichever pane has the focus."""
    NAVIGATION = "navigation"
    MESSAGES = "messages"
    FOUND = "found"
    """The messages, while matches of a search within them or a selected part are shown."""
    COMPOSE = "compose"
    EDITOR = "editor"
    """Every text field, in compose and in dialogs."""

    LIST = "list"
    """Every list, in any pane or dialog."""
    DIALOG = "dialog"
    """Every dialog except forms and help."""
    HELP = "help"
    ASK = "ask"
    CONFIRM = "confirm"
    FORM = "form"
    CHOICE = "choice"
    """A form field with a choice of options."""
    PICKER = "picker"
    PROGRESS = "progress"
    MANAGE = "manage"
    """Every list of things that can be opened, created and deleted."""
    ORDERED = "ordered"
    CHANNELS = "channels"
    FOLDERS = "folders"
    GROUPS = "groups"
    GROUP_MEMBERS = "group members"
    SCHEDULED = "scheduled"
    SNIPPETS = "snippets"
    DRAFTS = "drafts"
    DRAFT_CONFLICT = "draft conflict"
    OUTBOX = "outbox"
    CONVERSATIONS = "conversations"
    PICTURE = "picture"
    INVITATIONS = "invitations"
    NEWCOMERS = "newcomers"
    """The default settings of new users."""
    FILES = "files"
    VIEWS = "views"
    ACCOUNTS = "accounts"
    BOTS = "bots"
    PERSON = "person"
    ENROLMENT = "enrolment"
    """The form that turns two-factor authentication on."""
    RECOVERY_CODES = "recovery codes"
    TEXT = "text"
    """A dialog with a text to read and no fields."""
    WELCOME = "welcome"
    LOGIN = "login"


_LISTS = (
    Context.CHANNELS,
    Context.FOLDERS,
    Context.GROUPS,
    Context.GROUP_MEMBERS,
    Context.SCHEDULED,
    Context.SNIPPETS,
    Context.DRAFTS,
    Context.OUTBOX,
    Context.CONVERSATIONS,
    Context.INVITATIONS,
    Context.NEWCOMERS,
    Context.FILES,
    Context.VIEWS,
    Context.ACCOUNTS,
    Context.BOTS,
    Context.PERSON,
    Context.RECOVERY_CODES,
    Context.ORDERED,
)
_AROUND: dict[Context, tuple[Context, ...]] = {
    Context.MAIN: (Context.APP,),
    Context.NAVIGATION: (Context.MAIN, Context.APP),
    Context.MESSAGES: (Context.MAIN, Context.APP),
    Context.FOUND: (Context.MESSAGES, Context.MAIN, Context.APP),
    Context.COMPOSE: (Context.MAIN, Context.APP),
    Context.EDITOR: (Context.COMPOSE, Context.MAIN, Context.APP),
    Context.ASK: (Context.DIALOG,),
    Context.CONFIRM: (Context.LIST, Context.DIALOG),
    Context.CHOICE: (Context.FORM,),
    Context.ENROLMENT: (Context.FORM,),
    Context.PICKER: (Context.DIALOG,),
    Context.PROGRESS: (Context.DIALOG,),
    Context.DRAFT_CONFLICT: (Context.LIST, Context.DIALOG),
    Context.PICTURE: (Context.DIALOG,),
    Context.TEXT: (Context.LIST, Context.DIALOG),
    Context.HELP: (Context.LIST,),
    Context.MANAGE: (Context.LIST, Context.DIALOG),
    **dict.fromkeys(_LISTS, (Context.MANAGE, Context.LIST, Context.DIALOG)),
    Context.WELCOME: (Context.LIST, Context.APP),
    Context.LOGIN: (Context.APP,),
}


def around(context: Context) -> tuple[Context, ...]:
    """The enclosing contexts, innermost first, whose keys are active too unless ``context`` uses them itself."""
    return _AROUND.get(context, ())


class Command(Struct, frozen=True):
    """One action of the app that a user can run.

    ``id``: unique, the name used in a keymap; ``title``: what it does, for palette and help; ``keys``: Textual's
    names, hints show the first; ``group``: the heading in help; ``palette``: offered by the command palette;
    ``function``: the implementation, run on the main screen; ``gate``: what the server must support; ``action``:
    the Textual action of the context's widget, for commands without a function; ``priority``: active before the
    keys of the focused widget, in every field and dialog.
    """

    id: str
    title: str
    context: Context
    keys: tuple[str, ...]
    group: str
    palette: bool = True
    function: CommandFunction | None = None
    gate: Gate | None = None
    action: str = ""
    priority: bool = False

    @property
    def handler(self) -> str:
        """The Textual action that runs it."""
        if self.function is not None:
            return f"app.command('{self.id}')"
        return self.action or self.id.replace(".", "_").replace("-", "_")

    def binding(self, action: str = "") -> Binding:
        """The Textual binding, with the command's id for keymaps; ``action`` runs instead of the handler if given."""
        keys = ",".join(self.keys) or UNUSED
        return Binding(
            keys, action or self.handler, self.title, show=False, id=self.id, priority=self.priority
        )


Does = CommandFunction | str
"""A function, or the Textual action of the context's widget."""

CommandRow = tuple[str, str, str] | tuple[str, str, str, Does] | tuple[str, str, str, Does, Gate]
"""Id, keys separated by spaces, title; optionally the function or action, if it differs from the id, and a gate."""


def rows(context: Context, group: str, *table: CommandRow, palette: bool = True) -> Iterator[Command]:
    """The commands of the rows of a table."""
    for row in table:
        command_id, keys, title = row[:3]
        does = row[3] if len(row) > 3 else ""
        gate = row[4] if len(row) > 4 else None
        yield Command(
            command_id,
            title,
            context,
            tuple(keys.split()),
            group,
            palette,
            function=None if isinstance(does, str) else does,
            action=does if isinstance(does, str) else "",
            gate=gate,
        )


class LateModules:
    """Stands for the modules of a package until one of their functions is called.

    A catalog refers to functions without importing them; a test checks that each reference resolves to a function.
    """

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, module: str) -> LateModule:
        return LateModule(f"{self._package}.{module}")


class LateModule:
    """Stands for a module until one of its functions is called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, function: str) -> LateFunction:
        return LateFunction(self._name, function)


class LateFunction(Struct, frozen=True):
    """A function of a module that is imported when it is called."""

    module: str
    name: str

    def resolve(self) -> CommandFunction:
        """Imports and returns the function. Raises ImportError or AttributeError if there is none."""
        function: CommandFunction = getattr(import_module(self.module), self.name)
        return function

    def __call__(self, screen: Any) -> object:
        return self.resolve()(screen)
