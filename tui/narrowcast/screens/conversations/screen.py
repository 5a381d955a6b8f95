"""Recent conversations and the inbox: name, last message and participants; open, mark as read, mute."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.binding import BindingType

from narrowcast.app.context import app_of
from narrowcast.commands.registry import Context, bindings_for, bindings_to
from narrowcast.screens.conversations.listing import Conversation, recent, unread
from narrowcast.screens.dialogs.manage import ListRow, ManageScreen
from narrowcast.screens.main.choices import Target
from narrowcast.text import names
from narrowcast.text.excerpt import excerpt
from narrowcast.text.formats import at_least, has_long_clock, moment
from narrowcast.text.presence import of_conversation
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state import changes as change
from narrowcast_api.wire.vocabulary import VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast.app.context import ListedAccount
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

MAX_FETCHED = 30
"""Maximum number of conversations whose last message is fetched if it is not in the state."""
MAX_PEOPLE = 6
"""Maximum number of people named; the others are only counted."""
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
    "go.next-unread-topic",
    "go.next-unread-direct",
    "write.channel",
    "write.direct",
)
"""Commands of the main screen whose keys also work here: they close this view and then run. The view's own keys
take precedence."""


class ConversationsScreen(ManageScreen[Conversation | None]):
    """Three lines per conversation, one per heading, whose value is None. Dismissed with the view to go to."""

    KEYS = (
        ("list.select", "opens"),
        ("conversations.mark-read", "marks as read"),
        ("conversations.mute", "mutes"),
    )
    LINES = 3
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
    TOPIC_MARK: ClassVar[str] = "#"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.DIALOG, Context.CONVERSATIONS),
        *bindings_to("close_and_run", *CLOSING),
    ]
    DEFAULT_CSS = """
    ConversationsScreen > Vertical { width: 100%; max-width: 100%; height: 100%; border: none; }
    """

    def open(self, item: Conversation | None) -> None:
        if item is None:
            return
        narrow = Narrow.from_destination(item.where)
        self.dismiss(narrow if item.account is None else Target(narrow, account=item.account))

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

    def row(self, one: Conversation, *, name: str) -> ListRow[Conversation | None]:
        """The row of a conversation."""
        now, state = time.time(), self.session_of(one).state
        mark = self.TOPIC_MARK
        if not isinstance(one.where, ChannelDestination):
            mark = of_conversation(state, one.where.user_ids, now).mark
        when = moment(one.last.timestamp, now, long=has_long_clock(state)) if one.last is not None else ""
        detail = " · ".join(filter(None, [f"{one.unread} unread" if one.unread else "", when]))
        line = ""
        if one.last is not None:
            line = f"{state.users.name(one.last.sender_id)}: {excerpt(one.last.content)}"
        people = [state.users.name(user_id) for user_id in one.people]
        more = f" and {len(people) - MAX_PEOPLE} more" if len(people) > MAX_PEOPLE else ""
        last = ", ".join(people[:MAX_PEOPLE]) + more
        muted = " (muted)" if one.muted else ""
        dim = one.muted or not one.unread
        return ListRow(
            (one.account, one.where.key), one, name + muted, detail, line, mark, last=last, dim=dim
        )

    def action_switch(self, which: str) -> None:
        """Switches to the inbox or to recent conversations; if that is the current view, closes it."""
        kind = InboxScreen if which == "inbox" else RecentScreen
        self.dismiss(None if isinstance(self, kind) else kind(self.session))

    def action_close_and_run(self, command: str) -> None:
        """Closes this view and runs a command of the main screen."""
        self.dismiss(Target(command=command))

    def action_mark_read(self) -> None:
        if (item := self.selected) is not None:
            self.work(self._mark_read(item), done="Marked as read.")

    async def _mark_read(self, item: Conversation) -> None:
        session, where = self.session_of(item), item.where
        flags = session.client.flags
        if isinstance(where, ChannelDestination):
            await flags.mark_topic_as_read(channel_id=where.channel_id, topic=where.topic)
        elif ids := session.state.unreads.direct_ids(where.user_ids):
            await flags.change(message_ids=ids, op="add", flag="read")

    def action_mute(self) -> None:
        item = self.selected
        if item is None:
            return
        if not isinstance(item.where, ChannelDestination):
            self.say("Direct message conversations cannot be muted; users can.", bad=True)
            return
        where = item.where
        session = self.session_of(item)
        policy = VisibilityPolicy(session.state.policy_to_toggle_mute(where.channel_id, where.topic))
        request = session.client.topics.set_visibility(
            channel_id=where.channel_id, topic=where.topic, policy=policy
        )
        self.work(request, done="Topic unmuted." if item.muted else "Topic muted.")


class RecentScreen(ConversationsScreen):
    """All conversations, newest first."""

    TITLE_TEXT = "Recent conversations"
    EMPTY = "No conversations yet."

    def shown(self) -> Sequence[Conversation]:
        return recent(self.state)

    def rows(self) -> Sequence[ListRow[Conversation | None]]:
        return [
            self.row(one, name=names.destination(self.state, one.where).removeprefix("#"))
            for one in self.shown()
        ]


class InboxScreen(ConversationsScreen):
    """Conversations with unread messages, by channel."""

    TITLE_TEXT = "Inbox"
    EMPTY = "No unread messages."
    TOPIC_MARK = "›"

    def followed(self) -> Sequence[Session]:
        return [other.session for other in app_of(self).accounts.others() if other.session is not None]

    def shown(self) -> Sequence[Conversation]:
        return [one for _, conversations in unread(self.state) for one in conversations]

    def rows(self) -> Sequence[ListRow[Conversation | None]]:
        rows = list(self._groups(self.state))
        for other in app_of(self).accounts.others():
            if other.session is not None and (below := list(self._groups(other.session.state, other))):
                unreads = other.session.state.unreads
                count = at_least(unreads.count_all(), more=unreads.old_missing)
                about = f"{other.session.account.email} · {other.session.account.site}"
                key = ("account", other.file)
                rows.append(ListRow(key, None, other.name, f"{count} unread", about, "●", heading=True))
                rows += below
        return rows

    def _groups(
        self, state: State, other: ListedAccount | None = None
    ) -> Iterator[ListRow[Conversation | None]]:
        """The rows of one account, headings included: the account on screen, or another one."""
        account = other.file if other is not None else None
        for channel_id, conversations in unread(state):
            yield self._heading(state, (account, channel_id), conversations)
            for one in conversations:
                where = one.where
                name = names.destination(state, where)
                if isinstance(where, ChannelDestination):
                    name = names.topic(state, where.topic)
                yield self.row(replace(one, account=account), name=name)

    def _heading(
        self, state: State, place: tuple[Path | None, int | None], conversations: list[Conversation]
    ) -> ListRow[Conversation | None]:
        key, channel_id = ("heading", *place), place[1]
        count = f"{sum(one.unread for one in conversations)} unread"
        if channel_id is None:
            return ListRow(key, None, "Direct messages", count, mark="⁂", heading=True)
        channel = state.channels.get(channel_id)
        sign = names.channel_sign(channel) if channel is not None else "#"
        about = names.about(channel) if channel is not None else ""
        return ListRow(key, None, names.channel(state, channel_id), count, about, sign, heading=True)
