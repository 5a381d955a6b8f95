"""One random history: several windows of a user on an unreliable network, and the actions in them.

Some of the windows share a home directory, the others are on other machines; the last one is another user's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.records import OutboxState
from narrowcast_api.sync import journal_watcher
from narrowcast_api.sync.session import Session
from simulation.checks import deaf, problems
from simulation.disk import Home, empty_files
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.plan import Act, plan
from simulation.service import Service
from simulation.window import ME, OTHER, Window
from simulation.words import Words

PLACES: tuple[Destination, ...] = (
    ChannelDestination(11, "soup"),
    ChannelDestination(11, "stew"),
    DirectDestination(frozenset({OTHER})),
)
WIRE_PLACES = (("stream", 11, "soup"), ("stream", 12, "stew"), ("private", (1, 2)), ("private", (1, 2, 3)))
LOOK_EVERY = 1.0
"""Seconds between two checks of a window for the writes of others."""
NOBODY_KNOWS = 36.0
"""Seconds after which the author of a message is informed that its outcome is unknown."""
LONG_WAIT, LOOK_SELDOM = 5.0, 5.0
"""After this many seconds of waiting, checks are this many seconds apart."""
SETTLING = ((15.0, 2.5), (60.0, 10.0), (75.0, 15.0), (150.0, 30.0))
"""How long the network works before everything must have settled, in parts, and the seconds between two
checks in each: later parts have fewer checks.
"""
SKEWS = (0.0, 0.0, -7200.0, -75.0, 1.5, 300.0, 86_400.0)
"""Seconds by which the clock of a machine is ahead of the service's."""
FROM_NOTHING = 20
"""One in this many histories starts with an empty disk, the others with the files of an account that was
opened before.
"""


@dataclass
class Report:
    """The counts of a history, for the documentation."""

    seed: int
    acts: int = 0
    messages: int = 0
    faults: int = 0
    crashes: int = 0
    problems: list[str] = field(default_factory=list)


