"""Finding text in the view, and going to a date or a message."""

from __future__ import annotations

import asyncio
import re
import time
from abc import abstractmethod
from collections.abc import Awaitable
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from textual import events

from narrowcast.content.addresses import InApp, resolve
from narrowcast.panes.messages.key_modes import TypedKeys
from narrowcast.panes.messages.overlays import Found
from narrowcast.text.safe_text import safe_line
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.sync.message_lists import MessageView, Page

__all__ = ["Finding"]

SEARCHED_AT_ONCE = 300_000
"""Characters looked through before whatever else waits has its turn."""
SEARCHED_OF_ONE = 300_000
"""Characters of one message that are looked through: as many as are ever shown of one."""

_TAGS = re.compile(r"<[^<>]*>")


class Finding(TypedKeys):
    """Handlers of find and jump."""

    @abstractmethod
    def _reopen(self, anchor: int | str) -> None:
        """Opens the view again at a message or at one of its ends."""

    def action_message_find(self) -> None:
        """Asks what to find among the messages of this view."""
        from narrowcast.screens.dialogs.ask import AskScreen

        overlay = self.list.overlay
        before = overlay.text if isinstance(overlay, Found) else ""
        question = AskScreen(
            "Find in this view", before, notes=("Enter finds; then n: older, N: newer, Esc: close",)
        )
        self.app.push_screen(question, self._find)

    def _find(self, text: str | None) -> None:
        if not text:
            self._leave_modes()
            return
        self.list.overlay = found = Found(text)
        self.say_mode(f"Esc closes · n older · N newer: {safe_line(text, 30)}")
        if not self._holds(found, self.list.selected):
            self._next(found, -1)
        self.list.changed()

    def _find_key(self, found: Found, event: events.Key) -> bool:
        if event.key == "escape":
            self._leave_modes()
        elif event.character == "n":
            self._next(found, -1)
        elif event.character == "N":
            self._next(found, 1)
        else:
            return False
        return True

    def _holds(self, found: Found, key: object) -> bool:
        message = self.session.state.messages.get(key) if isinstance(key, int) else None
        if message is None:
            return False
        from html import unescape

        text = unescape(_TAGS.sub("", message.content[:SEARCHED_OF_ONE]))
        return found.text in " ".join(text.casefold().split())

    def _cost(self, message_id: int) -> int:
        message = self.session.state.messages.get(message_id)
        return 100 + (len(message.content) if message is not None else 0)

    def _next(self, found: Found, direction: int) -> None:
        self.work(self._search(found, direction), "find this")

    async def _search(self, found: Found, direction: int) -> None:
        """Goes to the nearest match in one direction, round the end if need be; lets keys through meanwhile."""
        feed = self.list.feed
        if feed is None or self.view is None:
            return
        ids, here = feed.ids, feed.index(self.list.selected)
        older = direction < 0
        whole = self.view.found_oldest if older else self.view.found_newest
        ahead = range(here - 1, -1, -1) if older else range(here + 1, len(ids))
        behind = range(len(ids) - 1, here, -1) if older else range(here)
        looked = 0
        for count, index in enumerate(chain(ahead, behind)):
            looked += self._cost(ids[index])
            if looked > SEARCHED_AT_ONCE:
                looked = 0
                await asyncio.sleep(0)
                if self.list.overlay is not found or self.list.feed is not feed:
                    return
            if self._holds(found, ids[index]):
                self.list.select(ids[index])
                if count >= len(ahead):
                    end = "older" if older else "newer"
                    self.say(f"Nothing {end}{'' if whole else ' is loaded'}: search wrapped.")
                return
        if not self._holds(found, self.list.selected):
            self.say(f"Not found{'' if whole else ' in what is loaded'}; / searches on the server.")
        else:
            self.say("No other matches here. / searches the server.")

    # Jumps.

    def action_message_date(self) -> None:
        """Asks for a date and goes to its first message."""
        from narrowcast.screens.dialogs.ask import AskScreen

        hints = ("or 11-20, today, yesterday, friday; 2026-11 is its first day",)
        self.app.push_screen(AskScreen("Go to date", placeholder="2026-11-20", notes=hints), self._go_to_date)

    def _go_to_date(self, text: str | None) -> None:
        if not text or self.list.feed is None:
            return
        from narrowcast.text.typed_dates import day_of

        names = self.list.feed.names
        try:
            day = day_of(text, names.local(time.time()).date())
            local = datetime(day.year, day.month, day.day, tzinfo=names.zone)
            at = local.timestamp() if names.zone else local.astimezone().timestamp()
        except (ValueError, OverflowError):
            self.say("Invalid date. Write it like 2026-11-20.")
            return
        self.work(self._find_date(at), "go to that date")

    async def _find_date(self, at: float) -> None:
        """Asks the server where the date lies outside what is known; offline what is known has to do."""
        view = self.view
        if view is None:
            return
        if not self._knows(view, at):
            from narrowcast_api.narrow.dates import first_since

            def fetch(anchor: int | str, before: int, after: int) -> Awaitable[Page]:
                return self.session.fetch(view.narrow, anchor, before, after, include_anchor=True)

            try:
                found = await first_since(fetch, at)
            except NarrowcastError as error:
                self.say(f"Only what is loaded was looked at: {error.user_message}")
            else:
                if view is self.view:
                    self._reopen("newest" if found is None else found)
                return
        if view is self.view and view.ids:
            self.list.jump(view.ids[min(self._known_since(view, at), len(view.ids) - 1)])

    def _knows(self, view: MessageView, at: float) -> bool:
        """Whether the first message since a moment is among those that are loaded."""
        get = self.session.state.messages.get
        oldest, newest = (get(view.ids[place]) if view.ids else None for place in (0, -1))
        if oldest is None or newest is None:
            return False
        begins = view.found_oldest or oldest.timestamp < at
        return begins and (view.found_newest or newest.timestamp >= at)

    def _known_since(self, view: MessageView, at: float) -> int:
        """The index of the first loaded message since a moment."""
        low, high = 0, len(view.ids)
        while low < high:
            middle = (low + high) // 2
            message = self.session.state.messages.get(view.ids[middle])
            if message is not None and message.timestamp < at:
                low = middle + 1
            else:
                high = middle
        return low

    def action_message_goto(self) -> None:
        """Asks for the number or the link of a message and goes there."""
        from narrowcast.screens.dialogs.ask import AskScreen

        self.app.push_screen(AskScreen("Go to message", placeholder="message ID or link"), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if not text:
            return
        if text.strip().isdecimal() and len(text) < 16 and self.view is not None:
            self.work(self._go_to_number(int(text), self.view.narrow), "find the message")
            return
        target = resolve(text.strip(), self.session.state)
        if isinstance(target, InApp):
            self.go_to(target)
        else:
            self.say("Not a message ID or link.")

    async def _go_to_number(self, message_id: int, here: Narrow) -> None:
        """Goes to a message: in this view if that holds everything or this message, else in its conversation."""
        message = await self.session.load_message(message_id)
        if message is None:
            self.say(f"There is no message {message_id}, or you do not have access to it.")
            return
        conversation = Narrow.from_destination(message.destination(self.session.state.me))
        self.post_message(self.NarrowRequested(conversation if here.terms else here, message_id))
