"""The field above a list that narrows it: it comes when one wants to find something, or a pane shows it always."""

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

    Enter goes on to the list, or calls ``choose`` where that is given. ``always``: the field is shown, and keeps the
    keys, also while nothing is to be found.
    """

    DEFAULT_CSS = """
    FindField { background: $panel; display: none; }
    FindField.-finding, FindField.-always { display: block; }
    """

    def __init__(
        self,
        placeholder: str,
        listing: Callable[[], VirtualList[Any]],
        narrow: Callable[[str], None] | None = None,
        moved: Callable[[], None] = lambda: None,
        *,
        choose: Callable[[], None] | None = None,
        always: bool = False,
    ) -> None:
        super().__init__(placeholder=placeholder, classes="-always" if always else None)
        self._listing = listing
        self._narrow = narrow or (lambda text: listing().set_filter(text))
        self._moved = moved
        self._choose = choose or self._go_on
        self._always = always

    @property
    def is_typed_in(self) -> bool:
        return self.screen.focused is self

    @property
    def is_finding(self) -> bool:
        """Whether the list is narrowed, or about to be."""
        return bool(self.text) if self._always else self.has_class("-finding")

    def begin(self) -> None:
        """Type to narrow the list."""
        self.add_class("-finding")
        focus_now(self)
        self._moved()

    def end(self) -> bool:
        """Show the whole list again; False if it was not narrowed."""
        if not self.is_finding:
            return False
        self.remove_class("-finding")
        self.text = ""
        self._narrow("")
        if not self._always:
            self._go_on()
        return True

    def move(self, direction: int) -> None:
        """A line of the list down (1) or up (-1), while the keys stay here."""
        listing = self._listing()
        listing.action_cursor_down() if direction > 0 else listing.action_cursor_up()

    def step(self, direction: int) -> None:
        """From the field to the list, and a line down (1) or up (-1)."""
        self._go_on()
        self.move(direction)

    def on_editor_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if event.edited:
            self._narrow(event.editor.text)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        self._choose()

    def _go_on(self) -> None:
        focus_now(self._listing())
        self._moved()
