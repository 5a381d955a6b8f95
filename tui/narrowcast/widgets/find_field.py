"""A field above a list that filters it: shown on demand, or always."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import by_id
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.focus import focus_now
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["FilterField", "FindField"]


class FindField(Editor):
    """``narrow`` filters ``listing`` by a text, showing all for an empty one; by default as the list does it.

    Enter goes to the list, or calls ``choose`` if given. ``always``: the field is always shown, and keeps the
    focus when the filter is cleared.
    """

    DEFAULT_CSS = style_sheet(__name__)

    def __init__(
        self,
        placeholder: str,
        listing: VirtualList[Any],
        narrow: Callable[[str], None] | None = None,
        *,
        choose: Callable[[], None] | None = None,
        always: bool = False,
    ) -> None:
        super().__init__(placeholder=placeholder, classes="-always" if always else None)
        self._listing = listing
        self._narrow = narrow or listing.set_filter
        self._choose = choose or self.go_on
        self._always = always

    @property
    def is_typed_in(self) -> bool:
        return self.is_attached and self.screen.focused is self

    @property
    def is_finding(self) -> bool:
        """Whether the list is filtered, or the field is open for it."""
        return bool(self.text) if self._always else self.has_class("-finding")

    def begin(self) -> None:
        """Focuses the field to filter the list."""
        self.add_class("-finding")
        focus_now(self)

    def end(self) -> bool:
        """Shows the whole list again; False if it was not filtered."""
        if not self.is_finding:
            return False
        self.remove_class("-finding")
        self.text = ""
        self._narrow("")
        if not self._always:
            self.go_on()
        return True

    def move(self, direction: int) -> None:
        """Moves the list's selection down (1) or up (-1) while the focus stays in the field."""
        listing = self._listing
        listing.action_cursor_down() if direction > 0 else listing.action_cursor_up()

    def step(self, direction: int) -> None:
        """Moves the focus from the field to the list, and its selection down (1) or up (-1)."""
        self.go_on()
        self.move(direction)

    def on_focus(self) -> None:
        self._listing.lead(True)

    def on_blur(self) -> None:
        self._listing.lead(False)

    def on_editor_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if event.edited:
            self._narrow(event.editor.text)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        self._choose()

    def go_on(self) -> None:
        """Moves the focus to the list."""
        focus_now(self._listing)


class FilterField(FindField):
    """The field above the list of a side pane: up and down move the list's selection while the user types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        by_id()[command_id].binding()
        for command_id in ("navigation.leave", "navigation.down", "navigation.up")
    ]

    def action_navigation_down(self) -> None:
        self.move(1)

    def action_navigation_up(self) -> None:
        self.move(-1)
