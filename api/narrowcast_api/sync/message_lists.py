"""The views of a session, and which of them an event affects."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.message_view import Host, MessageView

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

MAX_VIEWS = 50
"""Views whose messages stay in memory; the least recently used ones are dropped."""


class Views:
    """All views, at most one for each narrow."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._by_narrow: OrderedDict[Narrow, MessageView] = OrderedDict()
        self._conversations: dict[tuple[object, ...], MessageView] = {}
        self._others: list[MessageView] = []
        self.beside: Narrow | None = None
        """The narrow of a second view that is also on screen."""

    def get(self, narrow: Narrow) -> MessageView:
        """Returns the view of a narrow and makes it the one on screen; a new view starts with cached messages."""
        view = self._by_narrow.get(narrow)
        if view is None:
            view = self._by_narrow[narrow] = MessageView(narrow, self._host)
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

    def ids(self) -> set[int]:
        """The messages of all views."""
        return {message_id for view in self._by_narrow.values() for message_id in view.ids}

    def mark_stale(self) -> None:
        """Marks all views as stale, because events were missed."""
        for view in self._by_narrow.values():
            view.mark_stale()

    def mark_channels_stale(self, channel_ids: Collection[int]) -> None:
        """Marks the views of these channels as stale: more of their history has become readable, without
        events about it.
        """
        for view in self._by_narrow.values():
            if view.narrow.channel_id in channel_ids:
                view.mark_stale()

    def add(self, message: Message) -> None:
        """Adds a message that was just sent to the views that contain it."""
        conversation = self._conversations.get(message.destination(self._host.state.me).key)
        if conversation is not None:
            conversation.add(message)
        for view in self._others:
            view.add(message)

    def recheck_flags(self, message_ids: Sequence[int]) -> None:
        """Updates the views that depend on flags or reactions after those of the messages have changed."""
        for view in self._by_narrow.values():
            if view.narrow.is_filtered:
                view.recheck(message_ids)

    def recheck_places(self, message_ids: Sequence[int]) -> None:
        """Updates the views after messages have moved to another topic or channel."""
        for view in self._by_narrow.values():
            if view.narrow.terms:
                view.recheck(message_ids)

    def remove(self, message_ids: Sequence[int]) -> None:
        for view in self._by_narrow.values():
            view.remove(message_ids)

    def match_on_server(self) -> None:
        """Lets each view ask the server about messages that cannot be matched locally."""
        for view in self._by_narrow.values():
            view.match_on_server()
