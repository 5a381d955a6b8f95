"""The edge between two panes: one column, which the mouse moves."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

__all__ = ["PaneEdge"]


class PaneEdge(Widget):
    """Part of the ground of its pane, and a line only below the mouse, or where panes have no ground of their own."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    PaneEdge { width: 1; height: 1fr; background: $surface; color: $primary; }
    """

    class Moved(Message):
        """The edge is to be at a column of the screen; ``ended``: the mouse button was released there."""

        def __init__(self, edge: PaneEdge, column: int, *, ended: bool) -> None:
            super().__init__()
            self.edge = edge
            self.column = column
            self.ended = ended

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._is_dragged = False

    def render_line(self, y: int) -> Strip:
        is_seen = self._is_dragged or self.mouse_hover or self.app.native_ansi_color
        return Strip([Segment("│" if is_seen else " ", self.rich_style)], 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        self._is_dragged = True
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._is_dragged:
            self.post_message(self.Moved(self, event.screen_x, ended=False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._is_dragged:
            self._is_dragged = False
            self.release_mouse()
            self.post_message(self.Moved(self, event.screen_x, ended=True))
            self.refresh()

    def watch_mouse_hover(self) -> None:
        self.refresh()