class History:
    """The world of a history: the actions of a plan are its methods. `kind` is the class of all windows but
    the last. `layouts`: the home directories of windows, one of which is chosen.
    """

    layouts: Sequence[Sequence[int]] = ((0,), (0, 0), (0, 1), (0, 0, 0), (0, 0, 1))

    def __init__(self, seed: int, folder: Path, loop: SimulatedLoop, kind: type[Window] = Window) -> None:
        self.chance = Random(seed)
        self.loop = loop
        self.clock = SimulatedClock(loop)
        self.service = Service(self.clock.now, self.clock.monotonic)
        self.report = Report(seed)
        homes = [
            Home(folder / f"home-{number}", Random(seed - number), Random(seed + number).choice(SKEWS))
            for number in range(1 + max(map(max, self.layouts)))
        ]
        self.windows = [
            kind(f"window-{number}", ME, self.service, homes[at], loop, Random(seed + number))
            for number, at in enumerate(self.chance.choice(self.layouts))
        ]
        self.windows.append(
            Window("other", OTHER, self.service, Home(folder / "other", Random(seed)), loop, Random(-seed))
        )
        if seed % FROM_NOTHING:
            for home, account in {window.home: window.account for window in self.windows}.items():
                home.start_with(empty_files(account))
        self.words = Words()
        self._numbers = count(1)

    @classmethod
    def plan(cls, seed: int) -> list[Act]:
        """The actions of a seed."""
        return plan(seed)

    def text(self, kind: str) -> str:
        """Returns words that occur only once."""
        return f"{kind} {next(self._numbers)}"

    # actions

    async def act(self, act: Act) -> None:
        """Runs one action of the user, of another user, or of the environment."""
        self.report.acts += 1
        self.chance = Random(act.seed)
        work: Callable[[Window], Awaitable[None]] = getattr(self, act.name)
        await work(self.windows[act.window % len(self.windows)])
        self.note()
        await asyncio.sleep(act.pause)
        self.report.problems += deaf(self.windows, self.loop.time())

    async def write(self, window: Window) -> None:
        place = self.chance.choice(_places(window))
        # Windows of one home may write the same text; of two machines, nobody could tell which text is whose.
        again = f"again from {window.home.root.name}"
        text = again if self.chance.random() < 0.2 else self.text("words")
        typed = await window.say(place, text)
        if typed.is_sent:
            self.words.says(window, place, typed, self.loop.time())
            self.report.messages += 1
        elif typed.words:
            self.words.drafts_now(window, typed, self.loop.time())

    async def draft(self, window: Window) -> None:
        await self._draft(window)
        if self.chance.random() < 0.3:  # at the same moment in another window, possibly on another machine
            await self._draft(self.chance.choice(self.windows[:-1]))

    async def _draft(self, window: Window) -> None:
        """Starts a draft, continues one, or deletes one; the newest more often than others."""
        own = {draft.draft_id: draft.content for draft in window.session.drafts.all()}
        over = self.chance.choice((*own, *list(own)[:1])) if own and self.chance.random() < 0.6 else None
        if over is not None and self.chance.random() < 0.4:
            self.words.done_with.add(own[over])
            window.session.drafts.delete(over)
            return
        text = self.text("draft")
        typed = await window.draft(self.chance.choice(_places(window)), text, over)
        self.words.drafts_now(window, typed, self.loop.time())

    async def read(self, window: Window) -> None:
        unread = list(window.session.state.unreads)
        await window.read(self.chance.sample(unread, self.chance.randrange(len(unread) + 1)))

    def _some_message(self, window: Window) -> int | None:
        view = window.session.views.peek(Narrow.all())
        ids = [] if view is None else list(view.ids)
        return self.chance.choice(ids[-6:]) if ids else None

    async def react(self, window: Window) -> None:
        message_id = self._some_message(window)
        if message_id is not None:
            await window.react(message_id)

    async def star(self, window: Window) -> None:
        message_id = self._some_message(window)
        if message_id is not None:
            await window.star(message_id, self.chance.random() < 0.5)

    async def other_says(self, window: Window) -> None:
        for _ in range(self.chance.choice((1, 1, 3))):
            self.service.say(3, self.chance.choice(WIRE_PLACES[:2] + WIRE_PLACES[3:]), self.text("said"))

    async def other_changes(self, window: Window) -> None:
        foreign = [message.id for message in self.service.messages.values() if message.sender == 3]
        if not foreign:
            return
        if self.chance.random() < 0.6:
            self.service.edit(self.chance.choice(foreign), self.text("edited"))
        else:
            self.service.delete(self.chance.choice(foreign))

    async def take_back(self, window: Window) -> None:
        entries = window.session.outbox.entries()
        if entries:
            local_id = self.chance.choice(entries).local_id
            window.session.spawn(self._take_back(window.session, local_id), "taking a message back")

    async def _take_back(self, session: Session, local_id: str) -> None:
        if await session.outbox.claim(local_id):
            entry = session.outbox.cancel(local_id)
            if entry is not None:
                self.words.taken_back.append(entry.content)

    async def retry(self, window: Window) -> None:
        for entry in window.session.outbox.entries():
            if entry.state is OutboxState.FAILED:
                window.session.spawn(self._retry(window.session, entry.local_id), "a retry")

    async def _retry(self, session: Session, local_id: str) -> None:
        await session.outbox.claim(local_id)
        session.outbox.retry(local_id)

    async def network_changes(self, window: Window) -> None:
        window.network.is_down = self.chance.random() < 0.3
        window.network.trouble = self.chance.choice((0.0, 0.1, 0.5))
        window.network.heal()

    async def half_open(self, window: Window) -> None:
        """Makes the connections half-open: no data and no error until the network changes."""
        window.network.go_half_open()

    async def lose_outcomes(self, window: Window) -> None:
        """Drops the responses about a message and a draft for so long that the author is informed of an
        unknown outcome.
        """
        window.network.lose_outcomes()
        await self.write(window)
        await self._draft(window)
        await self._pass(NOBODY_KNOWS)

    async def look(self, window: Window) -> None:
        narrow = Narrow.from_destination(self.chance.choice(_places(window)))
        await window.look(narrow, self.chance.choice((0.0, 0.5)))

    async def queue_expires(self, window: Window) -> None:
        self.service.expire_queues(ME)

    async def kill(self, window: Window) -> None:
        """Kills the process; it is started again now or later."""
        self.report.crashes += 1
        self.words.crashes([window], self.loop.time())
        await window.kill()
        await asyncio.sleep(self.chance.choice((0.0, 0.5, 5.0)))
        await window.start()

    async def power_loss(self, window: Window) -> None:
        """Kills all windows of a home at once."""
        together = [one for one in self.windows if one.home is window.home]
        self.report.crashes += 1
        self.words.crashes(together, self.loop.time())
        for one in together:
            one.die()
        window.home.lose_power()
        for one in together:
            await one.kill()
        for one in together:
            await one.start()

    async def quit(self, window: Window) -> None:
        self.words.ends(window)
        await window.quit()
        await window.start()

    async def wait(self, window: Window) -> None:
        await self._pass(self.chance.choice((0.01, 0.3, 2.0, 15.0, 70.0)))

    async def _pass(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, LONG_WAIT))
        if seconds > LONG_WAIT:  # everything that earlier actions started is known everywhere
            journal_watcher.LOOK_EVERY = LOOK_SELDOM
            await asyncio.sleep(seconds - LONG_WAIT)
            journal_watcher.LOOK_EVERY = LOOK_EVERY

    def note(self) -> None:
        """Records what users wrote."""
        self.words.note(self.windows)

    def problems(self) -> list[str]:
        """Lists what must not be at the end."""
        return list(problems(self.words, self.windows, self.service))

    # the whole history

    async def run(self, acts: Sequence[Act]) -> Report:
        """Runs the actions, then a working network, and returns the problems."""
        for window in self.windows:
            await window.start()
        for act in acts:
            await self.act(act)
        for window in self.windows:
            window.network.is_down, window.network.trouble = False, 0.0
            window.network.heal()
        for seconds, journal_watcher.LOOK_EVERY in SETTLING:
            await asyncio.sleep(seconds)
            self.note()
        for window in self.windows:  # all windows check once more for new messages
            for narrow in (*window.seen, Narrow.all()):
                await window.session.view(narrow).open()
        self.report.problems += self.problems()
        for window in self.windows:
            self.report.problems += [f"{window.name}: {what}" for what in await window.wrong()]
        self.report.faults = sum(sum(window.network.faults.values()) for window in self.windows)
        for window in self.windows:
            await window.kill()  # a clean quit is one of the actions
        return self.report


def _places(window: Window) -> tuple[Destination, ...]:
    """The destinations of a user; a direct conversation is named by its other members."""
    return PLACES if window.user_id != OTHER else PLACES[:2]
