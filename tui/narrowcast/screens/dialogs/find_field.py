"""The field above a list of a dialog: it comes when one wants to find something, and narrows the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from narrowcast.app.context import focus_now
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["FindField"]


class FindField(Editor):
    """``listing`` gives the list; ``narrow`` shows what of it fits a text, all for an empty one. ``moved`` is called
    when one goes into the field or on to the list.
    """

    DEFAULT_CSS = """
    FindField { background: $panel; display: none; }
    FindField.-finding { display: block; }
    """

    def __init__(
        self,
        placeholder: str,
        listing: Callable[[], VirtualList[Any]],
        narrow: Callable[[str], None],
        moved: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(placeholder=placeholder)
        self._listing = listing
        self._narrow = narrow
        self._moved = moved

    @property
    def is_typed_in(self) -> bool:
        return self.screen.focused is self

    def begin(self) -> None:
        """Type to narrow the list."""
        self.add_class("-finding")
        focus_now(self)
        self._moved()

    def end(self) -> bool:
        """Show the whole list again; False if it was not narrowed."""
        if not self.has_class("-finding"):
            return False
        self.remove_class("-finding")
        self.text = ""
        self._narrow("")
        self._go_on()
        return True

    def step(self, direction: int) -> None:
        """From the field to the list, and a line down (1) or up (-1)."""
        self._go_on()
        listing = self._listing()
        listing.action_cursor_down() if direction > 0 else listing.action_cursor_up()

    def on_editor_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if event.edited:
            self._narrow(event.editor.text)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Enter goes on to the list."""
        event.stop()
        self._go_on()

    def _go_on(self) -> None:
        focus_now(self._listing())
        self._moved()
