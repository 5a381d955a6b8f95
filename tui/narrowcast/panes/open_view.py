"""The open view: the single value that the title shows and from which compose takes its destination."""

from __future__ import annotations

from typing import Protocol

from narrowcast_api.narrow.narrow import Narrow

__all__ = ["Follower", "OpenView"]


class Follower(Protocol):
    """An object that shows part of the open view."""

    def view_closes(self) -> None:
        """Another view is about to open: save what belongs to this one."""

    def view_opened(self) -> None:
        """Another view was opened: show it."""


class OpenView:
    """Holds the narrow of the open view. Only `show` changes it; when it returns, all followers show the change."""

    def __init__(self) -> None:
        self._narrow: Narrow | None = None
        self._followers: list[Follower] = []

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the open view; None before the first view."""
        return self._narrow

    def follow(self, follower: Follower) -> None:
        """Notify ``follower`` of every change from now on."""
        self._followers.append(follower)

    def show(self, narrow: Narrow) -> None:
        """Open ``narrow``. Opening the same view again changes nothing, such as an address chosen in it."""
        if narrow == self._narrow:
            return
        for follower in self._followers:
            follower.view_closes()
        self._narrow = narrow
        for follower in self._followers:
            follower.view_opened()
