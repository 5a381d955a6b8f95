"""New messages on the saved screen, painted while the app is still being imported.

The saved screen shows what was there when the app ended. Once the server's first response has arrived,
`paint` replaces the rows of its message list. The app's first frame then finds them on the terminal.
"""

from __future__ import annotations

import io
from os import get_terminal_size
from typing import Any

from rich.console import Console
from textual import constants

from narrowcast.app.config import Config
from narrowcast.commands.keymap import merged
from narrowcast.panes.messages.saved_list import SavedList
from narrowcast.terminal import last_screen, screen_store
from narrowcast.terminal.terminal_filter import TerminalFilter
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session

__all__ = ["paint"]


def paint(session: Session, view: MessageView, config: Config) -> None:
    """Shows the messages of ``view`` on the saved screen.

    Does nothing if the app has taken over the terminal, its size has changed, or the screen was saved without
    a message list, with another view or with something over it.
    """
    shown = last_screen.shown()
    if shown is None or tuple(get_terminal_size(2)) != shown.size:
        return
    stored = screen_store.stored(shown)
    saved = SavedList.load(stored.messages)
    if saved is None or not stored.memory.is_whole(*shown.size):
        return
    rows = saved.painted(session, view, merged(config.keymap)[0])
    if rows is None:
        return
    # As Textual's console: rich keeps the first sequences that it made for a style, whatever the number of colours.
    colours: Any = constants.COLOR_SYSTEM
    console = Console(color_system=colours, file=io.StringIO(), force_terminal=True)
    try:
        text = stored.memory.of_rows(rows, console)
        if text:
            last_screen.write(TerminalFilter()(text + "\x1b[m").encode())
    except Exception:
        stored.memory.forget()  # part of it may not be on the terminal: the app paints everything
        raise
