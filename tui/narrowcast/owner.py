"""From a widget to the app it belongs to, with its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message_pump import MessagePump
from textual.widget import Widget

if TYPE_CHECKING:
    from narrowcast.app import NarrowcastApp


def app_of(node: MessagePump) -> NarrowcastApp:
    """The running app. Raises TypeError for a widget in some other app, which is a defect."""
    from narrowcast.app import NarrowcastApp

    app = node.app
    if not isinstance(app, NarrowcastApp):
        raise TypeError(f"{node} is not in a NarrowcastApp")
    return app


def focus_now(widget: Widget) -> None:
    """Give ``widget`` the keys at once: ``Widget.focus`` waits, and what is typed meanwhile goes astray."""
    widget.screen.set_focus(widget)
