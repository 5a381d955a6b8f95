"""A view: the messages of a narrow, fetched page by page and updated by events. Cheap to import.

```
  cached (stale) ──open──> loading ──page──> known range ──event, and the newest is known──> grows at its end
        ^                     │  ^               │  │
        │                     │  └── newer open ─┘  └── load_older / load_newer: 100 a page
        └── connection lost ──┴──── events missed: stale, a gap is shown, fetched again around `position`
```
The response to an outdated request is discarded (`_generation`). Network errors end up in
`error`; nothing here raises them.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from narrowcast_api.errors import BadNarrow, NarrowcastError
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.narrow.page import PAGE, Anchor, Page
from narrowcast_api.state.changes import ViewChanged
from narrowcast_api.state.timeline import Gap, Timeline
from narrowcast_api.sync import feeds

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Match, Message
    from narrowcast_api.protocols.context import SessionContext
    from narrowcast_api.sync.pages import Pages

MAX_LENGTH = 3_000
"""The number of messages from which on each arrival makes the view drop those far from the reader's position."""
KEPT_AROUND = 1_000
"""Messages that are kept on either side of the reader's position."""
MAX_UNDECIDED = 200
"""The number of messages about which the server is asked, in one request; for more the view is fetched again."""


class MessageView:
    """The messages of one narrow. Get one from `session.view`, then `await open()`.

    `position` is set by the app: the id of the selected message, which is kept when everything is fetched
    again.
    """

    def __init__(self, narrow: Narrow, context: SessionContext, pages: Pages) -> None:
        self.narrow = narrow
        self._context = context
        self._pages = pages
        self._timeline = Timeline()
        self._generation = 0
        self._pending: list[int] = []
        self._undecided: list[int] = []
        self._asked: Anchor | None = None
        self._fetched_early = False
        self._is_opening = True  # by the reader, and not fetched since
        self._loaded = asyncio.Event()
        self.loading = False
        self.loading_older = False
        self.loading_newer = False
        self.error: NarrowcastError | None = None
        self.anchor: int | None = None
        """The message that the app should select after opening; None is the end."""
        self.position: int | None = None
        self.first_unread: int | None = None
        """The first unread message when the view was opened, or the first that arrived unseen since then: the
        position of the unread line.
        """
        self.is_watched: Callable[[], bool] | None = None
        """Set by the app: whether the reader sees what arrives at the end; None if the view is not on screen."""
        self.matches: dict[int, Match] = {}
        """In searches: how messages match."""

    # what the app reads

    @property
    def ids(self) -> Sequence[int]:
        """Ids of known messages, ascending; a new tuple after each change."""
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
        """Whether events were missed since the view was fetched, or it came from the cache."""
        return self._timeline.stale

    @property
    def has_events(self) -> bool:
        """Whether events update this view: the server sends none for a channel to which the user is not subscribed."""
        channel_id = self.narrow.channel_id
        channel = None if channel_id is None else self._context.state.channels.get(channel_id)
        return channel is None or channel.is_subscribed

    # what the app does

    async def open(self, anchor: Anchor | None = None) -> None:
        """Brings the view up to date around `anchor`; without one, around `position` or the first unread
        message.

        Returns at once if the view is up to date; if it is already being fetched around `anchor`, waits for
        that. Network errors end up in `error`.
        """
        timeline = self._timeline
        self._is_opening = True
        if not timeline.stale and self.error is None and self.has_events:
            if anchor is None and (timeline.ids or timeline.is_current):
                self._mark_first_unread()
                return
            if isinstance(anchor, int) and anchor in timeline:
                self._mark_first_unread()
                self.anchor = anchor
                self._publish()
                return
        if anchor is None and self._fetched_early and self._context.state.from_cache and self.error is None:
            self._mark_first_unread()
            return  # the first snapshot is pending, and everything is fetched again when it arrives
        if anchor is None:
            anchor = self.position if self.position is not None else self._default_anchor()
        if self.loading and anchor == self._asked:
            await self._loaded.wait()
        else:
            await self._fetch_around(anchor)

    def _mark_first_unread(self) -> None:
        """Moves the unread line to the first message that is unread now; it stays there while the view is
        being read.
        """
        self._is_opening = False
        first = next(self._unread_ids(), None)
        if first != self.first_unread:
            self.first_unread = first
            self._publish()

    def move_unread_line(self, message_id: int) -> None:
        """Moves the unread line to this message, from which on the reader has marked everything as unread, or
        to an earlier unread message. The web app also moves it at once.
        """
        self.first_unread = min(next(self._unread_ids(), message_id), message_id)
        self._publish()

    def _unread_ids(self) -> Iterator[int]:
        return (m.id for m in self._context.state.messages.known(self.ids) if self._is_unread(m))

    def _is_unread(self, message: Message) -> bool:
        """Messages that were marked as read here count as read before the server confirms it."""
        return not message.is_read and self._context.state.unreads.is_unread(message.id) is not False

    def _default_anchor(self) -> Anchor:
        if self.narrow.near is not None:
            return self.narrow.near
        return "first_unread" if self.narrow.terms and self.narrow.marks_read else "newest"

    async def refresh(self) -> None:
        """Fetches the view again around `position`."""
        position = self.position
        if self.loading and self._asked is not None:  # the view is being opened: start that request again
            await self._fetch_around(self._asked)
        elif position is None or position not in self._timeline:
            await self._fetch_around(self._default_anchor())
        else:
            await self._fetch_around(position)

    async def load_older(self) -> None:
        """Fetches a page before the first known message; does nothing while one is being fetched or if there
        is none.
        """
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
        """Fetches a page after the last known message; does nothing while one is being fetched or if there is none."""
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
        """Returns another page; None if the request failed (see `error`) or is outdated."""
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
            page = await self._fetch(anchor, before, after, include_anchor)
        except NarrowcastError as error:
            if generation == self._generation:
                self.error = error
            return None
        if generation == self._generation:
            self.error = None
        return page

    async def _fetch(self, anchor: Anchor, before: int, after: int, include_anchor: bool) -> Page:
        fetch, fetched = self._pages.fetch, feeds.fetched_narrow(self.narrow, self._context.state)
        try:
            page = await fetch(fetched, anchor, before, after, include_anchor=include_anchor)
        except BadNarrow:  # a server without `in`
            if fetched == self.narrow:
                raise
            page = await fetch(self.narrow, anchor, before, after, include_anchor=include_anchor)
        return page._replace(messages=self._without_muted(page.messages))

    def _without_muted(self, messages: Sequence[Message]) -> list[Message]:
        return [one for one in messages if not feeds.leaves_out(self.narrow, one, self._context.state)]

    def _shows(self, message: Message) -> bool | None:
        return feeds.shows(self.narrow, message, self._context.state)

    async def _fetch_around(self, anchor: Anchor) -> None:
        self._generation += 1
        generation = self._generation
        self.loading, self.error, self._asked = True, None, anchor
        self._loaded.clear()
        self._pending.clear()
        self._publish()
        before = self._context.state
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
            await self._loaded.wait()  # a refresh replaced this request: wait for its result
        if page is not None and generation == self._generation:
            # A page requested before the first snapshot, or before the current one, misses what happened in
            # between.
            self._take(page, anchor, stale=before.from_cache or before is not self._context.state)
            self._fetched_early = before.from_cache

    def _take(self, page: Page, asked: Anchor, *, stale: bool) -> None:
        timeline, known_ids = self._timeline, frozenset(self.ids)
        ids = (message.id for message in page.messages)
        timeline.replace(ids, found_oldest=page.found_oldest, found_newest=page.found_newest)
        timeline.stale = stale
        self.matches = {i: self.matches[i] for i in self._pending if i in self.matches} | dict(page.matches)
        unread = (message.id for message in page.messages if self._is_unread(message))
        if self._is_opening:
            self._is_opening, self.first_unread = False, next(unread, None)
        else:  # the reader is at it: only what came meanwhile may move the line
            came = next((message_id for message_id in unread if message_id not in known_ids), None)
            if came is not None and self._has_read_before(came):
                self.first_unread = came
        if isinstance(asked, int):
            may_lack_it = asked == self.narrow.near or feeds.is_feed(self.narrow)
            self.anchor = timeline.nearest(asked) if may_lack_it else asked
        elif asked == "first_unread" and page.anchor is not None and page.anchor in timeline:
            self.anchor = page.anchor
        else:
            self.anchor = None
        self._take_pending()
        self._publish()

    def _take_pending(self) -> None:
        """Adds the messages that joined while a page was being fetched and that the response does not contain."""
        pending, self._pending = self._pending, []
        state = self._context.state
        for message in state.messages.known(pending):
            if self._timeline.covers(message.id) and self._shows(message) is not False:
                self._timeline.insert(message.id)

    # what the session does

    def show_cached(self) -> None:
        """Fills an empty view from the cache; it may have gaps."""
        if not self._timeline.ids:
            self._from_cache(None)

    def _from_cache(self, before: int | None) -> None:
        cached = self._without_muted(self._pages.cached(self.narrow, before))
        if cached:
            self._timeline.seed([*(message.id for message in cached), *self._timeline.ids])
            self._publish()

    def mark_stale(self) -> None:
        """Marks the view as stale, because events were missed."""
        self._fetched_early = False
        if not self._timeline.stale:
            self._timeline.stale = True
            self._publish()

    def mark_outdated(self) -> None:
        """Marks the view as stale because messages belong to it now that were not reported. What is being
        fetched was requested too early, so it is fetched again.
        """
        self.mark_stale()
        if self.loading:
            self._context.tasks.start(self.refresh(), "refresh a view")

    def add(self, message: Message) -> None:
        """Adds a message that was just sent, if it matches."""
        if not (self._timeline.is_current or self.loading or self.loading_newer):
            return
        verdict = self._shows(message)
        if verdict is None:
            self._undecided.append(message.id)
        elif verdict:
            self._join(message)

    def _join(self, message: Message) -> None:
        if self.loading or self.loading_newer:
            self._pending.append(message.id)
            return
        is_new = self._timeline.insert(message.id)  # unless a page contained it already
        is_seen = self.is_watched is not None and self.is_watched()
        moves_line = not message.is_read and not is_seen and self._has_read_before(message.id)
        if moves_line:
            self.first_unread = message.id
        if is_new or moves_line:
            self._limit_length()
            self._publish()

    def _limit_length(self) -> None:
        """Drops messages far from `position`, so that memory stays bounded in an app that is open for weeks."""
        ids = self._timeline.ids
        if len(ids) > MAX_LENGTH and not self.loading_older:
            place = len(ids) if self.position is None else bisect_left(ids, self.position)
            self._timeline.trim(place - KEPT_AROUND, place + KEPT_AROUND)
            self.matches = {i: match for i, match in self.matches.items() if i in self._timeline}

    def _has_read_before(self, message_id: int) -> bool:
        """Whether no unread message is left between the unread line and a message, so that the line may move
        to the message.
        """
        if self.first_unread is None:
            return True
        ids, get = self.ids, self._context.state.messages.get
        since = range(bisect_left(ids, self.first_unread), bisect_left(ids, message_id))
        return not any((one := get(ids[place])) is not None and self._is_unread(one) for place in since)

    def recheck(self, message_ids: Iterable[int], *, unknown_join: bool | None) -> None:
        """Adds or removes messages whose place, flags or content changed.

        `unknown_join`: whether those that are not in memory match now; None if only the server can tell, even
        about others.
        """
        timeline = self._timeline
        keeps_read = (
            Term("is", "unread") in self.narrow.terms
        )  # so that nothing disappears while it is being read
        changed = False
        unknown = []
        for message_id in message_ids:
            message = self._context.state.messages.get(message_id)
            here = message_id in timeline
            verdict = None if message is None else self._shows(message)
            if here and verdict is False and not keeps_read:
                changed |= timeline.remove([message_id])
            elif not here and verdict:
                changed |= self._insert(message_id)
            elif not here and verdict is None and self._may_lack(message_id):
                unknown.append(message_id)
        if changed:
            self._publish()
        if unknown_join and unknown:
            self.mark_outdated()
        elif unknown_join is None:
            self._undecided.extend(unknown)

    def _may_lack(self, message_id: int) -> bool:
        """Whether the message would be shown if it matched, and nothing else will bring it."""
        return self.loading or (self._timeline.covers(message_id) and not self._timeline.stale)

    def _insert(self, message_id: int) -> bool:
        """Inserts a message that matches if it is in the known range; returns whether it was new there. The
        page that is being fetched may lack it.
        """
        if self.loading or self.loading_newer:
            self._pending.append(message_id)
        return self._timeline.covers(message_id) and self._timeline.insert(message_id)

    def remove(self, message_ids: Iterable[int]) -> None:
        if self._timeline.remove(message_ids):
            self._publish()

    def match_on_server(self, *, on_screen: bool = True) -> None:
        """Asks the server in the background about messages that cannot be matched locally. A view that is not
        on screen becomes stale instead: otherwise each batch of events would take a request for each search.
        """
        undecided, self._undecided = list(dict.fromkeys(self._undecided)), []
        if len(undecided) > MAX_UNDECIDED or (undecided and not on_screen and not self.loading):
            self.mark_outdated()
        elif undecided:
            self._context.tasks.start(self._decide(undecided), "ask which messages belong to a view")

    async def _decide(self, message_ids: Sequence[int]) -> None:
        generation = self._generation
        try:
            matches = await self._pages.match(self.narrow, message_ids)
        except NarrowcastError:
            if generation == self._generation:
                self.mark_outdated()
            return
        if generation != self._generation:
            return
        self.matches.update(matches)
        known_ids = [message_id for message_id in matches if message_id in self._context.state.messages]
        changed = [message_id for message_id in known_ids if self._insert(message_id)]
        if changed:
            self._publish()
        if len(known_ids) < len(matches):
            await self.refresh()

    def _publish(self) -> None:
        self._context.publish(ViewChanged(self.narrow))
