"""The main screen as commands see it: the account, the panes, and methods to open views, notify and run work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.widget import Widget

from narrowcast.keys.hints import HasApp
from narrowcast.runtime.context import app_of
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from textual.app import App
    from textual.geometry import Size
    from textual.notifications import SeverityLevel

    from narrowcast.panes.compose.pane import ComposePane
    from narrowcast.panes.messages.pane import MessagesPane
    from narrowcast.panes.navigation.pane import NavigationPane
    from narrowcast.panes.open_view import OpenView
    from narrowcast.panes.people import PeoplePane
    from narrowcast.runtime.frames import Frames
    from narrowcast.screens.main.downloads import DownloadRows
    from narrowcast.screens.main.history import History
    from narrowcast.screens.main.layout import PanePlan
    from narrowcast.screens.main.pane_widths import PaneWidths
    from narrowcast.screens.main.side_by_side import SideBySide
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.sync.session import Session

__all__ = ["Workspace", "workspace_of"]


class Workspace(Protocol):
    """The argument of a command. It is also a widget: screens open over it, and it gives access to the app."""

    session: Session
    frames: Frames
    """Notifies its subscribers when something in the account changes."""
    plan: PanePlan
    navigation: NavigationPane
    side: SideBySide
    people: PeoplePane
    widths: PaneWidths
    downloads: DownloadRows
    sent_to: Destination | None
    """The conversation of the last sent message."""

    @property
    def view(self) -> OpenView:
        """The open view of the conversation that has the focus."""

    @property
    def history(self) -> History:
        """The views that were open before, for going back and forward."""

    @property
    def messages(self) -> MessagesPane:
        """The messages of the open view."""

    @property
    def writing(self) -> ComposePane:
        """The compose pane of the open view."""

    @property
    def app(self) -> App[Any]: ...

    @property
    def size(self) -> Size: ...

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the open view."""

    def go(self, narrow: Narrow, anchor: int | str | None = None, *, focus: bool = True) -> None:
        """Opens a view and adds it to the history. ``anchor``: a message id, or what `MessageView.open` takes."""

    def open(
        self, narrow: Narrow, anchor: int | str | None = None, *, record: bool = True, focus: bool = True
    ) -> None:
        """Opens a view; ``record``: adds it to the history."""

    def open_beside(
        self,
        narrow: Narrow,
        anchor: int | str | None = None,
        *,
        left: bool = False,
        share: int = 50,
        keys: bool = True,
    ) -> None:
        """Opens a view beside the current one and focuses it, unless ``keys`` is false."""

    def focus_messages(self) -> None:
        """Focuses the list of messages."""

    def show_navigation(self, shown: bool) -> None:
        """Shows or hides the channel list."""

    def show_people(self, shown: bool) -> None:
        """Shows or hides the people pane."""

    def show_status(self) -> None:
        """Updates the status line."""

    def show_cards(self) -> None:
        """Renders the cards of extensions again."""

    def fold_panes(self) -> None:
        """Hides the panes that cover the messages on a narrow terminal."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> object:
        """Calls a function after some seconds."""

    def call_after_refresh(self, callback: Callable[..., object], *args: Any) -> bool:
        """Calls a function after the next refresh of the screen."""

    def set_focus(self, widget: Widget | None) -> None:
        """Focuses a widget; None removes the focus."""

    def tell(
        self, text: str, *, severity: SeverityLevel = "information", seconds: float | None = None
    ) -> None:
        """Shows a notice to the user."""

    def refuse(self, text: str) -> bool:
        """If there is a reason why a key cannot act, show it; returns whether there is one."""

    def spawn(self, work: Awaitable[object], what: str) -> None:
        """Runs work in the background."""

    def key(self, command_id: str) -> str:
        """The label of a command's first key; empty if it has no key."""

    def run(self, command_id: str) -> None:
        """Runs a command after the current work is done."""


def workspace_of(node: HasApp) -> Workspace | None:
    """The main screen of the app that ``node`` is in, if an account is open."""
    return cast(Workspace | None, app_of(node).accounts.screen)
