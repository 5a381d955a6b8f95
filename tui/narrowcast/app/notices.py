"""The notifier of the running app: adapters for its screen and its terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence

from textual.app import App

from narrowcast.app.notifier import Notifier
from narrowcast.app.window_title import WindowTitle
from narrowcast.config.config import Notifications
from narrowcast.terminal.driver import TerminalDriver
from narrowcast.terminal.notifications import can_have_title, choose
from narrowcast.terminal.textual_reads import driver_of
from narrowcast_api.state.state import State
from narrowcast_api.sync.session import Session

__all__ = ["begin", "title_of"]


class AppSight:
    """What the user sees of the app. Terminals report the focus only when it changes: until then it is unknown."""

    def __init__(self, app: App[int], in_view: Callable[[], Collection[int]]) -> None:
        self._app = app
        self.in_view = in_view
        self._reported = False
        self._left: frozenset[int] = frozenset()
        app.watch(app, "app_focus", self._focus_changed, init=False)

    def _focus_changed(self) -> None:
        self._reported = True
        if not self._app.app_focus:
            self._left = frozenset(self.in_view())

    def left_in_view(self) -> Collection[int]:
        """The ids of the messages that were on the screen when the terminal lost the focus."""
        return self._left

    def focused(self) -> bool | None:
        """Whether the terminal has the focus; None if it has not reported it yet."""
        return self._app.app_focus if self._reported else None


class TerminalOutput:
    """Writes to the terminal directly, not through Textual."""

    def __init__(self, driver: TerminalDriver) -> None:
        self._driver = driver

    def write(self, sequence: str) -> None:
        """Writes an escape sequence for a notification."""
        self._driver.write_notice(sequence)


def title_of(app: App[int], states: Callable[[], Sequence[State]]) -> WindowTitle | None:
    """The title of the terminal's window for these accounts; None if the terminal does not support titles."""
    driver = driver_of(app)
    if not isinstance(driver, TerminalDriver) or not can_have_title(os.environ):
        return None
    return WindowTitle(states, driver.set_title)


def begin(
    app: App[int],
    session: Session,
    config: Notifications,
    in_view: Callable[[], Collection[int]],
    label: Callable[[], str],
) -> Notifier | None:
    """The notifier of an open account; None if there is no terminal.

    `in_view` returns the ids of the messages on the screen that no dialog covers; `label` the name of the
    account.
    """
    driver = driver_of(app)
    if not isinstance(driver, TerminalDriver):
        return None
    return Notifier(
        session,
        config,
        AppSight(app, in_view),
        TerminalOutput(driver),
        popup=choose(config.popup, os.environ, passthrough=config.passthrough).way,
        passthrough=dict(os.environ) if config.passthrough else None,
        label=label,
    )
