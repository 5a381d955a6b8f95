"""The views of a session, and which of them an event affects."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.joining import joins_by_edit, joins_by_flag
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import Change, MessagesChanged, MessagesRemoved
from narrowcast_api.state.state import State
from narrowcast_api.sync import feeds
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.wire.events import (
    Event,
    MessageEvent,
    MutedTopicsEvent,
    ReactionEvent,
    StreamUpdateEvent,
    SubscriptionAddEvent,
    SubscriptionUpdateEvent,
    UpdateMessageEvent,
    UpdateMessageFlagsEvent,
    UserTopicEvent,
)

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.protocols.context import SessionContext
    from narrowcast_api.sync.pages import Pages

MAX_VIEWS = 50
"""Views whose messages stay in memory; the least recently used ones are dropped."""


class Views:
    """All views, at most one for each narrow."""

    def __init__(self, context: SessionContext, pages: Pages) -> None:
        self._context = context
        self._pages = pages
        pages.on_forgotten = self.remove
        self._by_narrow: OrderedDict[Narrow, MessageView] = OrderedDict()
        self._conversations: dict[tuple[object, ...], MessageView] = {}
        self._others: list[MessageView] = []
        self.beside: Narrow | None = None
        """The narrow of a second view that is also on screen."""

    def get(self, narrow: Narrow) -> MessageView:
        """Returns the view of a narrow and makes it the one on screen; a new view starts with cached messages."""
        view = self._by_narrow.get(narrow)
        if view is None:
            view = self._by_narrow[narrow] = MessageView(narrow, self._context, self._pages)
            view.show_cached()
            while len(self._by_narrow) > MAX_VIEWS:
                del self._by_narrow[next(narrow for narrow in self._by_narrow if narrow != self.beside)]
            self._sort()
        self._by_narrow.move_to_end(narrow)
        return view

    def peek(self, narrow: Narrow) -> MessageView | None:
        """Returns the view of a narrow if it exists, without making it the one on screen."""
        return self._by_narrow.get(narrow)

    def _sort(self) -> None:
        """Indexes views of one conversation by destination, so that a burst of messages is not tested against
        every view.
        """
        self._conversations.clear()
        self._others.clear()
        for view in self._by_narrow.values():
            destination = view.narrow.destination
            if destination is not None:
                self._conversations[destination.key] = view
            else:
                self._others.append(view)

    @property
    def latest(self) -> MessageView | None:
        """The view that was requested last: the one on screen."""
        return next(reversed(self._by_narrow.values()), None)

    @property
    def on_screen(self) -> list[MessageView]:
        """The view that was requested last, and the one beside it."""
        beside = self._by_narrow.get(self.beside) if self.beside is not None else None
        views = (self.latest, beside)
        return [view for view in dict.fromkeys(views) if view is not None]

    def refresh_on_screen(self, *, only_without_events: bool = False) -> None:
        """Fetches the views on screen again, in the background.

        This includes views that are being fetched: a page requested before there was a snapshot misses what
        happened since.
        """
        for view in self.on_screen:
            if not (only_without_events and (view.has_events or view.loading)):
                self._context.tasks.start(view.refresh(), "refresh a view")

    def ids(self) -> set[int]:
        """The messages of all views."""
        return {message_id for view in self._by_narrow.values() for message_id in view.ids}

    def mark_stale(self) -> None:
        """Marks all views as stale, because events were missed."""
        for view in self._by_narrow.values():
            view.mark_stale()

    def mark_channels_stale(self, channel_ids: Collection[int]) -> None:
        """Marks the views of these channels as stale: messages from before the user was subscribed, or from
        while the history was protected, have become readable without events about them.
        """
        for view in self._by_narrow.values():
            if view.narrow.channel_id in channel_ids:
                view.mark_outdated()

    def mark_policies_stale(self) -> None:
        """Marks the views as stale that depend on which topics and channels the user follows or has muted."""
        for view in self._by_narrow.values():
            if view.narrow.depends_on_policies or feeds.is_feed(view.narrow):
                view.mark_outdated()

    def add(self, message: Message) -> None:
        """Adds a message that was just sent to the views that contain it."""
        key = message.destination(self._context.state.me).key
        conversation = self._conversations.get(key)
        if conversation is not None:
            conversation.add(message)
        for view in self._others:
            view.add(message)

    def recheck_flags(self, message_ids: Sequence[int], flag: str, *, is_set: bool) -> None:
        """Updates the views after a flag of the messages was set or cleared."""
        self._recheck_filtered(message_ids, partial(joins_by_flag, flag=flag, is_set=is_set))

    def recheck_contents(self, message_ids: Sequence[int]) -> None:
        """Updates the views after the contents of the messages have changed."""
        self._recheck_filtered(message_ids, joins_by_edit)

    def recheck_reactions(self, message_ids: Sequence[int]) -> None:
        """Updates the views after the reactions of the messages, which are in memory, have changed."""
        self._recheck_filtered(message_ids, lambda narrow: False)

    def _recheck_filtered(
        self, message_ids: Sequence[int], unknown_join: Callable[[Narrow], bool | None]
    ) -> None:
        for view in self._by_narrow.values():
            if view.narrow.is_filtered:
                view.recheck(message_ids, unknown_join=unknown_join(view.narrow))

    def recheck_places(self, message_ids: Sequence[int], place: ChannelDestination) -> None:
        """Updates the views after messages have moved to another topic or channel."""
        for view in self._by_narrow.values():
            if view.narrow.terms or feeds.is_feed(view.narrow):
                joins = feeds.joins_by_move(view.narrow, place, self._context.state)
                view.recheck(message_ids, unknown_join=joins)

    def remove(self, message_ids: Sequence[int]) -> None:
        for view in self._by_narrow.values():
            view.remove(message_ids)

    def match_on_server(self) -> None:
        """Lets the views on screen ask the server about messages that cannot be matched locally; others that
        have received such messages become stale.
        """
        on_screen = self.on_screen
        for view in self._by_narrow.values():
            view.match_on_server(on_screen=view in on_screen)


def update_views(views: Views, state: State, event: Event, changes: Sequence[Change]) -> None:
    """Updates the views after `state` has applied an event and returned `changes`."""
    for change in changes:
        if isinstance(change, MessagesRemoved):
            views.remove(change.ids)
    changed = [i for change in changes if isinstance(change, MessagesChanged) for i in change.ids]
    if isinstance(event, MessageEvent):
        for message in state.messages.known([event.message.id]):
            views.add(message)
    elif isinstance(event, UpdateMessageEvent):
        if event.moved_to is not None:
            views.recheck_places(event.message_ids, ChannelDestination(*event.moved_to))
        if event.rendered_content is not None:
            views.recheck_contents([event.message_id])
    elif isinstance(event, UpdateMessageFlagsEvent):
        views.recheck_flags(changed, event.flag, is_set=event.op == "add")
    elif isinstance(event, ReactionEvent):
        views.recheck_reactions(changed)
    else:
        _mark_stale(views, event, changes)


def _mark_stale(views: Views, event: Event, changes: Sequence[Change]) -> None:
    """Marks the views as stale whose messages an event changes without naming them."""
    if isinstance(event, SubscriptionAddEvent):
        views.mark_channels_stale({channel.channel_id for channel in event.subscriptions})
    elif isinstance(event, StreamUpdateEvent) and event.history_public_to_subscribers:
        views.mark_channels_stale({event.stream_id})
    elif isinstance(event, SubscriptionUpdateEvent):
        if event.property in {"is_muted", "in_home_view"}:
            views.mark_policies_stale()
    elif isinstance(event, UserTopicEvent | MutedTopicsEvent) and changes:
        views.mark_policies_stale()
