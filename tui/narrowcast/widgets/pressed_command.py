"""Parts of lines that stand for a command: a click on one runs it."""

from __future__ import annotations

from rich.style import Style
from textual import events
from textual.message import Message

__all__ = ["CommandPressed", "command_of", "running"]

_META = "command"


class CommandPressed(Message):
    """A part of a line was clicked. The app runs the command as its key does."""

    def __init__(self, command_id: str) -> None:
        super().__init__()
        self.command_id = command_id


def running(style: Style, command_id: str) -> Style:
    """The style of a part that runs a command; the same without one."""
    return style + Style(meta={_META: command_id}) if command_id else style


def command_of(event: events.Click) -> str:
    """The id of the command of the part that was clicked; empty if it has none."""
    return str(event.style.meta.get(_META, ""))
