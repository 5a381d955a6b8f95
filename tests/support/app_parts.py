"""Parts of a running app in tests."""

from __future__ import annotations

from narrowcast.app.app import NarrowcastApp
from narrowcast.screens.main.screen import MainScreen


def main_screen(app: NarrowcastApp) -> MainScreen:
    """The screen with the panes, below any dialogs."""
    screen = app.accounts.screen
    assert screen is not None
    return screen
