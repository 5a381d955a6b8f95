"""The open view: the single value that the title shows and from which compose takes its destination."""

from __future__ import annotations

from typing import Protocol

from narrowcast_api.narrow.narrow import Narrow

__all__ = ["OpenView", "ViewFollower"]


class ViewFollower(Protocol):
    """An object that shows part of the open view."""

    def view_closes(self) -> None:
        """Another view is about to open: save what belongs to this one."""

    def view_opened(self) -> None:
        """Another view was opened: show it."""

    def view_moved(self) -> None:
        """The topic of the view was moved: show its new name, and keep what the user is doing in it."""


class OpenView:
    """Holds the narrow of the open view. Only `show` and `move` change it; when they return, all followers show the
    change.
    """

    def __init__(self) -> None:
        self._narrow: Narrow | None = None
        self._followers: list[ViewFollower] = []

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the open view; None before the first view."""
        return self._narrow

    def follow(self, follower: ViewFollower) -> None:
        """Notifies ``follower`` of every change from now on."""
        self._followers.append(follower)

    def show(self, narrow: Narrow) -> None:
        """Opens ``narrow``. Opening the same view again changes nothing, such as an address chosen in it."""
        if narrow == self._narrow:
            return
        for follower in self._followers:
            follower.view_closes()
        self._narrow = narrow
        for follower in self._followers:
            follower.view_opened()

    def move(self, narrow: Narrow) -> None:
        """The topic of the view is at ``narrow`` now."""
        self._narrow = narrow
        for follower in self._followers:
            follower.view_moved()
