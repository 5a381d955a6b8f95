"""From a widget to the app it belongs to, with its own type."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, ParamSpec

from textual.message_pump import MessagePump
from textual.widget import Widget

if TYPE_CHECKING:
    from narrowcast.app.app import NarrowcastApp


P = ParamSpec("P")


def in_app(callback: Callable[P, None]) -> Callable[P, None]:
    """``callback`` for those who call from outside of the app, such as the session or a signal.

    Textual's timers and messages need the context that widgets run in; make this where a widget is mounted.
    """
    context = copy_context()

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        context.copy().run(callback, *args, **kwargs)

    return call


def app_of(node: MessagePump) -> NarrowcastApp:
    """The running app. Raises TypeError for a widget in some other app, which is a defect."""
    from narrowcast.app.app import NarrowcastApp

    app = node.app
    if not isinstance(app, NarrowcastApp):
        raise TypeError(f"{node} is not in a NarrowcastApp")
    return app


def focus_now(widget: Widget) -> None:
    """Give ``widget`` the keys at once: ``Widget.focus`` waits, and what is typed meanwhile goes astray."""
    widget.screen.set_focus(widget)
