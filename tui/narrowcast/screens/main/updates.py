"""Keeps the main screen in sync with its live account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from narrowcast.keys.hints import SEPARATOR, ShownHint, keys_of, with_keys
from narrowcast.runtime.context import app_of, in_app
from narrowcast.runtime.frames import Frames, Kinds
from narrowcast.screens.channels.steps import archived_notice, unsubscribed_notice
from narrowcast.screens.conversations.screen import ConversationsScreen
from narrowcast.screens.main.edited_messages import EditedMessages
from narrowcast.screens.main.hints import (
    CONVERSATIONS,
    DIALOG_HELP,
    FILTERING,
    NARROW,
    NAVIGATION,
    PEOPLE,
    READING,
    WRITING,
    hint_line,
)
from narrowcast.screens.main.moves import Moves
from narrowcast.widgets.find_field import FilterField
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.status import StatusLine, banner
from narrowcast_api.narrow.destinations import DirectDestination
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from textual.widget import Widget

    from narrowcast.screens.main.conversation_pane import ConversationPane
    from narrowcast.screens.workspace import Workspace

ROOM_FOR_HINTS = 100
"""Minimum columns for key hints while composing, and for the full hints while reading."""

_NAVIGATION = (
    change.UnreadsChanged,
    change.ChannelsChanged,
    change.TopicsChanged,
    change.DraftsChanged,
    change.UsersChanged,
    change.MessagesAdded,
    change.MessagesChanged,
    change.SettingsChanged,
    change.StateReplaced,
)
_STATUS = (
    change.UnreadsChanged,
    change.TypingChanged,
    change.ConnectionChanged,
    change.StateReplaced,
    change.UsersChanged,
    change.SettingsChanged,
    change.ActionsChanged,
    change.OutboxChanged,
    change.StorageChanged,
)


TAKING_PART = 100
"""Number of newest messages of a conversation whose senders take part in it, and whose files and links are
listed.
"""


class StatusLines:
    """The banner above the panes and the status line below them. ``host``: the screen that contains them."""

    def __init__(self, screen: Workspace, host: Widget) -> None:
        self._screen = screen
        self._host = host
        self._told: tuple[str, ...] = ()
        self.banner = OneLine(id="banner")
        self.status = StatusLine(id="status")

    def update(self) -> None:
        screen = self._screen
        where = screen.narrow.destination if screen.narrow is not None else None
        above = self._above()
        in_mode = above is None and bool(screen.messages.mode_hint) and screen.messages.has_focus_within
        mode = screen.messages.mode_hint.split(SEPARATOR) if in_mode else ()
        hints = [ShownHint("", words) for words in mode] or self._hints(above)
        added = app_of(self._host).extensions.segments()
        self.status.update(screen.session, where, hints, keys_of(self._host), urgent=in_mode, added=added)
        text = banner(screen.session, keys_of(self._host))
        self._host.set_class(bool(text), "-banner")
        if text:
            self.banner.show_pieces([(" " + text, "warn")])

    def _above(self) -> ConversationsScreen | None:
        """What lies over the messages and leaves the status line visible."""
        screens = self._host.app.screen_stack
        return next((screen for screen in screens if isinstance(screen, ConversationsScreen)), None)

    def _hints(self, above: ConversationsScreen | None) -> list[ShownHint]:
        """The most useful keys of what lies over the messages, or of the pane that has the focus."""
        screen, width = self._screen, self._screen.size.width
        keys = keys_of(self._host)
        if above is not None:
            typed = above.is_typed_in
            hints = () if typed else CONVERSATIONS
            return hint_line(keys, hints, width, in_field=typed, help_hint=DIALOG_HELP)
        if screen.writing.text.in_normal_mode:
            mode = ShownHint("", "NORMAL  i inserts")
            return [mode, *hint_line(keys, (WRITING[0],), width, in_field=True)]
        if screen.writing.has_focus_within:
            other = "compose.other-enter" if screen.writing.enter_sends else "compose.enter"
            return hint_line(keys, ((other, "new line"), *WRITING), width, in_field=True)
        if isinstance(self._host.screen.focused, FilterField):
            return hint_line(keys, FILTERING, width, in_field=True)
        if screen.navigation.has_focus_within:
            return hint_line(keys, NAVIGATION, width)
        if screen.people.has_focus_within:
            return hint_line(keys, PEOPLE, width)
        usual = READING if width >= ROOM_FOR_HINTS else NARROW
        return hint_line(keys, (*screen.messages.selected_hints, *usual), width)

    def tell_warnings(self) -> None:
        """Shows new warnings in full as notices: they may not fit into the banner."""
        warnings = self._screen.session.warnings
        for warning in warnings:
            if warning not in self._told:
                self._screen.tell(warning, severity="warning", seconds=15)
        self._told = warnings


class Updates:
    """Shows changes of the account, at most once per frame, from `begin` to `end`."""

    def __init__(self, screen: Workspace, frames: Frames, lines: StatusLines) -> None:
        self._screen = screen
        self._frames = frames
        self._lines = lines
        self._unfollow: list[Callable[[], None]] = []
        self._subscribed: dict[int, str] = {}
        self._moves = Moves(screen)

    def begin(self) -> None:
        session = self._screen.session
        self._unfollow = [
            session.subscribe(in_app(self._tell_notices)),
            session.subscribe(in_app(self._moves.show)),
            session.subscribe(in_app(EditedMessages(self._screen).show)),
            self._frames.follow(session),
        ]
        for kinds, show in self._shows():
            self._frames.subscribe(kinds, show)
        self._lines.update()
        self._tell_of_leaving()
        self._tell_of_missing_drafts()

    def end(self) -> None:
        for unfollow in self._unfollow:
            unfollow()

    def _tell_notices(self, changes: Sequence[change.Change]) -> None:
        """Shows notices from the server immediately."""
        for item in changes:
            if isinstance(item, change.ServerNotice):
                self._screen.tell(item.text, severity="warning")

    def _shows(self) -> Iterator[tuple[Iterable[type[change.Change]], Callable[[Kinds], None]]]:
        """The kinds of changes, each with the function that shows them; the messages pane subscribes by itself."""
        screen = self._screen
        replaced, users, channels = change.StateReplaced, change.UsersChanged, change.ChannelsChanged
        yield _NAVIGATION, lambda _: screen.navigation.refresh_rows()
        yield (change.PresenceChanged, users, replaced), lambda _: self._show_presence()
        yield _STATUS, lambda _: self._lines.update()
        yield (change.UploadsChanged,), lambda _: self._each(lambda one: one.writing.uploads.refresh_rows())
        yield (change.UploadsChanged,), lambda _: screen.downloads.refresh_rows()
        yield (change.DraftsChanged, replaced), lambda _: self._each(lambda one: one.writing.follow_draft())
        yield (change.DraftsChanged,), lambda _: self._tell_of_missing_drafts()
        rules = (channels, users, replaced, change.SettingsChanged, change.UserGroupsChanged)
        yield rules, lambda _: self._each(lambda one: one.writing.refresh_target())
        yield (change.StorageChanged,), lambda _: self._lines.tell_warnings()
        titles = (replaced, channels, users, change.DraftsChanged, change.SettingsChanged)
        yield titles, lambda _: self._each(lambda one: one.title_line.refresh_title())
        yield (replaced, channels), lambda _: self._tell_of_leaving()
        yield (change.ViewChanged,), lambda _: self._moves.seek()
        here = (
            change.TypingChanged,
            change.MessagesAdded,
            change.MessagesChanged,
            change.ViewChanged,
            replaced,
        )
        yield here, lambda _: self._show_conversation()

    def view_opened(self) -> None:
        """Follows the topic of the view that was just opened, if it was moved since it was open before."""
        self._moves.seek()
        self._show_conversation()

    def _show_conversation(self) -> None:
        """Puts the people of the open conversation first in their pane, and what it shares below."""
        screen = self._screen
        state, narrow = screen.session.state, screen.narrow
        where = narrow.destination if narrow is not None else None
        feed = screen.messages.list.feed
        typing = state.typing.typers(where) if where is not None else ()
        newest = reversed(feed.ids[-TAKING_PART:]) if where is not None and feed else ()
        messages = list(state.messages.known(newest))
        others = tuple(where.user_ids) if isinstance(where, DirectDestination) else ()
        here = dict.fromkeys([*typing, *others, *(message.sender_id for message in messages)])
        screen.people.show_conversation([user_id for user_id in here if user_id != state.me], typing)
        screen.people.show_shared(messages)

    def _each(self, show: Callable[[ConversationPane], object]) -> None:
        for conversation in self._screen.side.all:
            show(conversation)

    def _tell_of_leaving(self) -> None:
        """If the user was unsubscribed from an open channel, show a notice that new messages will not arrive."""
        before = self._subscribed
        now = {
            channel.channel_id: channel.name for channel in self._screen.session.state.channels.subscribed()
        }
        self._subscribed = now
        shown = [one.narrow.channel_id for one in self._screen.side.all if one.narrow is not None]
        for here in dict.fromkeys(shown):
            if here is None or here not in before or here in now:
                continue
            channel = self._screen.session.state.channels.get(here)
            if channel is not None and channel.is_archived:
                text = archived_notice(channel)
            else:
                text = unsubscribed_notice(before[here])
            self._screen.tell(text, severity="warning")

    def _tell_of_missing_drafts(self) -> None:
        """Says once that drafts were removed or replaced while this device was away."""
        many = self._screen.session.drafts.newly_missing()
        if many:
            which, its = ("A draft was", "its text") if many == 1 else (f"{many} drafts were", "their texts")
            text = f"{which} sent, deleted or replaced elsewhere. <go.drafts> <drafts.removed> shows {its}."
            self._screen.tell(with_keys(keys_of(self._screen.messages), text))

    def _show_presence(self) -> None:
        self._screen.people.refresh_people()
        self._screen.navigation.refresh_marks()
