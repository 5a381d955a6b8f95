"""Dialogs that can open only when a response has arrived: not while the user does something else by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from narrowcast.app.context import app_of
from narrowcast.commands.hints import keys_of, with_keys
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

__all__ = ["Attention"]

Result = TypeVar("Result")


class Attention:
    """Where the user is when it is created: the screen of a widget, the focus in it, and the text in a focused field.
    Create it when the key is pressed.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._screen = widget.screen
        self._before = self._now()

    def _now(self) -> tuple[Widget | None, str]:
        focused = self._screen.focused
        return focused, focused.text if isinstance(focused, Editor) else ""

    @property
    def is_here(self) -> bool:
        """Whether the user is still there, and has not typed into the field: a dialog takes over the keyboard."""
        return self._widget.app.screen is self._screen and self._now() == self._before

    def open(
        self,
        dialog: Screen[Result],
        closed: Callable[[Result | None], None] | None = None,
        *,
        what: str,
        again: str,
    ) -> None:
        """Open a dialog if the user is still there; else a notice says that ``what`` did not open, and how it opens
        ``again``: a sentence with the ids of commands as in `with_keys`.
        """
        if self.is_here:
            self._widget.app.push_screen(dialog, closed)
        else:
            self.tell_missed(what, again)

    def tell_missed(self, what: str, again: str) -> None:
        """Show the notice for a dialog that did not open."""
        how = with_keys(keys_of(self._widget), again)
        app_of(self._widget).tell(f"{what} did not open, because you went on to something else. {how}")
