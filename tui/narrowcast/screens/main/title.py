"""The line above the messages: the name of the open view, and its description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.open_view import OpenView
from narrowcast.text import names
from narrowcast.widgets.one_line import OneLine

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


class TitleLine(OneLine):
    def __init__(self, session: Session, view: OpenView) -> None:
        super().__init__(id="title")
        self._session = session
        self._view = view
        view.follow(self)

    def view_closes(self) -> None:
        """Does nothing: a title has no state to save."""

    def view_opened(self) -> None:
        self.refresh_title()

    def view_moved(self) -> None:
        self.refresh_title()

    def refresh_title(self) -> None:
        """Shows the view's name, with the current names of its channel and people."""
        narrow, state = self._view.narrow, self._session.state
        if narrow is None:
            return
        channel = state.channels.get(narrow.channel_id) if narrow.channel_id is not None else None
        about = names.about(channel) if channel is not None else ""
        title = names.view(state, narrow)
        self.show_pieces([(f" {title}", "strong"), (f"   {about}" if about else "", "dim")])
