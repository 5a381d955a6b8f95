"""Dialogs that can open only when a response has arrived: not while the user does something else by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from narrowcast.keys.hints import HasApp, keys_of, with_keys
from narrowcast.runtime.context import app_of
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

__all__ = ["RequestOrigin", "tell_late"]

Result = TypeVar("Result")


class RequestOrigin:
    """Where the user is when it is created: the screen of a widget, the focus in it, and the text in a focused field.
    Create it when the key is pressed.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._screen = widget.screen
        self._focused = self._screen.focused
        self._text = self._typed()

    def _typed(self) -> str:
        return self._focused.text if isinstance(self._focused, Editor) else ""

    @property
    def is_here(self) -> bool:
        """Whether the user is still there, and has not typed into the field: a dialog takes over the keyboard.
        While another window of the desktop has the focus, no widget has it.
        """
        app = self._widget.app
        is_focused = not app.app_focus or self._screen.focused is self._focused
        return app.screen is self._screen and is_focused and self._typed() == self._text

    def open(
        self,
        dialog: Screen[Result],
        closed: Callable[[Result | None], None] | None = None,
        *,
        what: str,
        again: str,
    ) -> None:
        """Opens a dialog if the user is still there; else a notice says that ``what`` did not open, and how
        it opens ``again``: a sentence with the ids of commands as in `with_keys`.
        """
        if self.is_here:
            self._widget.app.push_screen(dialog, closed)
        else:
            self.tell_missed(what, again)

    def tell_missed(self, what: str, again: str) -> None:
        """Shows the notice for a dialog that did not open."""
        tell_late(self._widget, f"{what} did not open", again)


def tell_late(widget: HasApp, missed: str, again: str) -> None:
    """Shows that a response arrived too late, what therefore did not happen, and how to repeat the command: a
    sentence with the ids of commands as in `with_keys`.
    """
    how = with_keys(keys_of(widget), again)
    app_of(widget).tell(f"{missed}, because you pressed other keys. {how}", severity="warning")
