"""Recent conversations and the inbox: name, last message and participants; open, mark as read, mute."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from rich.style import Style
from textual import events
from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for, bindings_to, by_id
from narrowcast.runtime.context import app_of
from narrowcast.screens.conversations.listing import Conversation, Only, fits, recent, unread
from narrowcast.screens.conversations.requests import (
    mark_read,
    mark_unread,
    policy_of,
    set_policies,
    toggle_mute,
    unread_ids,
)
from narrowcast.screens.conversations.rows import ConversationList, ConversationRow
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast.screens.workspace import workspace_of
from narrowcast.text import names
from narrowcast.text.formats import at_least, counted, day_or_time, excerpt, has_long_clock
from narrowcast.text.presence import conversation_sign
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.notices import notices_above
from narrowcast.widgets.one_line import CommandPressed, command_of
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.tints import channel_tint, ground_of
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from narrowcast.runtime.context import ListedAccount
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

MAX_FETCHED = 30
"""Maximum number of conversations whose last message is fetched if it is not in the state."""
CLOSING = (
    "app.palette",
    "go.switcher",
    "go.all",
    "go.mentions",
    "go.starred",
    "go.direct",
    "go.drafts",
    "go.outbox",
    "go.sent",
    "go.composed",
    "go.next-unread-topic",
    "go.previous-unread-topic",
    "go.next-unread-followed",
    "go.next-unread-direct",
    "write.channel",
    "write.direct",
    "channel.browse",
    "account.switch",
    "account.next-unread",
)
"""Commands of the main screen whose keys also work here: they close this view and then run. The view's own keys
take precedence."""
LOOKS = ("app.theme", "app.choose-theme", "app.density")
"""Commands of the app whose keys work here too."""


class ConversationsScreen(ManageScreen[Conversation | None]):
    """One line per conversation; the value of a heading is None. Dismissed with the view to go to."""

    KEYS = (
        ("list.select", "opens"),
        ("conversations.mark-read", "marks as read"),
        ("conversations.mute", "mutes"),
        ("conversations.show", "shows only"),
        ("conversations.choose", "selects"),
    )
    FOLLOWS = (
        change.UnreadsChanged,
        change.MessagesAdded,
        change.MessagesChanged,
        change.TopicsChanged,
        change.ChannelsChanged,
        change.UsersChanged,
        change.PresenceChanged,
    )
    COUNTS = False
    DIMS = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.DIALOG, Context.CONVERSATIONS),
        *bindings_to("close_and_run", *CLOSING),
        *(by_id()[command].binding() for command in LOOKS),
    ]
    DEFAULT_CSS = style_sheet(__name__)
    FRAMED = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._chosen: set[Hashable] = set()
        """The keys of the rows that the next command is for; if there are none, it is for the selected one."""

    def new_list(self) -> ConversationList:
        return ConversationList()

    only = Only.ALL
    """Which conversations are listed."""

    def title_text(self) -> str:
        return self.TITLE_TEXT if self.only is Only.ALL else f"{self.TITLE_TEXT}: {self.only.value}"

    @property
    def empty(self) -> Empty:
        if self.only is Only.ALL:
            return self.EMPTY
        return Empty(
            self.EMPTY.heading,
            f"Shown are only: {self.only.value}.",
            (("conversations.show", "shows others"),),
        )

    def action_show_only(self) -> None:
        """Chooses which conversations are listed."""
        choices = [Choice(one, one.value.capitalize(), "current" if one is self.only else "") for one in Only]

        def chosen(only: Only | None) -> None:
            if only is not None:
                self.only = only
                self.refresh_rows()

        self.app.push_screen(Picker("Show only", choices), chosen)

    def open(self, item: Conversation | None) -> None:
        if item is None:
            return
        narrow = Narrow.from_destination(item.where)
        self.dismiss(narrow if item.account is None else ChoiceTarget(narrow, account=item.account))

    def on_mount(self) -> None:
        self.refresh_rows()
        first = next((row.key for row in self.list.items if not row.heading), None)
        if self._first_row is None and first is not None:
            self.list.select_key(first)
            # Without a size, the list shows nothing above what is selected.
            self.call_after_refresh(self.list.scroll_to_share, 0)
        self._stand_beside_channels()

    def about(self) -> str:
        return self.hints(("dialog.close", "closes"))

    def on_descendant_focus(self) -> None:
        """Updates the keys that the status line shows: others work in the filter."""
        if (workspace := workspace_of(self)) is not None:
            workspace.show_status()

    def on_click(self, event: events.Click) -> None:
        """A click on what stays visible of the main screen closes this view and acts there. A key on the status line is
        run as it is pressed here: the line shows others when this view is closed.
        """
        main = app_of(self).accounts.screen
        if main is None or self.frame.region.contains_point(event.screen_offset):
            return
        event.stop()
        command = by_id().get(command_of(main.get_style_at(*event.screen_offset)))
        if command is not None and str(command.run).startswith("app."):
            self.post_message(CommandPressed(command.id))
            return
        self.dismiss(None if command is None else ChoiceTarget(command=command.id))
        if command is None:
            for kind in (events.MouseDown, events.MouseUp):
                self.app.post_message(kind.from_event(main, event))

    def fit(self) -> None:
        self.call_after_refresh(self._stand_beside_channels)

    def leave_rows(self) -> None:
        """Leaves rows to notices above the keys, at the end of the list."""
        notices_above(self, [self.key_line.region])
        super().leave_rows()

    def _stand_beside_channels(self) -> None:
        """Leaves the channels visible at the left, where there is room for them, and the status line below; if it is to
        be compact, only the part of it that is below the channels.
        """
        workspace = workspace_of(self)
        beside = workspace is not None and workspace.plan.shows_navigation and not workspace.plan.is_narrow
        left = workspace.plan.navigation_columns if workspace is not None and beside else 0
        below = 1 if self.has_air or not left else 0
        self.frame.styles.margin = (0, 0, below, left)
        self.list.styles.margin = (0, 0, self.notice_rows, 0)

    @property
    def has_air(self) -> bool:
        """Whether there is to be space between the rows."""
        return app_of(self).config.appearance.has_air(self.app.size.height)

    def config_changed(self) -> None:
        """Applies another density."""
        self._stand_beside_channels()
        self.call_after_refresh(self.refresh_rows)

    def shown(self) -> Sequence[Conversation]:
        """The conversations, from top to bottom."""
        raise NotImplementedError

    async def load(self) -> None:
        """Fetches the last messages of the first conversations that are not in the state."""
        with suppress(NarrowcastError):  # the list shows what is in the state
            await self.session.loader.messages(
                one.newest for one in self.shown()[:MAX_FETCHED] if one.last is None
            )

    def session_of(self, one: Conversation) -> Session:
        """The session of the conversation's account; if that account is closed, the one on screen."""
        others = app_of(self).accounts.others() if one.account is not None else ()
        return next(
            (other.session for other in others if other.file == one.account and other.session), self.session
        )

    def row(self, one: Conversation, *, name: str) -> ConversationRow:
        """The row of a conversation."""
        now, state = time.time(), self.session_of(one).state
        long = has_long_clock(state)
        mark = (
            ""
            if isinstance(one.where, ChannelDestination)
            else conversation_sign(state, one.where.user_ids, now)
        )
        when = ""
        if one.last is not None:
            when = day_or_time(one.last.timestamp, now, long=long)
        sender = one.last.sender_id if one.last is not None else 0
        is_named = one.last is not None and one.where != DirectDestination(frozenset({sender}))
        return ConversationRow(
            (one.account, one.where.key),
            one,
            name + (" (muted)" if one.muted else "") + (" · alert word" if one.has_alert_word else ""),
            mark=mark,
            also=" ".join(state.users.name(user_id) for user_id in one.people),
            dim=one.muted or not one.unread,
            sender_id=sender,
            sender=state.users.name(sender) if is_named else "",
            excerpt=excerpt(one.last.content, now, long=long) if one.last is not None else "",
            when=when,
            unread=one.unread,
            mentions=one.mentions,
            is_chosen=(one.account, one.where.key) in self._chosen,
            colors=app_of(self).config.appearance.sender_colors,
        )

    def action_switch(self, which: str) -> None:
        """Switches to the inbox or to recent conversations; if that is the current view, closes it."""
        kind = InboxScreen if which == "inbox" else RecentScreen
        self.dismiss(None if isinstance(self, kind) else kind(self.session))

    def action_close_and_run(self, command: str) -> None:
        """Closes this view and runs a command of the main screen."""
        self.dismiss(ChoiceTarget(command=command))

    def action_choose(self) -> None:
        """Selects the conversation besides others, or no longer, and goes to the next row."""
        row = self.list.selected_item
        if row is None or row.value is None:
            self.say("Select conversations, not groups.", bad=True)
            return
        self._chosen ^= {row.key}
        self.refresh_rows()
        self.list.action_cursor_down()
        self.say(f"{counted(len(self._chosen), 'conversation')} selected.")

    def group(self, key: Hashable) -> Sequence[Conversation]:
        """The conversations of the group with this heading."""
        return ()

    def _acted_on(self) -> Sequence[Conversation]:
        """The conversations that a command is for: several that were selected, those of a group, or one."""
        chosen = [row.value for row in self.list.items if row.key in self._chosen and row.value is not None]
        row = self.list.selected_item
        if chosen or row is None:
            return chosen
        return self.group(row.key) if row.value is None else [row.value]

    def _done(self, items: Sequence[Conversation], what: str) -> str:
        """What to say after a command, which no longer is for several conversations."""
        self._chosen.clear()
        name = names.destination(self.session_of(items[0]).state, items[0].where)
        which = name if len(items) == 1 else counted(len(items), "conversation")
        return f"{what}: {which}. {self.hints(('conversations.undo', 'takes it back'))}"

    def action_mark_read(self) -> None:
        if items := self._acted_on():
            places = [(self.session_of(one), one.where) for one in items]
            unread = [(session, unread_ids(session, where)) for session, where in places]
            self.work(mark_read(places), done=self._done(items, "Marked as read"))
            self.undo = lambda: self.work(mark_unread(unread), done="Marked as unread again.")

    def action_mute(self) -> None:
        """Mutes topics, or unmutes them if all are muted."""
        row = self.list.selected_item
        if row is not None and row.value is None and not self._chosen:
            self.say("Select topics to mute them.", bad=True)
            return
        items = self._acted_on()
        topics = [one for one in items if isinstance(one.where, ChannelDestination)]
        if items and not topics:
            self.say("Direct message conversations cannot be muted; users can.", bad=True)
        elif topics:
            muted = all(one.muted for one in topics)
            changed = [one for one in topics if one.muted is muted]
            places = [
                (self.session_of(one), where)
                for one in changed
                if isinstance(where := one.where, ChannelDestination)
            ]
            before = [(session, where, policy_of(session, where)) for session, where in places]
            what = "Topic unmuted" if muted else "Topic muted"
            self.work(toggle_mute(places), done=self._done(changed, what))
            again = "Topic muted again." if muted else "Topic unmuted again."
            self.undo = lambda: self.work(set_policies(before), done=again)


