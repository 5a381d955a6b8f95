"""Going from message to message: within the view, to dates, to conversations and to where links lead."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from narrowcast.content.addresses import InApp, resolve
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.requests import NarrowRequested, PersonRequested
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.text.natural_time import day_of
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.dates import first_since
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast.screens.dialogs.late import RequestOrigin
    from narrowcast_api.model.messages import Message
    from narrowcast_api.narrow.page import Page
    from narrowcast_api.sync.message_view import MessageView


__all__ = ["Navigation", "place_of"]


class Navigation:
    """Goes to other messages of the view, for which it may have to be reopened, and asks the screen for other views."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def oldest(self) -> None:
        """Goes to the oldest message of the view; without a connection, to the oldest one that is loaded."""
        view = self._pane.view
        if view is not None and not view.found_oldest and self._pane.session.is_live:
            self._pane.reopen("oldest")
        else:
            self._pane.list.position.to_oldest()

    def newest(self) -> None:
        """Goes to the newest message of the view."""
        if self._pane.view is not None and not self._pane.view.found_newest:
            self._pane.reopen("newest")
            return
        self._pane.list.position.to_newest()

    def first_unread(self) -> None:
        """Goes to the first unread message."""
        view = self._pane.view
        if view is None:
            return
        get = self._pane.session.state.messages.get
        unread = (one for one in view.ids if (message := get(one)) is not None and not message.is_read)
        first = next(unread, None)
        if first is not None:
            self._pane.list.position.jump(first)
        elif view.first_unread is not None and view.first_unread in view.ids:
            self._pane.list.position.jump(view.first_unread)
        else:
            self._pane.reopen("first_unread")

    def reload(self) -> None:
        """Fetches the view again; without a connection, tries to reconnect now."""
        if not self._pane.session.is_live:
            self._pane.session.reconnect()
        if self._pane.view is not None:
            self._pane.view.mark_stale()
            self._pane.reopen(
                self._pane.list.selected if isinstance(self._pane.list.selected, int) else "newest"
            )

    def show_sent(self) -> bool:
        """Scrolls to a message just sent; False if that would skip unread messages, so that nothing moves."""
        if self._pane.list.position.following:
            return True
        if (
            self._pane.view is None
            or not self._pane.view.found_newest
            or self._pane.list.position.has_unread_below()
        ):
            return False
        self._pane.list.position.to_newest()
        return True

    def channel(self) -> None:
        """Goes to the whole channel of the message, or all direct messages."""
        if (message := self._pane.message_or_notify()) is not None:
            is_direct = message.channel_id is None
            narrow = Narrow.directs() if is_direct else Narrow.channel(message.channel_id or 0)
            self._pane.post(NarrowRequested(narrow, message.id))

    def topic(self) -> None:
        """Goes to the conversation of the message."""
        if (message := self._pane.message_or_notify()) is not None:
            self._pane.post(NarrowRequested(place_of(message, self._pane.session.state.me), message.id))

    def sender(self) -> None:
        """Shows the card of the message's sender."""
        if (message := self._pane.message_or_notify()) is not None:
            self._pane.post(PersonRequested(message.sender_id))

    def go_to(self, target: InApp) -> None:
        """Goes to a view; if it is that of a message, to where the message is now, as it may have been moved since."""
        message_id = target.message_id
        if message_id is None or not target.follows_message:
            self._pane.post(NarrowRequested(target.narrow, message_id))
        else:
            me = self._pane.session.state.me
            self.find(message_id, lambda message: target.narrow if message is None else place_of(message, me))

    def find(self, message_id: int, narrow_for: Callable[[Message | None], Narrow | None]) -> None:
        """Goes to a message, which is fetched if necessary, unless the user does something else when it arrives.
        ``narrow_for`` returns the view for the message, or for None, if it does not exist or cannot be fetched.
        """
        work = self._find(message_id, narrow_for, self._pane.attention, self._pane.view)
        self._pane.work(work, "find the message")

    async def _find(
        self,
        message_id: int,
        narrow_for: Callable[[Message | None], Narrow | None],
        attention: RequestOrigin,
        view: MessageView | None,
    ) -> None:
        message = await self._fetched(message_id)
        narrow = narrow_for(message)
        if narrow is None:
            return
        if attention.is_here and self._pane.view is view:
            self._pane.post(NarrowRequested(narrow, message_id if message is not None else None))
        else:
            attention.tell_missed("The message", "Go to it again.")

    async def _fetched(self, message_id: int) -> Message | None:
        """A message by its id, fetched if necessary; None and a notice if it does not exist or cannot be fetched."""
        try:
            message = await self._pane.session.loader.message(message_id)
        except NarrowcastError as error:
            self._pane.say(f"Could not load the message: {error.user_message}")
            return None
        if message is None:
            self._pane.say(f"There is no message {message_id}, or you do not have access to it.")
        return message

    def date(self) -> None:
        """Asks for a date and goes to its first message."""
        DateJump(self._pane).ask()

    def message(self) -> None:
        """Asks for the id or the link of a message and goes there."""
        self._pane.ask(AskScreen("Go to message", placeholder="message ID or link"), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if not text:
            return
        if text.strip().isdecimal() and len(text) < 16 and self._pane.view is not None:
            self._go_to_number(int(text), self._pane.view.narrow)
            return
        target = resolve(text.strip(), self._pane.session.state)
        if isinstance(target, InApp):
            self.go_to(target)
        else:
            self._pane.say("Not a message ID or link.")

    def _go_to_number(self, message_id: int, here: Narrow) -> None:
        """Goes to a message: in this view if it shows all messages or contains this one, else in its conversation."""

        def narrow_for(message: Message | None) -> Narrow | None:
            if message is None:
                return None
            conversation = Narrow.from_destination(message.destination(self._pane.session.state.me))
            return conversation if here.terms else here

        self.find(message_id, narrow_for)


class DateJump:
    """Asks for a date, and finds its first message: among the loaded ones, else on the server."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def ask(self) -> None:
        """Asks for a date and goes to its first message."""
        hints = ("or 11-20, today, yesterday, friday; 2026-11 is its first day",)
        self._pane.ask(AskScreen("Go to date", placeholder="2026-11-20", notes=hints), self._go_to_date)

    def _go_to_date(self, text: str | None) -> None:
        if not text or self._pane.list.feed is None:
            return
        names = self._pane.list.feed.names
        try:
            day = day_of(text, names.local(time.time()).date())
            local = datetime(day.year, day.month, day.day, tzinfo=names.zone)
            at = local.timestamp() if names.zone else local.astimezone().timestamp()
        except (ValueError, OverflowError):
            self._pane.say("Invalid date. Write it like 2026-11-20.")
            return
        self._pane.work(self._find_date(at), "go to that date")

    async def _find_date(self, at: float) -> None:
        """Asks the server if the date is outside of the loaded messages; offline, uses the nearest loaded message."""
        view = self._pane.view
        if view is None:
            return
        if not self._knows(view, at):
            try:
                message_id = await self._first_since(view, at)
            except NarrowcastError as error:
                self._pane.say(f"Only loaded messages were searched: {error.user_message}")
            else:
                if view is self._pane.view:
                    self._pane.reopen("newest" if message_id is None else message_id)
                return
        if view is self._pane.view and view.ids:
            self._pane.list.position.jump(view.ids[min(self._known_since(view, at), len(view.ids) - 1)])

    async def _first_since(self, view: MessageView, at: float) -> int | None:
        """Asks the server for the id of the first message since a time; None if there is none."""
        session = self._pane.session

        def fetch(anchor: int | str | datetime, before: int, after: int) -> Awaitable[Page]:
            return session.pages.fetch(view.narrow, anchor, before, after, include_anchor=True)

        if not session.state.supports(Gate.ANCHOR_DATE):
            return await first_since(fetch, at)  # TODO(server-445)
        found = (await fetch(datetime.fromtimestamp(at, UTC), 0, 0)).messages
        return found[0].id if found and found[0].timestamp >= at else None

    def _knows(self, view: MessageView, at: float) -> bool:
        """Whether the first message since a time is among the loaded ones."""
        get = self._pane.session.state.messages.get
        oldest, newest = (get(view.ids[place]) if view.ids else None for place in (0, -1))
        if oldest is None or newest is None:
            return False
        begins = view.found_oldest or oldest.timestamp < at
        return begins and (view.found_newest or newest.timestamp >= at)

    def _known_since(self, view: MessageView, at: float) -> int:
        """The index of the first loaded message since a time."""
        low, high = 0, len(view.ids)
        while low < high:
            middle = (low + high) // 2
            message = self._pane.session.state.messages.get(view.ids[middle])
            if message is not None and message.timestamp < at:
                low = middle + 1
            else:
                high = middle
        return low


def place_of(message: Message, me: int) -> Narrow:
    """The conversation of a message, as the user ``me`` sees it."""
    return Narrow.from_destination(message.destination(me))
