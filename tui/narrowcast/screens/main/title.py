"""The line above the messages: the name of the open view, and its description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from narrowcast.keys.hints import key_of, keys_of
from narrowcast.panes.open_view import OpenView
from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast_api.narrow.destinations import same_conversation

if TYPE_CHECKING:
    from narrowcast.panes.compose.pane import ComposePane
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.sync.session import Session

BACK = " ‹ "


class TitleLine(OneLine):
    """``writing``: the compose box of the conversation; the draft in it is not counted as another one."""

    class Left(Message):
        """Go back to the channel list."""

    def __init__(self, session: Session, view: OpenView, writing: ComposePane) -> None:
        super().__init__(id="title")
        self._session = session
        self._view = view
        self._writing = writing
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
        back = self.is_attached and self.screen.has_class("-narrow")
        left: list[Piece] = [(BACK if back else "  ", "strong")]
        if channel is not None and title.startswith("#"):
            left.append(("#", names.channel_color(channel) or "strong"))
            title = title[1:]
        left += [(title, "strong"), (f"   {about}" if about else "", "dim")]
        self.show_pieces(left, self._drafts(narrow))

    def on_resize(self, _event: events.Resize) -> None:
        """Where only one pane fits, the line shows the way back to the channel list."""
        self.refresh_title()

    def on_click(self, event: events.Click) -> None:
        """A click on that goes back."""
        offset = self.clicked(event)
        if self.screen.has_class("-narrow") and offset is not None and offset.x < len(BACK):
            self.post_message(self.Left())

    def _drafts(self, narrow: Narrow) -> list[Piece]:
        """How many drafts of the conversation are not in compose, and the key that lists them."""
        if (where := narrow.destination) is None:
            return []
        drafts = [
            draft for draft in self._session.drafts.all() if same_conversation(draft.destination, where)
        ]
        others = len([draft for draft in drafts if draft.draft_id != self._writing.draft.id])
        if not others:
            return []
        key = key_of(keys_of(self), "go.drafts-here")
        return [
            (counted(others, "other draft" if others < len(drafts) else "draft"), "accent"),
            (f" {key} ", "dim"),
        ]
