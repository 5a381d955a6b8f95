"""Moving to distant messages of a view, for which it may have to be reopened."""

from __future__ import annotations

from narrowcast.panes.messages.context import PaneContext

__all__ = ["Moving"]


class Moving:
    """Goes to the ends of the view, to unread messages, and to a message just sent."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def oldest(self) -> None:
        """Goes to the oldest message of the view; without a connection, to the oldest one that is loaded."""
        view = self._pane.view
        if view is not None and not view.found_oldest and self._pane.session.is_live:
            self._pane.reopen("oldest")
        else:
            self._pane.list.position.to_oldest()

    def newest(self) -> None:
        """Goes to the newest message of the view."""
        if self._pane.view is not None and not self._pane.view.found_newest:
            self._pane.reopen("newest")
            return
        self._pane.list.position.to_newest()

    def first_unread(self) -> None:
        """Goes to the first unread message."""
        view = self._pane.view
        if view is None:
            return
        get = self._pane.session.state.messages.get
        unread = (one for one in view.ids if (message := get(one)) is not None and not message.is_read)
        first = next(unread, None)
        if first is not None:
            self._pane.list.position.jump(first)
        elif view.first_unread is not None and view.first_unread in view.ids:
            self._pane.list.position.jump(view.first_unread)
        else:
            self._pane.reopen("first_unread")

    def reload(self) -> None:
        """Fetches the view again; without a connection, tries to reconnect now."""
        if not self._pane.session.is_live:
            self._pane.session.reconnect()
        if self._pane.view is not None:
            self._pane.view.mark_stale()
            self._pane.reopen(
                self._pane.list.selected if isinstance(self._pane.list.selected, int) else "newest"
            )

    def show_sent(self) -> bool:
        """Scrolls to a message just sent; False if that would skip unread messages, so that nothing moves."""
        if self._pane.list.position.following:
            return True
        if (
            self._pane.view is None
            or not self._pane.view.found_newest
            or self._pane.list.position.has_unread_below()
        ):
            return False
        self._pane.list.position.to_newest()
        return True
