"""Finding text in the view, and going to a date or a message."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime
from itertools import chain

from textual import events

from narrowcast.content.addresses import InApp, resolve
from narrowcast.panes.message_overlays import Found
from narrowcast.panes.message_typing import TypedKeys
from narrowcast_api.narrow import Narrow

__all__ = ["Finding"]

SEARCHED_AT_ONCE = 500
"""Messages looked through before whatever else waits has its turn."""

_TAGS = re.compile(r"<[^<>]*>")
_DATE = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?")


class Finding(TypedKeys):
    """Handlers of find and jump."""

    def action_message_find(self) -> None:
        """Asks what to find among the messages of this view."""
        from narrowcast.screens.ask import AskScreen

        overlay = self.list.overlay
        before = overlay.text if isinstance(overlay, Found) else ""
        question = AskScreen("Find in this view", before, hints=("then n: older, N: newer, Esc: leave",))
        self.app.push_screen(question, self._find)

    def _find(self, text: str | None) -> None:
        if not text:
            self._leave_modes()
            return
        self.list.overlay = found = Found(text)
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

        return found.text in " ".join(unescape(_TAGS.sub("", message.content)).casefold().split())

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
        for count, index in enumerate(chain(ahead, behind)):
            if count % SEARCHED_AT_ONCE == SEARCHED_AT_ONCE - 1:
                await asyncio.sleep(0)
                if self.list.overlay is not found or self.list.feed is not feed:
                    return
            if self._holds(found, ids[index]):
                self.list.select(ids[index])
                if count >= len(ahead):
                    end = "older" if older else "newer"
                    self.say(f"Nothing {end}{'' if whole else ' is loaded'}: went round.")
                return
        if not self._holds(found, self.list.selected):
            self.say(f"Not found{'' if whole else ' in what is loaded'}; / searches on the server.")
        else:
            self.say("Nowhere else here; / searches on the server.")

    # Jumps.

    def action_message_date(self) -> None:
        """Asks for a date and goes to its first message."""
        from narrowcast.screens.ask import AskScreen

        self.app.push_screen(AskScreen("Go to date", placeholder="2026-11-20"), self._go_to_date)

    def _go_to_date(self, text: str | None) -> None:
        if not text or self.list.feed is None:
            return
        match = _DATE.fullmatch(text.strip())
        names = self.list.feed.names
        try:
            if match is None:
                raise ValueError(text)
            local = datetime(int(match[1]), int(match[2]), int(match[3] or 1), tzinfo=names.zone)
            at = local.timestamp() if names.zone else local.astimezone().timestamp()
        except (ValueError, OverflowError):
            self.say("That is no date: write it like 2026-11-20.")
            return
        self.work(self._find_date(at), "go to that date")

    async def _find_date(self, at: float) -> None:
        """Bisects among what is known; pages back while the date lies before it."""
        view = self.view
        while view is not None and view is self.view:
            get = self.session.state.messages.get
            oldest = get(view.ids[0]) if view.ids else None
            if view.found_oldest or oldest is None or oldest.timestamp <= at or view.error is not None:
                break
            before = view.ids[0]
            await view.load_older()
            if view.ids and view.ids[0] == before:
                break
        if view is None or view is not self.view:
            return
        low, high = 0, len(view.ids)
        while low < high:
            middle = (low + high) // 2
            message = self.session.state.messages.get(view.ids[middle])
            if message is not None and message.timestamp < at:
                low = middle + 1
            else:
                high = middle
        if view.ids:
            self.list.jump(view.ids[min(low, len(view.ids) - 1)])

    def action_message_goto(self) -> None:
        """Asks for the number or the link of a message and goes there."""
        from narrowcast.screens.ask import AskScreen

        self.app.push_screen(AskScreen("Go to message", placeholder="its number or its link"), self._go_to)

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
            self.say("That is neither the number nor the link of a message.")

    async def _go_to_number(self, message_id: int, here: Narrow) -> None:
        """Goes to a message: in this view if that holds everything or this message, else in its conversation."""
        message = await self.session.load_message(message_id)
        if message is None:
            self.say(f"There is no message {message_id}, or it is not yours to see.")
            return
        conversation = Narrow.from_destination(message.destination(self.session.state.me))
        self.post_message(self.NarrowRequested(conversation if here.terms else here, message_id))
