"""The view that is open: the one value that the title names and that says where compose writes to."""

from __future__ import annotations

from typing import Protocol

from narrowcast_api.narrow.narrow import Narrow

__all__ = ["Follower", "OpenView"]


class Follower(Protocol):
    """Whoever shows something of the open view."""

    def view_closes(self) -> None:
        """Another view comes: keep what belongs to this one."""

    def view_opened(self) -> None:
        """Another view is open: show it."""


class OpenView:
    """Holds the narrow. It changes in one place, and all followers have shown the change when that returns."""

    def __init__(self) -> None:
        self._narrow: Narrow | None = None
        self._followers: list[Follower] = []

    @property
    def narrow(self) -> Narrow | None:
        """What is shown; None before the first view."""
        return self._narrow

    def follow(self, follower: Follower) -> None:
        """Tell ``follower`` of every change from now on."""
        self._followers.append(follower)

    def show(self, narrow: Narrow) -> None:
        """Open ``narrow``. Opening the same view again changes nothing of what its writer chose in it."""
        if narrow == self._narrow:
            return
        for follower in self._followers:
            follower.view_closes()
        self._narrow = narrow
        for follower in self._followers:
            follower.view_opened()
