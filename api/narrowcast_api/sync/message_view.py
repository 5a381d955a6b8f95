"""One view: the messages of a narrow, fetched page by page and kept true by events. Cheap to import.

```
  cached (stale) ──open──> loading ──page──> known range ──event, and the newest is known──> grows at its end
        ^                     │  ^               │  │
        │                     │  └── newer open ─┘  └── load_older / load_newer: 100 a page
        └── connection lost ──┴──── events missed: stale, a gap is shown, fetched again around `position`
```
An answer to a question that is no longer asked is thrown away (`_generation`). Network errors end up in
`error`; nothing here raises them.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import PAGE, Anchor, Page
from narrowcast_api.state.changes import ViewChanged
from narrowcast_api.state.timeline import Gap, Timeline

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Match, Message
    from narrowcast_api.state.state import State

LONGEST = 3_000
"""Messages of a view, beyond which an arrival makes it forget those far from where the reader stands."""
AROUND = 1_000
"""Messages that stay on either side of the reader."""


class Host(Protocol):
    """What a view needs of its session."""

    @property
    def state(self) -> State: ...

    async def fetch(
        self, narrow: Narrow, anchor: Anchor, before: int, after: int, *, include_anchor: bool
    ) -> Page:
        """Asks the server and takes the messages into the state. Raises `NarrowcastError`."""

    async def match(self, narrow: Narrow, message_ids: Sequence[int]) -> Mapping[int, Match]:
        """Asks the server which messages belong to a narrow. Raises `NarrowcastError`."""

    def cached(self, narrow: Narrow, before: int | None) -> Sequence[Message]:
        """What the cache has of a narrow, the newest page before an id, taken into the state."""

    def view_changed(self, change: ViewChanged) -> None:
        """Tells listeners that a view changed."""

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Runs a request in the background; an exception in it is logged under its name."""


