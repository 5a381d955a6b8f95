"""The order of the fields of compose, and which of them has the focus."""

from __future__ import annotations

from collections.abc import Callable

from textual.actions import SkipAction

from narrowcast.panes.compose.session import ComposeContext
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.focus import focus_now

__all__ = ["FieldOrder"]


class FieldOrder:
    """The address fields, then the text. ``text_entered`` is called before the text gets the focus."""

    def __init__(self, pane: ComposeContext, text_entered: Callable[[], None]) -> None:
        self._pane = pane
        self._text_entered = text_entered

    def fields(self) -> list[Editor]:
        """The visible fields, from first to last."""
        if self._pane.is_edit:
            return [self._pane.text]
        target = self._pane.target
        if target.is_direct:
            return [target.to, self._pane.text]
        return [target.channel, *([target.topic] if target.has_topics else []), self._pane.text]

    def enter(self, field: Editor) -> None:
        """Focuses a field; the content of an address field is selected, so that typing replaces it."""
        self._pane.host.remove_class("-idle")
        if field is self._pane.text:
            self._text_entered()
        focus_now(field)
        if field is not self._pane.text:
            field.mark()

    def enter_first(self) -> None:
        self.enter(self.fields()[0])

    def enter_text(self) -> None:
        self.enter(self._pane.text)

    def step(self, direction: int) -> None:
        """Focuses the next field (1) or the previous one (-1). At the ends, raises SkipAction for the outer panes."""
        fields, focused = self.fields(), self._pane.host.screen.focused
        place = fields.index(focused) + direction if isinstance(focused, Editor) and focused in fields else 0
        if not 0 <= place < len(fields):
            raise SkipAction
        self.enter(fields[place])
