"""Every act of a user, once: the registry that keys, palette, help and key table are made from.

An action's id has dots ("message.star"). Its handler is the method ``action_message_star`` of the widget that
owns the action's context. The default keys are those that hands already know from the web app and from older
terminal clients; ``keymap.py`` checks and applies a user's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct
from textual.binding import Binding

from narrowcast.commands.catalog import ACTS


class Context(StrEnum):
    """Where an action's keys are listened to; the owner's class holds the handler."""

    APP = "app"
    """The app itself: works everywhere. Printable keys reach it only when no text is being typed."""
    MAIN = "main"
    """The main screen with its three panes; same rule for printable keys."""
    NAVIGATION = "navigation"
    """The list of views, channels and topics."""
    MESSAGES = "messages"
    """The list of messages."""
    COMPOSE = "compose"
    """The field where a message is written."""
    ACT = "act"
    """The main screen too; the handler is a function of a module in ``acts``, imported when it is used."""


class Action(Struct, frozen=True):
    """One act.

    ``id``: dotted, unique; ``title``: what it does, short, for palette and help; ``keys``: Textual key
    names, the
    first is the one that hints show; ``group``: the heading in help; ``palette``: offered by the command
    palette; ``run`` and ``needs``: see `narrowcast.commands.catalog`.
    """

    id: str
    title: str
    context: Context
    keys: tuple[str, ...]
    group: str
    palette: bool = True
    run: str = ""
    needs: str = ""

    @property
    def handler(self) -> str:
        """What Textual calls: the method's name without its ``action_`` prefix."""
        if self.run:
            return f"app.act('{self.id}')"
        return self.id.replace(".", "_").replace("-", "_")

    def binding(self) -> Binding:
        """The Textual binding, known to keymaps under the action's id."""
        keys = ",".join(self.keys)
        return Binding(keys, self.handler, self.title, show=False, id=self.id, priority=self.id in _ALWAYS)


_ALWAYS = frozenset({"app.quit", "app.redraw"})
"""Work also while a dialog is open and in every field."""


def _rows(
    context: Context, group: str, *rows: tuple[str, str, str], palette: bool = True
) -> Iterator[Action]:
    """Rows of (id, keys separated by spaces, title)."""
    for action_id, keys, title in rows:
        yield Action(action_id, title, context, tuple(keys.split()), group, palette)


def _acts() -> Iterator[Action]:
    """The table of `narrowcast.commands.catalog` as actions."""
    for group, rows in ACTS:
        for action_id, keys, title, run, needs in rows:
            yield Action(action_id, title, Context.ACT, tuple(keys.split()), group, run=run, needs=needs)


def _editing(*rows: tuple[str, str, str]) -> Iterator[Action]:
    """Keys that only make sense under the cursor; no palette entry."""
    return _rows(Context.COMPOSE, "Editing", *rows, palette=False)


_APP: tuple[Action, ...] = (
    *_rows(
        Context.APP,
        "General",
        ("app.help", "question_mark f1", "Help: every key"),
        ("app.palette", "ctrl+p", "Command palette: any action by name"),
        ("app.redraw", "ctrl+l", "Draw the screen again"),
        ("app.theme", "f6", "Next theme"),
        ("app.suspend", "ctrl+z", "Suspend to the shell (fg comes back)"),
        ("app.quit", "ctrl+q ctrl+c", "Quit (what you wrote is kept)"),
    ),
)

