"""Opening a form over a screen of a live account."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import Field, Values

if TYPE_CHECKING:
    from textual.app import App

    from narrowcast_api.sync.session import Session

__all__ = ["Host", "ask"]


class Host(Protocol):
    """A screen of a live account over which forms open: the main screen, or a list of things."""

    @property
    def session(self) -> Session: ...

    @property
    def app(self) -> App[Any]: ...


def ask(
    host: Host,
    title: str,
    fields: Sequence[Field],
    submit: Callable[[Values], Awaitable[object]],
    *,
    done: str = "",
    verb: str = "saves",
    note: str = "",
    focus: str = "",
    then: Callable[[Any], object] | None = None,
) -> None:
    """Opens a form. When the server has accepted the values, ``done`` is shown and ``then`` receives the
    result of ``submit``.
    """

    def closed(result: object) -> None:
        if result is None:
            return
        if done:
            app_of(host).tell(done)
        if then is not None:
            then(result)

    state = host.session.state
    form = FormScreen(title, fields, state=state, submit=submit, verb=verb, note=note, focus=focus)
    host.app.push_screen(form, closed)
