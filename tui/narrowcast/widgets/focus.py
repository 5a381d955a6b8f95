"""Moving the focus without the delay of Textual's own method."""

from __future__ import annotations

from textual.widget import Widget


def focus_now(widget: Widget) -> None:
    """Focuses ``widget`` at once: ``Widget.focus`` is delayed, and text typed meanwhile would go to the wrong
    widget.
    """
    widget.screen.set_focus(widget)