_MAIN: tuple[Action, ...] = (
    *_rows(
        Context.MAIN,
        "Go",
        ("go.switcher", "ctrl+k ctrl+g", "Go to a channel, topic, person or view"),
        ("go.inbox", "I", "Inbox: what is unread"),
        ("go.all", "a escape", "All messages"),
        ("go.mentions", "number_sign", "Messages that mention me"),
        ("go.starred", "f", "Starred messages"),
        ("go.direct", "P", "Direct messages"),
        ("go.drafts", "d", "Drafts"),
        ("go.outbox", "B", "Outbox: what is not sent yet, and why"),
        ("go.search", "slash", "Search messages"),
        ("go.next-unread-topic", "n", "Next topic with unread messages"),
        ("go.next-unread-direct", "p", "Next direct conversation with unread messages"),
        ("go.next-channel", "D", "Next channel"),
        ("go.previous-channel", "A", "Previous channel"),
        ("go.zoom", "z", "From topic to its channel and back"),
        ("go.back", "alt+left", "Back to the view before"),
        ("go.forward", "alt+right", "Forward again"),
    ),
    *_rows(
        Context.MAIN,
        "Panes",
        ("pane.next", "tab", "Next pane"),
        ("pane.previous", "shift+tab", "Previous pane"),
        ("pane.left", "h left", "Pane to the left"),
        ("pane.right", "l right", "Pane to the right"),
        ("pane.navigation", "f2", "Show or hide the list of channels"),
        ("pane.people", "f3", "Show or hide the people"),
        ("pane.find-channel", "q", "Find in the list of channels"),
        ("pane.find-person", "w", "Find a person"),
    ),
    *_rows(
        Context.MAIN,
        "Write",
        ("write.channel", "c", "New message to a channel"),
        ("write.direct", "x", "New direct message"),
        ("write.outbox-retry", "f8", "Send again what was not sent in this conversation"),
        ("write.outbox-cancel", "f9", "Cancel what was not sent (back to compose)"),
    ),
)

_NAVIGATION: tuple[Action, ...] = (
    *_rows(
        Context.NAVIGATION,
        "Channel list",
        ("navigation.down", "j down", "Down"),
        ("navigation.up", "k up", "Up"),
        ("navigation.page-down", "J pagedown", "Page down"),
        ("navigation.page-up", "K pageup", "Page up"),
        ("navigation.first", "g home", "First line"),
        ("navigation.last", "G end", "Last line"),
        ("navigation.open", "enter space", "Open"),
        ("navigation.topics", "t", "Show or hide the channel's topics"),
        ("navigation.collapse", "minus", "Fold or unfold the section"),
        ("navigation.mute", "m", "Mute or unmute the channel or topic"),
        ("navigation.pin", "b", "Pin or unpin the channel"),
        ("navigation.mark-read", "M", "Mark all its messages as read"),
        palette=False,
    ),
)

_COMPOSE: tuple[Action, ...] = (
    *_rows(
        Context.COMPOSE,
        "Writing",
        ("compose.enter", "enter", "Send (or new line, as configured)"),
        ("compose.other-enter", "ctrl+j alt+enter shift+enter", "New line (or send, as configured)"),
        ("compose.send", "ctrl+d", "Send"),
        ("compose.next-field", "tab", "Next field, or take the completion"),
        ("compose.previous-field", "shift+tab", "Previous field"),
        ("compose.leave", "escape", "Leave; the draft is kept"),
        ("compose.editor", "ctrl+o", "Write in $EDITOR"),
        ("compose.attach", "ctrl+t alt+a", "Attach a file"),
        ("compose.attach-cancel", "ctrl+x", "Stop the upload, or go on with it"),
        ("compose.attach-drop", "alt+x", "Drop the upload"),
        ("compose.complete", "ctrl+r", "Complete the word: @person #channel :emoji:"),
        ("compose.new-draft", "alt+n", "Keep this as a draft and begin another"),
    ),
    *_editing(
        ("compose.line-start", "ctrl+a home", "Start of line"),
        ("compose.line-end", "ctrl+e end", "End of line"),
        ("compose.left", "left ctrl+b", "One character left"),
        ("compose.right", "right ctrl+f", "One character right"),
        ("compose.word-left", "alt+b ctrl+left", "One word left"),
        ("compose.word-right", "alt+f ctrl+right", "One word right"),
        ("compose.up", "up", "Line up"),
        ("compose.down", "down", "Line down"),
        ("compose.backspace", "backspace", "Delete the character before the cursor"),
        ("compose.delete", "delete", "Delete the character under the cursor"),
        ("compose.kill-word", "ctrl+w alt+backspace", "Cut the word before the cursor"),
        ("compose.kill-word-right", "alt+d", "Cut the word after the cursor"),
        ("compose.kill-start", "ctrl+u", "Cut to the start of the line"),
        ("compose.kill-end", "ctrl+k", "Cut to the end of the line; at the end of the text: go to"),
        ("compose.yank", "ctrl+y", "Put back what was cut"),
        ("compose.undo", "ctrl+z ctrl+underscore", "Undo"),
    ),
)

