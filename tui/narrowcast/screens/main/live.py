"""The ground of the main screen: panes that show one live account, and what keeps them true."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from narrowcast.app.context import app_of, focus_now, in_app
from narrowcast.app.frames import Frames, Kinds
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.panes.navigation.pane import NavigationPane
from narrowcast.panes.open_view import OpenView
from narrowcast.panes.people import PeoplePane
from narrowcast.screens.main.hints import NARROW, NAVIGATION, READING, WRITING, hint_line, keys_of_commands
from narrowcast.screens.main.history import Stop, Trail
from narrowcast.screens.main.layout import Layout
from narrowcast.screens.main.title import TitleLine
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.status import StatusLine, banner
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

log = logging.getLogger(__name__)

_NAVIGATION = (
    change.UnreadsChanged,
    change.ChannelsChanged,
    change.TopicsChanged,
    change.DraftsChanged,
    change.UsersChanged,
    change.MessagesAdded,
    change.SettingsChanged,
    change.StateReplaced,
)
_STATUS = (
    change.UnreadsChanged,
    change.TypingChanged,
    change.ConnectionChanged,
    change.StateReplaced,
    change.UsersChanged,
    change.OutboxChanged,
    change.StorageChanged,
)


class LiveScreen(Screen[None], inherit_bindings=False):
    """Panes, title, banner, status line; the view that is open and the way back."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.MAIN)]
    AUTO_FOCUS = ""

    def __init__(self, session: Session, *, people: bool = True, enter_sends: bool = True) -> None:
        super().__init__()
        self.session = session
        self.frames = Frames(self.set_timer)
        self.plan = Layout(people_wanted=people)
        self.navigation = NavigationPane(session)
        self.messages = MessagesPane(session, self.frames)
        self.view = OpenView()
        self.writing = ComposePane(session, self.view, enter_sends=enter_sends)
        self.people = PeoplePane(session)
        self.title_line = TitleLine(session, self.view)
        self.banner_line = OneLine(id="banner")
        self.status_line = StatusLine(id="status")
        self._trail = Trail()
        self._keys: dict[str, str] = {}
        self._unfollow: list[Callable[[], None]] = []
        self._told: tuple[str, ...] = ()

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the view that is open."""
        return self.view.narrow

    def compose(self) -> ComposeResult:
        self._apply_plan(self.app.size.width)  # now, while a change of class has no children to restyle
        yield self.banner_line
        with Horizontal(id="panes"):
            yield self.navigation
            with Vertical(id="middle"):
                yield self.title_line
                yield self.messages
                yield self.writing
            yield self.people
        yield self.status_line

    def on_mount(self) -> None:
        """Follow the account from now on."""
        self._unfollow = [
            self.session.subscribe(in_app(self._tell_server_notices)),
            self.frames.follow(self.session),
        ]
        for kinds, show in self._showers():
            self.frames.subscribe(kinds, show)
        self.update_status()
        self.call_after_refresh(self._tell_warnings)

    def on_unmount(self) -> None:
        """Follow it no longer."""
        for unfollow in self._unfollow:
            unfollow()

    # what changes

    def _tell_server_notices(self, changes: Sequence[change.Change]) -> None:
        """What the server says to the user is said at once."""
        for item in changes:
            if isinstance(item, change.ServerNotice):
                self.tell(item.text, severity="warning")

    def _showers(self) -> Iterator[tuple[Iterable[type[change.Change]], Callable[[Kinds], None]]]:
        """Who shows what; the messages pane subscribes by itself."""
        replaced, users, channels = change.StateReplaced, change.UsersChanged, change.ChannelsChanged
        yield _NAVIGATION, lambda _: self.navigation.refresh_rows()
        yield (change.PresenceChanged, users, replaced), lambda _: self._show_people()
        yield _STATUS, lambda _: self.update_status()
        yield (change.UploadsChanged,), lambda _: self.writing.uploads.refresh_rows()
        yield (change.DraftsChanged, replaced), lambda _: self.writing.follow_draft()
        yield (channels, users, replaced), lambda _: self.writing.target.refresh_names(self.session.state)
        yield (change.StorageChanged,), lambda _: self._tell_warnings()
        yield (replaced, channels), lambda _: self.title_line.refresh_title()

    def _show_people(self) -> None:
        self.people.refresh_people()
        self.navigation.refresh_marks()

    def _tell_warnings(self) -> None:
        """In full, when they are new: the banner may have no room for all of it."""
        for warning in self.session.warnings:
            if warning not in self._told:
                self.tell(warning, severity="warning", seconds=15)
        self._told = self.session.warnings

    def update_status(self) -> None:
        """Bring status line and banner up to date."""
        where = self.narrow.destination if self.narrow is not None else None
        in_mode = bool(self.messages.mode_hint) and self.messages.has_focus_within
        hint = self.messages.mode_hint if in_mode else self._hint()
        self.status_line.update(self.session, where, hint, urgent=in_mode)
        text = banner(self.session)
        self.set_class(bool(text), "-banner")
        if text:
            self.banner_line.show_pieces([(" " + text, "warn")])

    def _hint(self) -> str:
        """The most useful keys of the pane that has the focus."""
        width = self.size.width
        if not self._keys:
            self._keys = keys_of_commands(app_of(self).config.keys)
        if self.writing.has_focus_within:
            other = ("compose.other-enter", "new line" if self.writing.enter_sends else "sends")
            return hint_line(self._keys, (other, *WRITING), width) if width >= 100 else ""
        if self.navigation.has_focus_within:
            return hint_line(self._keys, NAVIGATION, width)
        usual = READING if width >= 100 else NARROW
        return hint_line(self._keys, (*self.messages.selected_hints, *usual), width)

    # where one is

    def open(
        self, narrow: Narrow, anchor: int | str | None = None, *, record: bool = True, focus: bool = True
    ) -> None:
        """Show a view. ``anchor``: a message id, or what ``MessageView.open`` takes."""
        if record:
            message_id = anchor if isinstance(anchor, int) else None
            self._trail.go(Stop(narrow, message_id), self.messages.selected_id)
        self.view.show(narrow)
        self.navigation.show_current(narrow)
        if focus:
            self.focus_messages()
        self._fold_navigation()
        self.messages.show(narrow, anchor)
        self.session.remember(narrow, self.messages.selected_id)
        self.update_status()

    def go(self, narrow: Narrow, anchor: int | str | None = None, *, focus: bool = True) -> None:
        """Show a view and note it for the way back."""
        self.open(narrow, anchor, focus=focus)

    def step_history(self, by: int) -> None:
        """Back or forward to a view that was open before."""
        stop = self._trail.step(by, self.messages.selected_id)
        if stop is None:
            self.refuse("No previous view." if by < 0 else "No next view.")
        else:
            self.open(stop.narrow, stop.message_id, record=False)

    def focus_messages(self) -> None:
        """The keys go to the list of messages."""
        for widget in (self.messages, *self.messages.query("*")):
            if widget.can_focus:
                focus_now(widget)
                return

    def on_descendant_focus(self) -> None:
        """The status line shows the keys of the pane that one is in."""
        self.update_status()

    # room

    def on_resize(self, event: events.Resize) -> None:
        """Fold panes away, or back."""
        self._apply_plan(event.size.width)
        self.update_status()

    def _apply_plan(self, width: int) -> None:
        self.plan.resized(width)
        for name, wanted in self.plan.classes().items():
            self.set_class(wanted, name)

    def _fold_navigation(self) -> None:
        """On a narrow terminal the channels lie over the messages: away with them."""
        if self.plan.is_narrow and (self.plan.navigation or self.plan.people):
            self.plan.navigation = self.plan.people = None
            self._apply_plan(self.app.size.width)

    def show_navigation(self, shown: bool) -> None:
        """Show or hide the list of channels."""
        self.plan.navigation = shown
        self._apply_plan(self.app.size.width)

    def show_people(self, shown: bool) -> None:
        """Show or hide the people."""
        self.plan.people = shown
        self._apply_plan(self.app.size.width)

    # talking to the user, working in the background

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """A short notice; server text is never markup."""

        app = app_of(self)
        app.tell(text, severity=severity, seconds=seconds)

    def refuse(self, text: str) -> None:
        """A key could not act: say why."""
        app_of(self).refuse(text)

    def spawn(self, work: Awaitable[object], what: str) -> None:
        """Do ``work`` in the background; a failure becomes a notice and a line in the log."""

        app = app_of(self)
        app.spawn(work, what)
