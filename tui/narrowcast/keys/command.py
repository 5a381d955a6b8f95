"""What a command is, and where its keys are active. The tables of all commands are in `catalog`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import Binding

from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate

__all__ = [
    "REFUSED",
    "UNUSED",
    "WAITS",
    "Command",
    "CommandFunction",
    "Context",
    "Offline",
    "around",
    "listed",
]

UNUSED = "unused"
"""The name of a key that no terminal sends: that of commands without keys, which keymaps replace."""

CommandFunction = Callable[[Any], object]
"""Runs a command on a `narrowcast.screens.workspace.Workspace`. It may be async; exceptions are shown to the user.

Its argument has no type here, since this file is imported by the panes that a workspace holds. A test checks the
functions.
"""


class Offline(Enum):
    """What a command does without a connection."""

    WORKS = "works"
    """With the data on this machine."""
    WAITS = "waits and is sent in order"
    """Takes effect here at once, is kept in the journal, and is sent when the server is reachable."""
    REFUSED = "is refused at once"
    """Depends on what only the server knows, or on what others may change meanwhile: sent later, it could have
    another effect than intended."""


WAITS, REFUSED = Offline.WAITS, Offline.REFUSED


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
    KEYS = "keys"
    """The list of the keys of all commands."""
    SETTINGS = "settings"
    """Every list of settings."""
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
    Context.KEYS,
    Context.SETTINGS,
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
    Context.CONFIRM: (Context.DIALOG,),
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
    """One action of the app that a user can run. `narrowcast.commands.run` runs it, wherever it comes from.

    ``id``: unique, the name used in a keymap; ``title``: what it does, for palette and help; ``keys``: Textual's
    names, hints show the first.

    ``run`` names what is called: ``topics.move`` is `move` of the module ``narrowcast.commands.topics``, called with
    the main screen; ``self.action_send`` or ``self.parts.flags.star`` is a method of the widget that has the context,
    or of one of its parts; ``app.action_app_help`` is one of the app. Names, since the functions themselves would
    import every screen at the start. The command of an extension has its function here.

    ``offline``: what it does without a connection; ``other_names``: words of other chat programs under which the
    palette finds it too; ``gate``: what the server must support; ``priority``: active before the keys of the focused
    widget, in every field and dialog.

    `listed` fills in the rest: ``context``, where its keys are active; ``group``, the heading in help; ``palette``,
    whether the command palette offers it.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    run: str | CommandFunction
    offline: Offline = Offline.WORKS
    other_names: str = ""
    gate: Gate | None = None
    priority: bool = False
    context: Context = Context.MAIN
    group: str = ""
    palette: bool = True

    def unsupported(self, server: ServerInfo) -> str:
        """Why the server is too old for the command; empty if it is not."""
        gate = self.gate
        return "" if gate is None or server.supports(gate) else gate.unsupported(server.level)

    def binding(self, action: str = "") -> Binding:
        """The Textual binding, with the command's id for keymaps; runs the command, or ``action`` if given."""
        keys = ",".join(self.keys) or UNUSED
        action = action or f"command('{self.id}')"
        return Binding(keys, action, self.title, show=False, id=self.id, priority=self.priority)


def listed(context: Context, group: str, *commands: Command, palette: bool = True) -> Iterator[Command]:
    """The commands of one context below one heading of help."""
    for command in commands:
        yield replace(command, context=context, group=group, palette=palette)