class RecentScreen(ConversationsScreen):
    """All conversations, newest first."""

    TITLE_TEXT = "Recent conversations"
    VIEW = "go.recent"
    EMPTY = Empty(
        "No conversations yet",
        "Each topic and each direct message conversation is a line here.",
        (("write.channel", "writes to a channel"), ("write.direct", "writes to a person")),
    )

    def shown(self) -> Sequence[Conversation]:
        return [one for one in recent(self.state) if fits(self.state, one, self.only)]

    def rows(self) -> Sequence[ListRow[Conversation | None]]:
        return [
            self.row(one, name=names.destination(self.state, one.where).removeprefix("#"))
            for one in self.shown()
        ]


class InboxScreen(ConversationsScreen):
    """Conversations with unread messages, by channel; Enter on a heading folds its group."""

    TITLE_TEXT = "Inbox"
    VIEW = "go.inbox"
    EMPTY = Empty(
        "No unread messages",
        "You have read everything.",
        (("conversations.recent", "recent conversations"), ("go.switcher", "goes anywhere")),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._folded: set[Hashable] = set()

    def followed(self) -> Sequence[Session]:
        return [other.session for other in app_of(self).accounts.others() if other.session is not None]

    def shown(self) -> Sequence[Conversation]:
        return [one for _, conversations in unread(self.state) for one in conversations]

    def rows(self) -> Sequence[ListRow[Conversation | None]]:
        rows: list[ListRow[Conversation | None]] = list(self._groups(self.state))
        for other in app_of(self).accounts.others():
            if other.session is not None and (below := list(self._groups(other.session.state, other))):
                unreads = other.session.state.unreads
                count = at_least(unreads.count_all(), more=unreads.old_missing)
                about = f"{other.session.account.email} · {other.session.account.site}"
                key = ("account", other.file)
                rows.append(ListRow(key, None, other.name, f"{count} unread", about, "●", heading=True))
                rows += below
        return self._aired(rows)

    def _aired(self, rows: list[ListRow[Conversation | None]]) -> list[ListRow[Conversation | None]]:
        """The rows with a blank row above each group but the first, while all of them fit on the screen, unless it
        is to be compact.
        """
        groups = sum(isinstance(row, ConversationRow) and row.heading for row in rows)
        if not self.has_air or len(rows) + groups - 1 > self.list.room.height:
            return rows
        return [
            replace(row, has_air=True) if number and isinstance(row, ConversationRow) and row.heading else row
            for number, row in enumerate(rows)
        ]

    def on_resize(self) -> None:
        self.call_after_refresh(self.refresh_rows)

    def open(self, item: Conversation | None) -> None:
        if item is not None:
            super().open(item)
            return
        if (row := self.list.selected_item) is not None:
            self._folded ^= {row.key}
            self.refresh_rows()

    def group(self, key: Hashable) -> Sequence[Conversation]:
        account, channel_id = key[1:] if isinstance(key, tuple) and key[0] == "heading" else (None, 0)
        sessions = {other.file: other.session for other in app_of(self).accounts.others()}
        session = self.session if account is None else sessions.get(account)
        found = dict(unread(session.state)).get(channel_id, ()) if session is not None else ()
        return [
            replace(one, account=account)
            for one in found
            if session is not None and fits(session.state, one, self.only)
        ]

    def _groups(
        self, state: State, other: ListedAccount | None = None
    ) -> Iterator[ListRow[Conversation | None]]:
        """The rows of one account, headings included: the account on screen, or another one."""
        account = other.file if other is not None else None
        for channel_id, found in unread(state):
            conversations = [one for one in found if fits(state, one, self.only)]
            if not conversations:
                continue
            heading = self._heading(state, (account, channel_id), conversations)
            yield heading
            for one in () if heading.is_folded else conversations:
                where = one.where
                name = names.destination(state, where)
                if isinstance(where, ChannelDestination):
                    name = names.topic(state, where.topic)
                yield self.row(replace(one, account=account), name=name)

    def _heading(
        self, state: State, place: tuple[Path | None, int | None], conversations: list[Conversation]
    ) -> ConversationRow:
        key, channel_id = ("heading", *place), place[1]
        count = sum(one.unread for one in conversations)
        folded = key in self._folded
        if channel_id is None:
            return ConversationRow(key, None, "Direct messages", heading=True, unread=count, is_folded=folded)
        channel = state.channels.get(channel_id)
        sign = names.channel_sign(channel) if channel is not None else "#"
        own = channel.subscription if channel is not None else None
        tint = channel_tint(ground_of(self), own.color) if own is not None else Style.null()
        return ConversationRow(
            key,
            None,
            names.channel(state, channel_id),
            mark=sign,
            also=names.about(channel) if channel is not None else "",
            heading=True,
            unread=count,
            tint=tint,
            is_folded=folded,
        )
