"""One conversation on the main screen: its title, its messages, and the compose box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.panes.open_view import OpenView
from narrowcast.runtime.context import app_of
from narrowcast.runtime.frames import Frames
from narrowcast.screens.main.history import History
from narrowcast.screens.main.title import TitleLine

if TYPE_CHECKING:
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.sync.session import Session

__all__ = ["ConversationPane"]


class ConversationPane(Vertical):
    """``view`` is the value that title, messages and compose share; ``history`` its earlier views."""

    DEFAULT_CSS = """
    ConversationPane { width: 1fr; background: $background; }
    """

    class Entered(Message):
        """The focus is in ``conversation``, unless it has moved on by now."""

        def __init__(self, conversation: ConversationPane) -> None:
            super().__init__()
            self.conversation = conversation

    def __init__(self, session: Session, frames: Frames, *, enter_sends: bool) -> None:
        super().__init__()
        self.session = session
        self.view = OpenView()
        self.history = History()
        self.messages = MessagesPane(session, frames)
        self.writing = ComposePane(session, self.view, enter_sends=enter_sends)
        self.title_line = TitleLine(session, self.view, self.writing)

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of its view."""
        return self.view.narrow

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self.messages
        yield self.writing

    def on_mount(self) -> None:
        self.messages.list.appearance = app_of(self).config.appearance
        if (cards := app_of(self).extensions.cards) is not None:
            self.messages.use_cards(cards)

    def on_descendant_focus(self) -> None:
        self.post_message(self.Entered(self))

    def move(self, narrow: Narrow) -> None:
        """Shows the open topic at its new place; position, focus and the text being written stay."""
        self.view.move(narrow)
        self.messages.move(narrow)

    def keep(self) -> None:
        """Saves the draft and the position."""
        self.writing.keep_draft()
        self._remember()

    def save_before_closing(self) -> None:
        """Saves the draft and the position before the pane closes while the app runs on; says where unsaved
        edits are.
        """
        self.writing.save_before_closing()
        self._remember()

    def _remember(self) -> None:
        if self.narrow is not None:
            self.session.cache_view(self.narrow, self.messages.selected_id)
