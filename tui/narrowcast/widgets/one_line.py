"""A line of text with a left and a right part that repaints only the cells that changed; a click on a part that stands
for a command runs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from narrowcast.keys.hints import GAP as BETWEEN_KEYS
from narrowcast.keys.hints import SEPARATOR, ShownHint
from narrowcast.text.columns import most_columns
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.line_view import LineView
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import Part, compose_line
from narrowcast.widgets.tints import channel_tint, ground_of

__all__ = ["CommandPressed", "OneLine", "Piece", "command_of", "hint_pieces", "running"]

GAP = 2
"""Columns that keep both sides apart; with one they read as one sentence."""

Piece = tuple[str, str]
"""An untrusted text, and the name of its look: "", "dim", "strong", "good", "warn", "bad", "accent", "key",
"section"; or the color of a channel, as the server stores it, such as "#76ce90"."""
_META = "command"
"""Where the style of a part holds the id of the command that the part stands for."""


class CommandPressed(Message):
    """A part of a line was clicked. The app runs the command as its key does."""

    def __init__(self, command_id: str) -> None:
        super().__init__()
        self.command_id = command_id


def running(style: Style, command_id: str) -> Style:
    """The style of a part that runs a command; the same without one."""
    return style + Style(meta={_META: command_id}) if command_id else style


def command_of(style: Style) -> str:
    """The id of the command of the part with this style; empty if it has none."""
    return str(style.meta.get(_META, ""))


def hint_pieces(hints: Sequence[ShownHint], look: str = "dim") -> list[Piece]:
    """Keys with what they do, told apart by their weight; texts without a key are told apart by dots."""
    pieces: list[Piece] = []
    for hint in hints:
        if pieces:
            pieces.append((BETWEEN_KEYS, "") if hint.key else (SEPARATOR, look))
        pieces += [(hint.key, "key"), (f" {hint.does}", look)] if hint.key else [(hint.does, look)]
    return pieces


class OneLine(LineView, can_focus=False):
    """One row. ``show_pieces`` sets its parts; the left one is truncated if there is no room."""

    DEFAULT_CSS = """
    OneLine { height: 1; background: $panel; color: $foreground; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "dim": Look("text-muted", ansi=Style(dim=True)),
        "strong": Look(letters=Style(bold=True)),
        "good": Look("text-success"),
        "warn": Look("text-warning", letters=Style(bold=True)),
        "bad": Look("text-error", letters=Style(bold=True)),
        "accent": Look("text-accent", letters=Style(bold=True)),
        "key": Look("text-primary", letters=Style(bold=True)),
        "section": Look("text-muted", letters=Style(bold=True)),
    }

    _left: Sequence[Piece] = ()
    _right: Sequence[Piece] = ()
    _extra: Sequence[Piece] = ()
    _commands: Mapping[Piece, str] = MappingProxyType({})

    def show_pieces(
        self,
        left: Sequence[Piece],
        right: Sequence[Piece] = (),
        extra: Sequence[Piece] = (),
        *,
        commands: Mapping[Piece, str] = MappingProxyType({}),
    ) -> None:
        """Replaces the content of the line. ``extra`` follows ``left``, as many of its pieces as fit whole.
        ``commands``: the ids of those that pieces run when they are clicked.
        """
        if (left, right, extra) != (self._left, self._right, self._extra) or commands != self._commands:
            self._left, self._right, self._extra, self._commands = left, right, extra, commands
            self.changed()

    def on_click(self, event: events.Click) -> None:
        if (command_id := command_of(event.style)) and self.clicked(event) is not None:
            event.stop()
            self.post_message(CommandPressed(command_id))

    @property
    def plain(self) -> str:
        """The text of the line, for tests and screen readers."""
        left = "".join(text for text, _ in (*self._left, *self._extra))
        right = "".join(text for text, _ in self._right)
        return f"{left} {right}" if self._right else left

    def compose_row(self, y: int) -> Strip:
        width = self.room.width
        if y:
            return Strip.blank(width, self.base_style)
        left, right = self._styled(self._left), self._styled(self._right)
        room = width - sum(most_columns(text) for text, _ in (*left, *right))
        for part in self._styled(self._extra):
            room -= most_columns(part[0])
            if room < GAP:
                break
            left.append(part)
        return compose_line(width, left, right, base=self.base_style)

    def _styled(self, pieces: Sequence[Piece]) -> list[Part]:
        return [
            (safe_line(text), running(self._style_of(look), self._commands.get((text, look), "")))
            for text, look in pieces
        ]

    def _style_of(self, look: str) -> Style:
        if look.startswith("#"):
            return channel_tint(ground_of(self), look) or self.part_style("dim")
        return self.part_style(look) if look else Style.null()

    def scroll_rows(self, delta: int) -> None:
        """A line does not scroll."""

    def scroll_to_share(self, share: float) -> None:
        """A line does not scroll."""
