"""The key hints of the status line: those of the current context first, then the usual ones as far as they fit."""

from __future__ import annotations

from collections.abc import Iterable

from narrowcast.keys.hints import GAP, KeyHint, Keys, ShownHint, keys_in_field, shown_hints

__all__ = ["hint_line"]

SHARE = 0.56
"""The share of the line that hints may take; the rest shows the status."""

HELP: KeyHint = ("app.help", "help")
READING: tuple[KeyHint, ...] = (
    ("message.reply", "reply"),
    ("write.channel", "write"),
    ("message.react", "react"),
    ("go.next-unread-topic", "next unread"),
    ("go.switcher", "go to"),
)
NARROW: tuple[KeyHint, ...] = (
    ("pane.navigation", "channels"),
    ("message.reply", "reply"),
    ("write.channel", "write"),
    ("go.switcher", "go to"),
)
NAVIGATION: tuple[KeyHint, ...] = (
    ("navigation.open", "open"),
    ("navigation.collapse", "topics"),
    ("pane.find-channel", "find"),
    ("pane.next", "next pane"),
)
PEOPLE: tuple[KeyHint, ...] = (
    ("list.select", "open"),
    ("people.card", "card"),
    ("pane.find-person", "find"),
    ("pane.next", "next pane"),
)
FILTERING: tuple[KeyHint, ...] = (
    ("editor.submit", "open"),
    ("navigation.leave", "clear filter"),
)
WRITING: tuple[KeyHint, ...] = (
    ("compose.leave", "back"),
    ("compose.attach", "attach"),
    ("compose.editor", "editor"),
)
CONVERSATIONS: tuple[KeyHint, ...] = (
    ("go.next-unread-topic", "next unread"),
    ("go.switcher", "go to"),
    ("write.channel", "write"),
)
"""Over the messages, in the inbox and among recent conversations, which show their own keys themselves."""
DIALOG_HELP: KeyHint = ("dialog.help", "help")


def hint_line(
    keys: Keys, hints: Iterable[KeyHint], width: int, *, in_field: bool = False, help_hint: KeyHint = HELP
) -> list[ShownHint]:
    """As many of `hints` as fit into their share of a line of `width` cells, followed by the key for help.
    ``in_field``: the user types in a field, where keys that type a character do nothing else.
    """
    if in_field:
        hints = tuple(hints)
        keys = keys_in_field(keys, [*hints, help_hint])
    last = shown_hints(keys, [help_hint])
    room = int(width * SHARE) - sum(len(hint.words) for hint in last)
    shown: list[ShownHint] = []
    for hint in shown_hints(keys, hints):
        needed = len(hint.words) + len(GAP)
        if needed <= room:
            shown.append(hint)
            room -= needed
    return [*shown, *last]