class MessageView:
    """The messages of one narrow. Get one from `session.view`, then `await open()`.

    `position` is for the app to set: the message that one stands on, which stays when everything is fetched
    again.
    """

    def __init__(self, narrow: Narrow, host: Host) -> None:
        self.narrow = narrow
        self._host = host
        self._timeline = Timeline()
        self._generation = 0
        self._pending: list[int] = []
        self._undecided: list[int] = []
        self._asked: Anchor | None = None
        self._fetched_early = False
        self._loaded = asyncio.Event()
        self.loading = False
        self.loading_older = False
        self.loading_newer = False
        self.error: NarrowcastError | None = None
        self.anchor: int | None = None
        """Where the app should stand after opening; None is the end."""
        self.position: int | None = None
        self.first_unread: int | None = None
        """Where unread messages began when the view was opened, or the first that came since unseen: where the
        line goes."""
        self.is_watched: Callable[[], bool] | None = None
        """For the app to set: whether the reader sees what arrives at the end; None where it is not shown."""
        self.matches: dict[int, Match] = {}
        """For searches: how messages match."""

    # what the app reads

    @property
    def ids(self) -> Sequence[int]:
        """Known messages, ascending; a new tuple after each change."""
        return self._timeline.ids

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where messages may be missing because events were missed."""
        return self._timeline.gaps

    @property
    def found_oldest(self) -> bool:
        """Whether the first known message is the first of all."""
        return self._timeline.found_oldest

    @property
    def found_newest(self) -> bool:
        """Whether the last known message is the last of all."""
        return self._timeline.found_newest

    @property
    def is_stale(self) -> bool:
        """Whether events were missed since this was fetched, or it came from the cache."""
        return self._timeline.stale

    @property
    def has_events(self) -> bool:
        """Whether events keep this true: there are none about a channel that one is not in."""
        channel_id = self.narrow.channel_id
        channel = None if channel_id is None else self._host.state.channels.get(channel_id)
        return channel is None or channel.is_subscribed

    # what the app does

    async def open(self, anchor: Anchor | None = None) -> None:
        """Makes the view true around `anchor`; without one, where one left off or at the first unread
        message.

        Returns at once where the view is true already; waits where it is being fetched around there. Network errors
        end up in `error`.
        """
        timeline = self._timeline
        if not timeline.stale and self.error is None and self.has_events:
            if anchor is None and (timeline.ids or timeline.is_current):
                self._mark_first_unread()
                return
            if isinstance(anchor, int) and anchor in timeline:
                self._mark_first_unread()
                self.anchor = anchor
                self._publish()
                return
        if anchor is None and self._fetched_early and self._host.state.from_cache and self.error is None:
            return  # the first snapshot is under way, and all is fetched once more when that is there
        if anchor is None:
            anchor = self.position if self.position is not None else self._default_anchor()
        if self.loading and anchor == self._asked:
            await self._loaded.wait()
        else:
            await self._fetch_around(anchor)

    def _mark_first_unread(self) -> None:
        """Each opening begins where what is unread now begins; while it is read, nothing moves."""
        first = next(self._unread_ids(), None)
        if first != self.first_unread:
            self.first_unread = first
            self._publish()

    def unread_again(self, message_id: int) -> None:
        """The reader has marked everything from this message on as unread: the line goes there, or stays at what was
        unread before it. The web app, too, shows at once where reading begins again.
        """
        self.first_unread = min(next(self._unread_ids(), message_id), message_id)
        self._publish()

    def _unread_ids(self) -> Iterator[int]:
        return (m.id for m in self._host.state.messages.known(self.ids) if self._is_unread(m))

    def _is_unread(self, message: Message) -> bool:
        """What is marked as read here counts as read before the server has said so of the message itself."""
        return not message.is_read and self._host.state.unreads.is_unread(message.id) is not False

    def _default_anchor(self) -> Anchor:
        if self.narrow.near is not None:
            return self.narrow.near
        return "first_unread" if self.narrow.terms and self.narrow.marks_read else "newest"

    async def refresh(self) -> None:
        """Fetches again around where one stands."""
        position = self.position
        if self.loading and self._asked is not None:  # somebody is opening it: that goes on, from the start
            await self._fetch_around(self._asked)
        elif position is None or position not in self._timeline:
            await self._fetch_around(self._default_anchor())
        else:
            await self._fetch_around(position)

    async def load_older(self) -> None:
        """A page before the first known message; does nothing while one is on its way or there is none."""
        timeline = self._timeline
        if self.loading or self.loading_older or timeline.found_oldest or not timeline.ids:
            return
        if timeline.stale:
            self._from_cache(timeline.ids[0])
            return
        self.loading_older = True
        try:
            page = await self._page(timeline.ids[0], PAGE, 0)
        finally:
            self.loading_older = False
        if page is not None:
            timeline.extend_older((m.id for m in page.messages), found_oldest=page.found_oldest)
            self._publish()

    async def load_newer(self) -> None:
        """A page after the last known message; does nothing while one is on its way or there is none."""
        timeline = self._timeline
        if self.loading or self.loading_newer or timeline.found_newest or not timeline.ids:
            return
        if timeline.stale:
            await self.refresh()
            return
        self.loading_newer = True
        try:
            page = await self._page(timeline.ids[-1], 0, PAGE)
        finally:
            self.loading_newer = False
        if page is not None:
            timeline.extend_newer((m.id for m in page.messages), found_newest=page.found_newest)
            self._take_pending()
            self._publish()

    async def _page(self, anchor: int, before: int, after: int) -> Page | None:
        """A further page; None if it failed (see `error`) or nobody wants it any more."""
        generation = self._generation
        self._publish()
        page = await self._ask(anchor, before, after, include_anchor=False)
        if page is None or generation != self._generation:
            self._publish()
            return None
        self.matches.update(page.matches)
        return page

    async def _ask(self, anchor: Anchor, before: int, after: int, *, include_anchor: bool) -> Page | None:
        generation = self._generation
        try:
            page = await self._host.fetch(self.narrow, anchor, before, after, include_anchor=include_anchor)
        except NarrowcastError as error:
            if generation == self._generation:
                self.error = error
            return None
        if generation == self._generation:
            self.error = None
        return page

    async def _fetch_around(self, anchor: Anchor) -> None:
        self._generation += 1
        generation = self._generation
        self.loading, self.error, self._asked = True, None, anchor
        self._loaded.clear()
        self._pending.clear()
        self._publish()
        before = self._host.state
        page = None
        try:
            page = await self._ask(anchor, PAGE, PAGE, include_anchor=True)
        finally:
            if generation == self._generation:
                self.loading = False
                self._loaded.set()
                if page is None:
                    self._publish()
        if generation != self._generation:
            await self._loaded.wait()  # overtaken by a refresh: who opened the view waits for that
        if page is not None and generation == self._generation:
            # What was asked before there was a snapshot, or before the latest, misses what came in between.
            self._take(page, anchor, stale=before.from_cache or before is not self._host.state)
            self._fetched_early = before.from_cache

    def _take(self, page: Page, asked: Anchor, *, stale: bool) -> None:
        ids = [message.id for message in page.messages]
        timeline = self._timeline
        timeline.replace(ids, found_oldest=page.found_oldest, found_newest=page.found_newest)
        timeline.stale = stale
        self.matches = dict(page.matches)
        self.first_unread = next((m.id for m in page.messages if not m.is_read), None)
        if isinstance(asked, int):
            self.anchor = _nearest(ids, asked) if asked == self.narrow.near else asked
        elif asked == "first_unread" and page.anchor is not None and page.anchor in timeline:
            self.anchor = page.anchor
        else:
            self.anchor = None
        self._take_pending()
        self._publish()

    def _take_pending(self) -> None:
        """Messages that came while the end was being fetched, and that the answer did not have."""
        pending, self._pending = self._pending, []
        if self._timeline.found_newest:
            for message_id in pending:
                if message_id in self._host.state.messages:
                    self._timeline.insert(message_id)

    # what the session does

    def show_cached(self) -> None:
        """Fills an empty view from the cache, as something that may have gaps."""
        if not self._timeline.ids:
            self._from_cache(None)

    def _from_cache(self, before: int | None) -> None:
        cached = self._host.cached(self.narrow, before)
        if cached:
            self._timeline.seed([*(message.id for message in cached), *self._timeline.ids])
            self._publish()

    def lose_touch(self) -> None:
        """Events were missed: what is shown may not be all."""
        self._fetched_early = False
        if not self._timeline.stale:
            self._timeline.stale = True
            self._publish()

    def add(self, message: Message) -> None:
        """A message was sent just now."""
        if not (self._timeline.is_current or self.loading or self.loading_newer):
            return
        verdict = self.narrow.matches(message, self._host.state)
        if verdict is None:
            self._undecided.append(message.id)
        elif verdict:
            self._join(message)

    def _join(self, message: Message) -> None:
        if self.loading or self.loading_newer:
            self._pending.append(message.id)
        elif self._timeline.insert(message.id):
            is_seen = self.is_watched is not None and self.is_watched()
            if not message.is_read and not is_seen and self._has_read_before(message.id):
                self.first_unread = message.id
            self._stay_short()
            self._publish()

    def _stay_short(self) -> None:
        """An app that is open for weeks keeps no more than one can look at; the rest is fetched when it is wanted."""
        ids = self._timeline.ids
        if len(ids) > LONGEST and not self.loading_older:
            place = len(ids) if self.position is None else bisect_left(ids, self.position)
            self._timeline.keep(place - AROUND, place + AROUND)
            self.matches = {i: match for i, match in self.matches.items() if i in self._timeline}

    def _has_read_before(self, message_id: int) -> bool:
        """Whether nothing from the line to a message is left to read, so that the line may go to the message."""
        if self.first_unread is None:
            return True
        ids, get = self.ids, self._host.state.messages.get
        since = range(bisect_left(ids, self.first_unread), bisect_left(ids, message_id))
        return not any((one := get(ids[place])) is not None and self._is_unread(one) for place in since)

    def recheck(self, message_ids: Iterable[int]) -> None:
        """Messages changed place or flags: some may belong here now, or no longer."""
        changed = False
        for message_id in message_ids:
            message = self._host.state.messages.get(message_id)
            here = message_id in self._timeline
            if message is None:
                self._unknown_moved(message_id)
                continue
            verdict = self.narrow.matches(message, self._host.state)
            if here and verdict is False and not self._keeps(message):
                changed |= self._timeline.remove([message_id])
            elif not here and verdict and self._timeline.covers(message_id):
                changed |= self._timeline.insert(message_id)
        if changed:
            self._publish()

    def _keeps(self, message: Message) -> bool:
        """Read messages stay in a view of unread ones: nothing may vanish under the reader's eyes."""
        return any((term.operator, term.operand) == ("is", "unread") for term in self.narrow.terms)

    def _unknown_moved(self, message_id: int) -> None:
        """A message that was never loaded changed place: if it could be here now, only the server can say."""
        if self._timeline.covers(message_id) and message_id not in self._timeline:
            self._undecided.append(message_id)

    def remove(self, message_ids: Iterable[int]) -> None:
        if self._timeline.remove(message_ids):
            self._publish()

    def decide(self) -> None:
        """Asks the server about messages that only it can place, in the background."""
        if self._undecided:
            undecided, self._undecided = list(dict.fromkeys(self._undecided)), []
            self._host.spawn(self._decide(undecided), "a view's request")

    async def _decide(self, message_ids: Sequence[int]) -> None:
        generation = self._generation
        try:
            matches = await self._host.match(self.narrow, message_ids)
        except NarrowcastError:
            self.lose_touch()
            return
        if generation != self._generation:
            return
        self.matches.update(matches)
        known_ids = [message_id for message_id in matches if message_id in self._host.state.messages]
        changed = [message_id for message_id in known_ids if self._timeline.insert(message_id)]
        if changed:
            self._publish()
        if len(known_ids) < len(matches):
            await self.refresh()

    def _publish(self) -> None:
        self._host.view_changed(ViewChanged(self.narrow))


def _nearest(ids: Sequence[int], message_id: int) -> int | None:
    """Of ascending ids the first from one on, else the last; None where there are none."""
    place = bisect_left(ids, message_id)
    return ids[min(place, len(ids) - 1)] if ids else None