_MESSAGES: tuple[Action, ...] = (
    *_rows(
        Context.MESSAGES,
        "Read",
        ("message.down", "j down", "Next message"),
        ("message.up", "k up", "Message before"),
        ("message.page-down", "J pagedown space", "A screen down"),
        ("message.page-up", "K pageup", "A screen up"),
        ("message.newest", "G end", "Newest message"),
        ("message.oldest", "g home", "Oldest message"),
        ("message.first-unread", "F", "First unread message"),
        ("message.date", "T", "Go to a date"),
        ("message.goto", "semicolon", "Go to a message by number or link"),
        ("message.find", "ctrl+f", "Find in this view, then n and N"),
        ("message.channel", "s", "The whole channel of the message"),
        ("message.topic", "S", "The conversation of the message"),
        ("message.unread", "U", "Mark as unread from here"),
        ("message.reload", "ctrl+r", "Load the view again"),
    ),
    *_rows(
        Context.MESSAGES,
        "Message",
        ("message.enter", "enter", "Open what is closed, or reply"),
        ("message.reply", "r", "Reply"),
        ("message.reply-sender", "R", "Reply to the sender alone"),
        ("message.quote", "greater_than_sign", "Quote and reply"),
        ("message.mention", "at", "Reply with a mention of the sender"),
        ("message.react", "colon", "React with an emoji"),
        ("message.react-first", "equals_sign", "Join the first reaction, or leave it"),
        ("message.thumbs-up", "plus", "Thumbs up"),
        ("message.star", "ctrl+s asterisk", "Star, or take the star off"),
        ("message.collapse", "minus", "Fold to one line, or unfold"),
        ("message.edit", "e", "Edit one's own message"),
        ("message.delete", "delete", "Delete the message"),
        ("message.hints", "o", "Follow a link: each gets a key (Shift: copy where it leads)"),
        ("message.image", "v", "Show the picture, or open the file"),
        ("message.spoiler", "O", "Open or close spoilers"),
        ("message.vote", "b", "Vote in a poll, tick a task"),
        ("message.pan-left", "left_square_bracket", "Wide table: to the left"),
        ("message.pan-right", "right_square_bracket", "Wide table: to the right"),
        ("message.select-down", "shift+down", "Select text by rows, then copy it"),
        ("message.select-up", "shift+up", "Select text by rows, upwards"),
        ("message.copy", "y", "Copy the selected text, or of the message what one chooses"),
        ("message.link", "L", "Copy the link to the message"),
        ("message.info", "i", "About the message: reactions, versions, readers"),
        ("message.receipts", "V", "Who has read it"),
        ("message.history", "H", "Versions of the message"),
        ("message.sender", "u", "Who wrote it"),
    ),
)

REGISTRY: tuple[Action, ...] = (*_APP, *_MAIN, *_NAVIGATION, *_MESSAGES, *_acts(), *_COMPOSE)
"""All actions in the order in which help shows them."""


def by_id() -> dict[str, Action]:
    """The registry by id."""
    return {action.id: action for action in REGISTRY}


def in_context(context: Context | str) -> tuple[Action, ...]:
    """The actions of one context."""
    return tuple(action for action in REGISTRY if action.context == context)


def bindings_for(context: Context | str) -> list[Binding]:
    """``BINDINGS`` of the widget class that owns ``context``; none for actions without a key."""
    return [action.binding() for action in in_context(context) if action.keys]


def groups(actions: Iterable[Action] = REGISTRY) -> dict[str, list[Action]]:
    """Actions by heading, in order."""
    grouped: dict[str, list[Action]] = {}
    for action in actions:
        grouped.setdefault(action.group, []).append(action)
    return grouped
