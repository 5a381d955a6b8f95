"""Recent conversations and the inbox: where to, the last line, who takes part; mark read, mute, open."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.commands.registry import Context, bindings_for
from narrowcast.screens.conversations.listing import Conversation, recent, unread
from narrowcast.screens.dialogs.manage import ManageScreen, Row
from narrowcast.text import names
from narrowcast.text.excerpt import excerpt
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.text.presence import of_conversation
from narrowcast_api.errors import ApiError, NarrowcastError
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state import changes as change
from narrowcast_api.wire.vocabulary import VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel

MOST_FETCHED = 30
"""Conversations whose last message is fetched when it is not here."""
MOST_PEOPLE = 6
"""People who are named before the rest is counted."""


class ConversationsScreen(ManageScreen[Conversation | None]):
    """Three lines a conversation; a heading has no conversation. Gives back the view to go to."""

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
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.CONVERSATIONS)]
    DEFAULT_CSS = """
    ConversationsScreen > Vertical { width: 100%; max-width: 100%; height: 100%; border: none; }
    """

    def open(self, item: Conversation | None) -> None:
        if item is not None:
            self.dismiss(Narrow.from_destination(item.where))

    def shown(self) -> Sequence[Conversation]:
        """The conversations, from top to bottom."""
        raise NotImplementedError

    async def load(self) -> None:
        """The last messages of the first conversations, as far as they are not here."""
        missing = [one for one in self.shown()[:MOST_FETCHED] if one.last is None]
        for one in missing:
            try:
                await self.session.load_message(one.newest)
            except ApiError:
                continue  # it is gone meanwhile
            except NarrowcastError:
                return  # the list shows what is here

    def row(self, one: Conversation, *, name: str) -> Row[Conversation | None]:
        """The row of a conversation."""
        now = time.time()
        mark = self.TOPIC_MARK
        if not isinstance(one.where, ChannelDestination):
            mark = of_conversation(self.state, one.where.user_ids, now).mark
        when = (
            moment(one.last.timestamp, now, long=has_long_clock(self.state)) if one.last is not None else ""
        )
        detail = " · ".join(filter(None, [f"{one.unread} unread" if one.unread else "", when]))
        line = ""
        if one.last is not None:
            line = f"{self.state.users.name(one.last.sender_id)}: {excerpt(one.last.content)}"
        people = [self.state.users.name(user_id) for user_id in one.people]
        more = f" and {len(people) - MOST_PEOPLE} more" if len(people) > MOST_PEOPLE else ""
        last = ", ".join(people[:MOST_PEOPLE]) + more
        muted = " (muted)" if one.muted else ""
        dim = one.muted or not one.unread
        return Row(one.where.key, one, name + muted, detail, line, mark, last=last, dim=dim)

    def action_switch(self, which: str) -> None:
        """To the inbox, or to the recent conversations; from the same one, back to where one was."""
        wanted = InboxScreen if which == "inbox" else RecentScreen
        self.dismiss(None if isinstance(self, wanted) else wanted(self.session))

    def action_mark_read(self) -> None:
        if (item := self.selected) is not None:
            self.work(self._mark_read(item), done="Marked as read.")

    async def _mark_read(self, item: Conversation) -> None:
        flags, where = self.session.client.flags, item.where
        if isinstance(where, ChannelDestination):
            await flags.mark_topic_as_read(channel_id=where.channel_id, topic=where.topic)
        elif ids := self.state.unreads.direct_ids(where.user_ids):
            await flags.change(message_ids=ids, op="add", flag="read")

    def action_mute(self) -> None:
        item = self.selected
        if item is None:
            return
        if not isinstance(item.where, ChannelDestination):
            self.say("Direct message conversations cannot be muted; users can.", bad=True)
            return
        where = item.where
        policy = VisibilityPolicy.NONE if item.muted else VisibilityPolicy.MUTED
        channel = self.state.channels.get(where.channel_id)
        if item.muted and channel is not None and channel.is_muted:
            policy = VisibilityPolicy.UNMUTED
        request = self.session.client.topics.set_visibility(
            channel_id=where.channel_id, topic=where.topic, policy=policy
        )
        self.work(request, done="Topic unmuted." if item.muted else "Topic muted.")


class RecentScreen(ConversationsScreen):
    """All conversations, the newest first."""

    TITLE_TEXT = "Recent conversations"
    EMPTY = "No conversations yet."

    def shown(self) -> Sequence[Conversation]:
        return recent(self.state)

    def rows(self) -> Sequence[Row[Conversation | None]]:
        return [
            self.row(one, name=names.destination(self.state, one.where).removeprefix("#"))
            for one in self.shown()
        ]


class InboxScreen(ConversationsScreen):
    """Conversations with unread messages, by channel."""

    TITLE_TEXT = "Inbox"
    EMPTY = "No unread messages."
    TOPIC_MARK = "›"

    def shown(self) -> Sequence[Conversation]:
        return [one for _, conversations in unread(self.state) for one in conversations]

    def rows(self) -> Sequence[Row[Conversation | None]]:
        rows: list[Row[Conversation | None]] = []
        for channel_id, conversations in unread(self.state):
            channel = self.state.channels.get(channel_id) if channel_id is not None else None
            rows.append(self._heading(channel_id, channel, conversations))
            for one in conversations:
                where = one.where
                name = names.destination(self.state, where)
                if isinstance(where, ChannelDestination):
                    name = names.topic(self.state, where.topic)
                rows.append(self.row(one, name=name))
        return rows

    def _heading(
        self, channel_id: int | None, channel: Channel | None, conversations: list[Conversation]
    ) -> Row[Conversation | None]:
        key: Hashable = ("heading", channel_id)
        count = f"{sum(one.unread for one in conversations)} unread"
        if channel_id is None:
            return Row(key, None, "Direct messages", count, mark="⁂")
        sign = names.channel_sign(channel) if channel is not None else "#"
        about = channel.description if channel is not None else ""
        return Row(key, None, names.channel(self.state, channel_id), count, about, sign)
