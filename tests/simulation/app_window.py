"""A window with its screen: the app itself, controlled by keys, with a driver that needs no terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from random import Random

import textual._time
from textual import events
from textual.notifications import SeverityLevel

from narrowcast.app.app import NarrowcastApp
from narrowcast.app.early_session import RunningSession
from narrowcast.runtime.frames import Frames
from narrowcast.screens.main.screen import MainScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.destinations import Destination, same_conversation
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.on_screen import MOMENT
from narrowcast_api.storage.records import Draft
from simulation.disk import Home
from simulation.loop import SimulatedLoop
from simulation.service import Service
from simulation.window import Typed, Window
from support.screens import screen_text
from support.stage import main_screen

SIZES = ((80, 24), (100, 30), (180, 40))
BETWEEN_KEYS = 0.05
"""Seconds between two keys."""
LETTERS, LEAVING = 0.3, 0.3
"""How often words are typed letter by letter, and how often a draft is left with Escape."""
CORRECTING = 0.7
"""How often a user who reads, or stars a message, edits one of their own messages."""
ENDS_OF_EDIT = ("enter", "enter", "escape", "ctrl+l")
SOURCE_SECONDS = 1.0
"""Seconds to wait for the source of the message."""
REFUSED_SECONDS = 1.0
"""Seconds to wait after keys that may be refused: until then, letters run no commands."""
WANDERING = 0.5
"""How often a user who views a conversation presses other keys there."""
WAYS = (
    ("n",),
    ("p",),
    ("a",),
    ("I",),
    ("k", "vertical_line"),
    ("k", "vertical_line", "alt+o", "alt+z"),
    ("alt+o",),
    ("alt+left",),
    ("ctrl+k", "enter"),
    ("ctrl+k", "escape"),
)
"""Keys that go elsewhere, to a second conversation beside the first, into dialogs and out of them."""
WAYS_OUT = 12
"""The number of nested dialogs that Escape has to close."""
SETTLED = 3.0
"""Seconds after which a key has had all of its effects."""
DEFECT = "See the log for details"
"""The start of a notice about an internal error of the app."""


async def _opened(session: RunningSession) -> RunningSession:
    """A session that was started before the app."""
    return session


class HeardApp(NarrowcastApp):
    """Records its notices; ``told`` outlives the app."""

    def __init__(self, told: list[str], file: Path, paths: Paths, session: RunningSession) -> None:
        self._told = told
        super().__init__(file, paths=paths, extensions=False, alone=True, early=_opened(session))

    def tell(
        self, text: str, *, severity: SeverityLevel = "information", seconds: float | None = None
    ) -> None:
        self._told.append(text)
        super().tell(text, severity=severity, seconds=seconds)


class AppWindow(Window):
    """`app` is new after each start."""

    app: HeardApp
    most_tasks = 200
    _end: AsyncExitStack

    def __init__(
        self, name: str, user_id: int, service: Service, home: Home, loop: SimulatedLoop, chance: Random
    ) -> None:
        super().__init__(name, user_id, service, home, loop, chance)
        self._edited: dict[int, str] = {}
        self.told: list[str] = []
        """All notices."""
        self.was_on_screen: set[int] = set()
        self._watching: asyncio.Task[None] | None = None
        self.odd: list[str] = []
        """Unexpected behaviour that a user would notice."""

    @classmethod
    @contextmanager
    def using_time_of(cls, loop: SimulatedLoop) -> Iterator[None]:
        get_time, defaults = textual._time.get_time, Frames.__init__.__defaults__
        textual._time.get_time = loop.time
        Frames.__init__.__defaults__ = (loop.time,)
        try:
            yield
        finally:
            textual._time.get_time = get_time
            Frames.__init__.__defaults__ = defaults

    async def start(self) -> None:
        await super().start()
        if self.session.last_narrow is None:  # as if it had been open before: the inbox covers the messages
            self.session.cache_view(Narrow.all())
        file = self.home.root / f"{self.name}.zuliprc"
        if not file.exists():
            self.account.write_zuliprc(file)
        begun = RunningSession(self.session, self.running)
        self._known: set[str] = set()
        self.app = HeardApp(self.told, file, Paths.under(self.home.folder), begun)
        self._end = AsyncExitStack()
        await self._end.enter_async_context(self.app.run_test(size=self._chance.choice(SIZES)))
        self._watching = asyncio.create_task(self._watch())
        await asyncio.sleep(BETWEEN_KEYS)

    async def _watch(self) -> None:
        """Records which messages are on the screen, more often than a message needs to count as seen."""
        while True:
            await asyncio.sleep(MOMENT / 2)
            for one in self.screen.side.all if self.app.is_running else ():
                shown = one.messages.list
                ids = shown.feed.ids if shown.feed is not None else ()
                self.was_on_screen.update(ids[at.index] for at in shown.position.shown if at.index < len(ids))

    def _stop_watching(self) -> None:
        if self._watching is not None:
            self._watching.cancel()

    async def quit(self) -> None:
        self._stop_watching()
        for writer in self.writers:
            writer.hurry = True
            writer.catch_up()
        await self.app.accounts.close()
        await self._end.aclose()
        await super().quit()

    async def kill(self) -> None:
        self._stop_watching()
        self.die()
        await self._end.aclose()
        await super().kill()

    @property
    def screen(self) -> MainScreen:
        """The main screen."""
        return main_screen(self.app)

    @property
    def in_compose(self) -> str:
        """The text in compose, whether or not compose has the focus."""
        return self.screen.writing.text.text

    async def press(self, *keys: str) -> None:
        """Presses keys as a person does, one after the other."""
        for key in keys:
            sign = " " if key == "space" else key
            self.app.post_message(events.Key(key, sign if len(sign) == 1 else None))
            await asyncio.sleep(BETWEEN_KEYS)
        self._known = {draft.draft_id for draft in self.session.drafts.all()}
        updated = {view.narrow for view in self.session.views_on_screen}
        shown = {one.narrow for one in self.screen.side.all} - {None}
        if updated != shown:
            self.odd.append(f"{shown} are on the screen, and {updated} are kept up to date after {keys}")

    async def paste(self, text: str) -> None:
        """Pastes all of a text at once, into the focused widget."""
        self.app.post_message(events.Paste(text))
        await asyncio.sleep(BETWEEN_KEYS)

    async def go(self, narrow: Narrow) -> None:
        """Goes to a view, with no dialog open and the focus in the message list."""
        for _ in range(WAYS_OUT):
            if self.app.screen is self.screen:
                break
            await self.press("escape")
        else:
            self.odd.append(f"Escape does not lead out of {self.app.screen}")
        self.screen.go(narrow)
        self.seen[narrow] = None
        await asyncio.sleep(BETWEEN_KEYS)

    # user actions

    async def say(self, place: Destination, text: str) -> Typed:
        typed = await self._typed(place, text)
        await self.press("enter")
        return typed._replace(is_sent=bool(typed.words) and not self.in_compose)

    async def draft(self, place: Destination, text: str, over: str | None) -> Typed:
        typed = await self._typed(place, text)
        if self._chance.random() < LEAVING:
            await self.press("escape")
        return typed

    async def _typed(self, place: Destination, text: str) -> Typed:
        narrow = Narrow.from_destination(place)
        stays = self.screen.narrow == narrow
        offered = [draft for draft in self.session.drafts.all() if self._is_offered(draft, place)]
        await self.go(narrow)
        await self.press("r")
        before = self.in_compose
        if stays and not before and offered:
            self.odd.append(f"{offered[0].content!r} is there, and nothing stands in compose")
        if self._chance.random() < LETTERS:
            await self.press(*("space" if sign == " " else sign for sign in text))
        else:
            await self.paste(text)
        if text not in self.in_compose:
            self.odd.append(
                f"{text!r} was typed, and {self.in_compose!r} stands there at {self._loop.time():.2f} s"
            )
        return Typed(before, self.in_compose)

    def _is_offered(self, draft: Draft, place: Destination) -> bool:
        """Whether a draft was begun elsewhere since the last key, so that it is continued here."""
        is_other = draft.draft_id not in self._known and self.session.drafts.is_from_elsewhere(draft.draft_id)
        return is_other and draft.conflict_with is None and same_conversation(draft.destination, place)

    def saving(self) -> list[str]:
        edits = self.session.edits
        return [text for message_id, text in self._edited.items() if edits.is_saving(message_id)]

    async def read(self, message_ids: Sequence[int]) -> None:
        await self.go(Narrow.all())
        await self.press("G")
        if self._chance.random() < CORRECTING:
            await self._correct()

    async def correct(self, meanwhile: Callable[[int], Awaitable[None]]) -> None:
        """Appends words to the newest own message; after the words are typed, awaits `meanwhile` with its id."""
        await self.go(Narrow.all())
        await self._correct(meanwhile)

    async def _correct(self, meanwhile: Callable[[int], Awaitable[None]] | None = None) -> None:
        """Appends words to the newest own message, and saves the edit, or leaves it."""
        session = self.session
        view = session.views.peek(Narrow.all())
        known = session.state.messages.known(view.ids if view is not None else ())
        own = [message.id for message in known if message.sender_id == session.state.me]
        if not own:
            return
        self.screen.go(Narrow.all(), own[-1])
        await self.press("e")
        await asyncio.sleep(max(SOURCE_SECONDS, REFUSED_SECONDS))
        writing = self.screen.writing
        if writing.editing != own[-1] or writing.begin.is_loading(own[-1]):
            return  # there is no connection
        text = f"corrected {self.name} {len(self.told)} {session.clock.monotonic():.2f}"
        await self.paste(text)
        self.corrected.append((text, self._loop.time()))
        self._edited[own[-1]] = text
        if meanwhile is not None:
            await meanwhile(own[-1])
        if (both := writing.compare_edit()) is not None:
            self.overwrote.add(both[0])
        await self.press("enter" if meanwhile is not None else self._chance.choice(ENDS_OF_EDIT))

    async def wander(self) -> None:
        """Goes to the first message and back to the last."""
        await self.go(Narrow.all())
        await self.press("g")
        await asyncio.sleep(REFUSED_SECONDS)
        await self.press("G")
        await asyncio.sleep(REFUSED_SECONDS)

    @property
    def open_place(self) -> Destination | None:
        narrow = self.screen.narrow
        is_free = self.app.screen is self.screen and not self.screen.writing.is_busy
        return narrow.destination if narrow is not None and is_free else None

    def in_boxes(self) -> list[str]:
        writers = [one.writing for one in self.screen.side.all]
        return [one.text.text for one in writers if one.editing is None and one.text.text]

    def left_over(self) -> list[str]:
        drafts = {draft.content for draft in self.session.drafts.all()}
        return [text for text in self.in_boxes() if text not in drafts]

    async def react(self, message_id: int) -> None:
        await self.go(Narrow.all())
        await self.press("+")
        await asyncio.sleep(REFUSED_SECONDS)

    async def star(self, message_id: int, is_starred: bool) -> None:
        await self.go(Narrow.all())
        await self.press("*")
        await asyncio.sleep(REFUSED_SECONDS)
        if self._chance.random() < CORRECTING:
            await self._correct()

    async def wrong(self) -> list[str]:
        self.odd += [f"{text!r} stands in compose, and is no draft" for text in self.left_over()]
        await self.go(Narrow.all())
        await self.press("G")
        await asyncio.sleep(SETTLED)
        session, screen = self.session, self.screen
        ids, feed = list(session.view(Narrow.all()).ids), screen.messages.list.feed
        listed = list(feed.ids) if feed is not None else []
        found = [] if listed == ids else [f"messages {listed} are listed, not {ids}"]
        text = screen_text(self.app.screen)
        newest = session.state.messages.get(ids[-1]) if ids else None
        words = newest.content[3:-4] if newest is not None else ""
        # In a narrow pane the text goes on in the next row, between other panes.
        if not re.search("(?: |.*\n.*)".join(map(re.escape, words.split())), text):
            found.append(f"{words!r} is not on the screen:\n{text}")
        if "● live" not in text:
            found.append(f"the screen does not say that it is live:\n{text}")
        return [*self.odd, *found, *(f"it says {told!r}" for told in self.told if DEFECT in told)]

    async def look(self, narrow: Narrow, seconds: float) -> None:
        await self.go(narrow)
        if self._chance.random() < WANDERING:
            for keys in self._chance.choices(WAYS, k=3):
                await self.press(*keys)
            await asyncio.sleep(REFUSED_SECONDS)
        await asyncio.sleep(seconds)
        await self.go(Narrow.all())
