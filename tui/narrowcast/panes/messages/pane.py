"""The message pane: one view of the session, kept in sync, and the commands for the selected message.

The list draws; this pane handles the session: it reads the view after changes (at most once per frame),
requests older and newer pages, reports what was seen, and turns keys and clicks into requests to the server
or messages to the screen (`NarrowRequested`, `ReplyRequested` ...).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.timer import Timer

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.details import Details
from narrowcast.panes.messages.echoes import waiting_messages
from narrowcast.panes.messages.empty import why_empty
from narrowcast.panes.messages.find import Find
from narrowcast.panes.messages.items import MessageItems
from narrowcast.panes.messages.links import LinkHints, Links
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.navigation import Navigation
from narrowcast.panes.messages.painting import Hints
from narrowcast.panes.messages.position import set_position
from narrowcast.panes.messages.reactions import Flags, Polls, Reactions
from narrowcast.panes.messages.requests import NarrowRequested
from narrowcast.panes.messages.row_values import StateNames
from narrowcast.panes.messages.several import Several
from narrowcast.panes.messages.writing import ReplyAndEdit
from narrowcast.runtime.context import app_of
from narrowcast.runtime.frames import Frames, Kinds
from narrowcast_api.errors import ApiError
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.on_screen import marks_read
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from narrowcast.config.config import Appearance
    from narrowcast.panes.messages.row_values import Cards
    from narrowcast_api.sync.message_view import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["MessagesPane"]

Response = TypeVar("Response")

ECHO_CHECK = 1.0
"""Seconds between updates of the notes on echoes, while there are any: the notes depend on their age."""

_NAMES = (change.UsersChanged, change.ChannelsChanged, change.UserGroupsChanged, change.StateReplaced)
_SHOWN = (
    change.MessagesChanged,
    change.MessagesAdded,
    change.MessagesRemoved,
    change.ViewChanged,
    change.OutboxChanged,
    change.SettingsChanged,
    change.ConnectionChanged,
)


SELECTING = "<found.close> cancels · <message.copy> copies the selected text"


class MessagesPane(Vertical):
    """See the module's description. ``parts`` handles the commands."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.MESSAGES)]
    DEFAULT_CSS = """
    MessagesPane { height: 1fr; width: 1fr; }
    """

    def __init__(self, session: Session, frames: Frames, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.session = session
        self._frames = frames
        self.list = MessageList()
        self._shared = PaneContext(self, session, self.list, self._reopen)
        self.parts = PaneParts(self._shared)
        self._echo_timer: Timer | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._paging: set[tuple[MessageView, bool]] = set()
        self._asked_from: dict[bool, int] = {}
        """The edge at which the last older or newer page was requested: if a page brings nothing, it is not
        requested again and again."""
        self._is_positioned = False
        """Whether the position in the view is the user's own; before that, nothing counts as read."""
        self._ends: Sequence[int] = ()
        """The messages whose ends are in view."""

    # Used by the screen.

    @property
    def view(self) -> MessageView | None:
        """The open view; None before one is opened."""
        return self._shared.view

    @property
    def mode_hint(self) -> str:
        """The meaning of the keys while a mode changes it; '' otherwise."""
        return self._shared.mode_hint

    @property
    def is_in_view(self) -> bool:
        """Whether the messages are on the screen, with no dialog over them."""
        return self.is_attached and self.app.screen is self.screen and self.list.is_on_screen

    @property
    def selected_hints(self) -> tuple[tuple[str, str], ...]:
        """The commands for the content of the selected message: id and what each does."""
        return self.parts.links.selected_hints

    def show_sent(self) -> bool:
        """Scrolls to a message just sent; False if that would skip unread messages, so that nothing moves."""
        return self.parts.navigation.show_sent()

    async def waiting(self, request: Awaitable[Response], hint: str) -> Response:
        """The result of a request; shows `hint` until it arrives."""
        return await self._shared.waiting(request, hint)

    def use_cards(self, cards: Cards | None) -> None:
        """Sets the function that inserts the cards of extensions into messages."""
        self.list.use_cards(cards)

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the open view."""
        return self.view.narrow if self.view is not None else None

    @property
    def selected_id(self) -> int | None:
        """The id of the selected message; None if it has not been sent yet."""
        return self.list.selected if isinstance(self.list.selected, int) else None

    def show(self, narrow: Narrow, anchor: int | str | None = None) -> None:
        """Shows a view at once with cached data, and updates it in the background.

        `anchor` is a message id, "first_unread", "newest", or None for the last position.
        """
        if self.view is not None and self.view.narrow != narrow:
            self._leave(self.view)
        self._shared.leave_modes()
        self._is_positioned, self._ends = False, ()
        self.look_again()
        self._asked_from.clear()
        self._shared.view = view = self.session.view(narrow)
        view.is_watched = self._sees_arrivals
        names = StateNames(self.session.state)
        self.list.show_feed(MessageItems(view, names))
        self._read_echoes()
        self._say_what_is_empty()
        is_loaded = isinstance(anchor, int) and anchor in view.ids
        if is_loaded or (anchor is None and view.position is not None and view.position in view.ids):
            self.list.position.jump(anchor if is_loaded and isinstance(anchor, int) else view.position)
        self._shared.work(self._open(view, anchor), "open this view")

    def move(self, narrow: Narrow) -> None:
        """Shows the open topic at its new place, at the same position."""
        position, anchor = self.list.position, None
        is_kept = self.narrow is not None and self.narrow in self.session.kept_unread
        if self._is_positioned:
            anchor = "newest" if position.following and not position.engaged else self.selected_id
        self.show(narrow, anchor)
        if is_kept:
            self.session.kept_unread.add(narrow)

    def _leave(self, view: MessageView) -> None:
        """Saves the position; messages that arrive from now on are not seen."""
        view.is_watched = None
        self.session.kept_unread.discard(view.narrow)
        if self._is_positioned:
            view.position = self.selected_id

    async def _open(self, view: MessageView, anchor: int | str | None) -> None:
        before = self.list.selected if self.list.position.engaged else None
        await view.open(anchor)
        if self.view is not view:
            return
        if (
            isinstance(view.error, ApiError) and view.ids
        ):  # a lost connection is shown at the top of the screen
            self._shared.say(f"The server refused this view: {view.error.user_message}")
        has_moved = self.list.position.engaged and self.list.selected not in (None, before)
        if not (has_moved and self.list.selected in view.ids):
            set_position(self.list.position, view, anchor)
        self._is_positioned = True
        self.refresh_messages()

    # Changes.

    def compose(self) -> ComposeResult:
        yield self.list

    def _reopen(self, anchor: int | str) -> None:
        view = self.view
        if view is not None:
            self._asked_from.clear()
            view.position = None
            self._shared.work(self._open(view, anchor), "load messages")

    def on_mount(self) -> None:
        self._unsubscribe = self._frames.subscribe((*_NAMES, *_SHOWN), self._show_changes)

        self.watch(self.app, "app_focus", self.look_again, init=False)

    def look_again(self) -> None:
        """Reports which messages the user is looking at, after a change of that."""
        session, narrow = self.session, self.narrow
        marks = (
            narrow is not None
            and marks_read(narrow, session.state.settings)
            and narrow not in session.kept_unread
        )
        looks = marks and self._is_positioned and self._is_seen
        session.read_marks.on_screen(self, self._ends if looks else ())

    def on_show(self) -> None:
        self.look_again()

    def on_hide(self) -> None:
        self.look_again()

    @property
    def _is_seen(self) -> bool:
        """Whether the user is looking at the messages, as far as the terminal reports it."""
        return self.app.app_focus and app_of(self).looking.is_looking and self.is_in_view

    def _sees_arrivals(self) -> bool:
        """Whether a message that arrives in the view now is seen at once."""
        return self._is_positioned and self.list.position.following and self._is_seen

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        self.session.read_marks.on_screen(self, ())
        if self.view is not None and self.view.is_watched == self._sees_arrivals:  # not set by another pane
            self.view.is_watched = None

    def _show_changes(self, changed: Kinds) -> None:
        if change.ConnectionChanged in changed:
            self._asked_from.clear()
        if change.StateReplaced in changed and self.list.feed is not None:
            self.list.feed.names.state = self.session.state
        if not changed.isdisjoint(_NAMES) or change.SettingsChanged in changed:
            self.list.names_changed()
        self.refresh_messages()

    def refresh_messages(self) -> None:
        """Reads view and outbox again and repaints what differs."""
        self._read_echoes()
        self._say_what_is_empty()
        self.list.position.feed_changed()

    def _read_echoes(self) -> None:
        feed = self.list.feed
        if feed is None or self.view is None:
            return
        feed.echoes = waiting_messages(self.session, self.view)
        if feed.echoes and self._echo_timer is None:
            self._echo_timer = self.screen.set_timer(ECHO_CHECK, self._echoes_aged)

    def apply_settings(self, appearance: Appearance) -> None:
        """Applies changed keys and settings of the look of messages."""
        self._say_what_is_empty()
        self.list.appearance = appearance
        self.list.refresh_looks()

    def _echoes_aged(self) -> None:
        self._echo_timer = None
        self.list.forget_echoes()
        self.refresh_messages()

    def _say_what_is_empty(self) -> None:
        self.list.empty = why_empty(self.session.state, self.view)
        if self.list.selected is None:
            self.parts.links.tell_hints()

    # Messages from the list.

    def on_message_list_page_wanted(self, event: MessageList.PageWanted) -> None:
        event.stop()
        view = self.view
        if view is None or (view, event.older) in self._paging or view.loading or view.error is not None:
            return
        if not view.ids:
            return
        edge = view.ids[0 if event.older else -1]
        if self._asked_from.get(event.older) == edge:
            return
        self._asked_from[event.older] = edge
        self._paging.add((view, event.older))
        self._shared.work(self._load_page(view, event.older), "load more messages")

    async def _load_page(self, view: MessageView, older: bool) -> None:
        try:
            await (view.load_older() if older else view.load_newer())
        finally:
            self._paging.discard((view, older))
        if self.view is view:
            if view.error is not None and view.ids:
                self._shared.say(
                    f"Could not load more messages: {view.error.user_message} "
                    + with_keys(keys_of(self), "<message.reload> tries again.")
                )
            self.refresh_messages()

    def on_message_list_moved(self, event: MessageList.Moved) -> None:
        """Saves the position, and reports which messages are on the screen."""
        event.stop()
        self.parts.links.tell_hints()
        self._ends = event.ends
        if self.view is not None and self._is_positioned:
            self.view.position = self.selected_id
        self.look_again()

    def on_message_list_heading_chosen(self, event: MessageList.HeadingChosen) -> None:
        """Opens the conversation of the message below the heading."""
        event.stop()
        message = self.session.state.messages.get(event.key) if isinstance(event.key, int) else None
        if message is not None:
            narrow = Narrow.from_destination(message.destination(self.session.state.me))
            self._shared.post(NarrowRequested(narrow, message.id))

    def on_message_list_target_chosen(self, event: MessageList.TargetChosen) -> None:
        event.stop()
        self.parts.links.follow(event.key, event.target)

    def on_message_list_text_selected(self, event: MessageList.TextSelected) -> None:
        """Shows the commands for selected text, whether selected by keys or the mouse."""
        event.stop()
        if self.list.overlay is None:
            self._shared.say_mode(with_keys(keys_of(self), SELECTING) if event.selected else "")

    # Keys.

    def on_key(self, event: events.Key) -> None:
        """Handles keys while a mode takes them; otherwise they go to the bindings."""
        if self.parts.take_key(event):
            event.stop()
            event.prevent_default()


class PaneParts:
    """The parts of one pane, whose methods are the commands of its context (`keys/catalog/panes.py`)."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane
        self.navigation = Navigation(pane)
        self.clipboard = Clipboard(pane)
        self.writing = ReplyAndEdit(pane, self.clipboard)
        self.flags = Flags(pane)
        self.reactions = Reactions(pane)
        self.polls = Polls(pane)
        self.details = Details(pane, self.clipboard, self.navigation)
        self.links = Links(pane, self.navigation, self.clipboard, self.reactions, self.polls)
        self.hints = LinkHints(pane, self.links, self.clipboard)
        self.find = Find(pane)
        self.several = Several(pane, self.clipboard, self.writing, self.flags)

    def enter(self) -> None:
        """Loads messages that may be missing before the message, opens what is closed in it, or replies."""
        key, feed = self._pane.list.selected, self._pane.list.feed
        if feed is not None and isinstance(key, int) and feed.lead(feed.index(key)).gap:
            self.navigation.reload()
        elif key is not None and not self.links.open_closed():
            self.writing.reply()

    def take_key(self, event: events.Key) -> bool:
        """Handles a key while a mode takes all keys; returns whether there is such a mode."""
        overlay = self._pane.list.overlay
        if isinstance(overlay, Hints):
            self.hints.key(overlay, event)
            return True
        return False
