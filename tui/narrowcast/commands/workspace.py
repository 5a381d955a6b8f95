"""The main screen as commands see it: the account, the panes, and ways to go, to tell and to work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.widget import Widget

from narrowcast.app.context import InApp, app_of
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from textual.app import App
    from textual.geometry import Size

    from narrowcast.app.frames import Frames
    from narrowcast.panes.compose.pane import ComposePane
    from narrowcast.panes.messages.pane import MessagesPane
    from narrowcast.panes.navigation.pane import NavigationPane
    from narrowcast.panes.open_view import OpenView
    from narrowcast.panes.people import PeoplePane
    from narrowcast.screens.main.history import History
    from narrowcast.screens.main.layout import PanePlan
    from narrowcast.screens.main.side_by_side import SideBySide
    from narrowcast_api.sync.session import Session

__all__ = ["Workspace", "workspace_of"]


class Workspace(Protocol):
    """What a command is given. It is a widget too: screens open over it, and it leads to the app."""

    session: Session
    frames: Frames
    """Shows what changes in the account, to whoever subscribes."""
    plan: PanePlan
    navigation: NavigationPane
    side: SideBySide
    people: PeoplePane
    sent_to: Narrow | None
    """The conversation that was written to last."""

    @property
    def view(self) -> OpenView:
        """The view that is open where the keys are."""

    @property
    def history(self) -> History:
        """The views that were open before, for going back and forward."""

    @property
    def messages(self) -> MessagesPane:
        """The messages of the open view."""

    @property
    def writing(self) -> ComposePane:
        """What is written to the open view."""

    @property
    def app(self) -> App[Any]: ...

    @property
    def size(self) -> Size: ...

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the open view."""

    def go(self, narrow: Narrow, anchor: int | str | None = None, *, focus: bool = True) -> None:
        """Open a view, and note it for the way back. ``anchor``: a message id, or what `MessageView.open` takes."""

    def open(
        self, narrow: Narrow, anchor: int | str | None = None, *, record: bool = True, focus: bool = True
    ) -> None:
        """Open a view; ``record``: note it for the way back."""

    def open_beside(
        self,
        narrow: Narrow,
        anchor: int | str | None = None,
        *,
        left: bool = False,
        share: int = 50,
        keys: bool = True,
    ) -> None:
        """Open a view beside the one that is open; it gets the keys unless they are not wanted."""

    def focus_messages(self) -> None:
        """Give the keys to the list of messages."""

    def show_navigation(self, shown: bool) -> None:
        """Show or hide the list of channels."""

    def show_people(self, shown: bool) -> None:
        """Show or hide the people."""

    def show_status(self) -> None:
        """Show the status line anew."""

    def show_cards(self) -> None:
        """Show the cards of extensions anew."""

    def fold_panes(self) -> None:
        """Hide what lies over the messages on a narrow terminal."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> object:
        """Call something after some seconds."""

    def call_after_refresh(self, callback: Callable[..., object], *args: Any) -> bool:
        """Call something once the screen is drawn."""

    def set_focus(self, widget: Widget | None) -> None:
        """Give the keys to a widget."""

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """Say something to the user."""

    def refuse(self, text: str) -> bool:
        """Say why a key could not act, where there is a reason; whether there is one."""

    def spawn(self, work: Awaitable[object], what: str) -> None:
        """Do work in the background."""

    def key(self, command_id: str) -> str:
        """The first key of a command as people write it; empty for one without a key."""

    def run(self, command_id: str) -> None:
        """Run a command, once what is under way is done."""


def workspace_of(node: InApp) -> Workspace | None:
    """The main screen of the app that ``node`` is in, if an account is open."""
    return cast(Workspace | None, app_of(node).accounts.screen)
