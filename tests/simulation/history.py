"""One random history of several windows of a person on an unreliable network, and what must be true after it.

Some of the windows share a home, the others are other machines.
"""

from __future__ import annotations

import asyncio
import random as randomness
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from narrowcast_api.errors import NarrowcastError
from narrowcast_api.model.messages import Reaction
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from narrowcast_api.storage.records import OutboxState
from narrowcast_api.sync import other_windows
from narrowcast_api.sync.session import Session
from simulation.disk import SLOWEST, Home, empty_files
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.service import Service
from simulation.window import Window
from support.state_facts import differences, facts

ME, OTHER = 1, 2
WEIGHTS = {
    "write": 8,
    "draft": 4,
    "read": 4,
    "react": 2,
    "star": 2,
    "other_says": 5,
    "other_changes": 3,
    "take_back": 1,
    "retry": 1,
    "network_changes": 6,
    "queue_expires": 1,
    "kill": 2,
    "power_loss": 1,
    "quit": 1,
    "wait": 6,
}
"""Methods of `History`, and how often each is done."""
PLACES: tuple[Destination, ...] = (
    ChannelDestination(11, "soup"),
    ChannelDestination(11, "stew"),
    DirectDestination(frozenset({OTHER})),
)
WIRE_PLACES = (("stream", 11, "soup"), ("stream", 12, "stew"), ("private", (1, 2)), ("private", (1, 2, 3)))
HEALED_AFTER = 300.0
"""Seconds of a working network after which everything must have settled."""
LOOK_EVERY, LOOK_EVERY_AFTERWARDS = 1.0, 5.0
"""Seconds between two looks of a window at what others wrote, while things happen and when all should be quiet."""
FROM_NOTHING = 5
"""One history of so many begins on an empty disk, the others with the files of an account that was opened before."""
MOST_TASKS = 40
"""Tasks that an idle window may have."""


@dataclass
class Written:
    """What one window wrote, in order."""

    window: str
    home: Path
    place: Destination
    text: str
    at: float


@dataclass
class Report:
    """What a history did, for the counts in the documents."""

    seed: int
    acts: int = 0
    messages: int = 0
    faults: int = 0
    crashes: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Act:
    """One step of a plan: what is done, in which window, the seed of its own choices, and the pause after it."""

    name: str
    window: int
    seed: int
    pause: float


def plan(seed: int) -> list[Act]:
    """The acts of a seed."""
    chance = Random(seed)
    names, weights = list(WEIGHTS), list(WEIGHTS.values())
    return [
        Act(
            chance.choices(names, weights)[0],
            chance.randrange(12),
            chance.randrange(2**32),
            chance.choice((0.0, 0.0, 0.05, 0.5)),
        )
        for _ in range(chance.randrange(10, 40))
    ]


class History:
    """Acts and faults of a plan, then the checks."""

    def __init__(self, seed: int, folder: Path, loop: SimulatedLoop) -> None:
        self.chance = Random(seed)
        self.loop = loop
        self.clock = SimulatedClock(loop)
        self.service = Service(self.clock.now, self.clock.monotonic)
        self.report = Report(seed)
        homes = [Home(folder / f"home-{number}", Random(seed - number)) for number in range(2)]
        self.windows = [
            Window(f"window-{number}", ME, self.service, homes[at], loop, Random(seed + number))
            for number, at in enumerate(self.chance.choice(((0,), (0, 0), (0, 1), (0, 0, 0), (0, 0, 1))))
        ]
        self.windows.append(
            Window("other", OTHER, self.service, Home(folder / "other", Random(seed)), loop, Random(-seed))
        )
        if seed % FROM_NOTHING:
            for window in self.windows:
                window.home.begin_with(empty_files(window.account))
        self.written: list[Written] = []
        self.taken_back: list[str] = []
        self.failed: set[str] = set()
        self.left_behind: set[str] = set()
        """Not sent when their window ended: another one may send them, whose network may be worse."""
        self.may_be_lost: list[Written] = []
        """Written a moment before a crash."""
        self.kept_drafts: dict[str, str] = {}
        self._numbers = count(1)

    def text(self, kind: str) -> str:
        """Words that occur once."""
        return f"{kind} {next(self._numbers)}"

    # acts

    async def act(self, act: Act) -> None:
        """One thing that a person, another one, or the world does."""
        self.report.acts += 1
        self.chance = Random(act.seed)
        work: Callable[[Window], Awaitable[None]] = getattr(self, act.name)
        await work(self.windows[act.window % len(self.windows)])
        self._note_failed()
        await asyncio.sleep(act.pause)

    async def write(self, window: Window) -> None:
        place = self.chance.choice(PLACES if window.name != "other" else PLACES[:2])
        # Windows of one home may say the same thing twice; of two machines nobody can tell which is whose.
        again = f"again from {window.home.root.name}"
        text = again if self.chance.random() < 0.2 else self.text("words")
        with suppress(NarrowcastError):
            window.session.outbox.send(place, text)
            self.written.append(Written(window.name, window.home.root, place, text, self.loop.time()))
            self.report.messages += 1

    async def draft(self, window: Window) -> None:
        drafts = window.session.drafts
        own = [draft.draft_id for draft in drafts.all()]
        if own and self.chance.random() < 0.25:
            drafts.delete(self.chance.choice(own))
            return
        draft_id = self.chance.choice(own) if own and self.chance.random() < 0.5 else None
        drafts.save(draft_id, self.chance.choice(PLACES), self.text("draft"))

    async def read(self, window: Window) -> None:
        unread = list(window.session.state.unreads)
        window.session.read_marks.seen(self.chance.sample(unread, self.chance.randrange(len(unread) + 1)))

    def _some_message(self, window: Window) -> int | None:
        ids = list(window.session.view(Narrow.all()).ids)
        return self.chance.choice(ids[-6:]) if ids else None

    async def react(self, window: Window) -> None:
        message_id = self._some_message(window)
        if message_id is not None:
            me = window.session.state.me
            work = window.session.acts.reaction(
                message_id, Reaction("tada", "1f389", "unicode_emoji", me), True
            )
            window.session.spawn(_may_fail(work), "a reaction")

    async def star(self, window: Window) -> None:
        message_id = self._some_message(window)
        if message_id is not None:
            work = window.session.acts.flag(message_id, "starred", self.chance.random() < 0.5)
            window.session.spawn(_may_fail(work), "a star")

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
                self.taken_back.append(entry.content)

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

    async def queue_expires(self, window: Window) -> None:
        self.service.expire_queues(ME)

    async def kill(self, window: Window) -> None:
        """The process is gone; it is started again now or later."""
        self._crashes([window])
        await window.kill()
        await asyncio.sleep(self.chance.choice((0.0, 0.5, 5.0)))
        await window.start()

    async def power_loss(self, window: Window) -> None:
        """All windows of a home are gone at once."""
        together = [one for one in self.windows if one.home is window.home]
        self._crashes(together)
        for one in together:
            one.die()
        window.home.lose_power()
        for one in together:
            await one.kill()
        for one in together:
            await one.start()

    def _crashes(self, windows: Sequence[Window]) -> None:
        self.report.crashes += 1
        for window in windows:
            self._leaves_behind(window)
        names = {window.name for window in windows}
        on_its_way_to_the_disk = self.loop.time() - 2 * SLOWEST
        self.may_be_lost += [
            one for one in self.written if one.window in names and one.at > on_its_way_to_the_disk
        ]

    def _leaves_behind(self, window: Window) -> None:
        self.left_behind |= {e.content for e in window.session.outbox.entries() if not e.elsewhere}

    async def quit(self, window: Window) -> None:
        self._leaves_behind(window)
        await window.quit()
        await window.start()

    async def wait(self, window: Window) -> None:
        await asyncio.sleep(self.chance.choice((0.01, 0.3, 2.0, 15.0, 70.0)))

    # the whole

    async def run(self, acts: Sequence[Act]) -> Report:
        """The acts, then a working network, then what is wrong."""
        for window in self.windows:
            await window.start()
        for act in acts:
            await self.act(act)
        for window in self.windows:
            window.network.is_down, window.network.trouble = False, 0.0
        for _ in range(4):
            await asyncio.sleep(HEALED_AFTER / 4)
            self._note_failed()
            other_windows.LOOK_EVERY = LOOK_EVERY_AFTERWARDS
        self.check()
        self.report.faults = sum(sum(window.network.faults.values()) for window in self.windows)
        for window in self.windows:
            await window.quit()
        return self.report

    def _note_failed(self) -> None:
        for window in self.windows:
            self.failed |= {
                e.content for e in window.session.outbox.entries() if e.state is OutboxState.FAILED
            }

    def wrong(self, what: str) -> None:
        """Notes a problem."""
        self.report.problems.append(what)

    def check(self) -> None:
        """Everything that must be true now."""
        self.check_words()
        self.check_order()
        self.check_drafts()
        for window in self.windows:
            self.check_window(window)
        tasks = len(asyncio.all_tasks(self.loop))
        if tasks > MOST_TASKS * len(self.windows):
            self.wrong(f"{tasks} tasks are left")

    def check_words(self) -> None:
        said = Counter(content for _, content in self.service.sends)
        offered = {
            entry.local_id: entry for window in self.windows for entry in window.session.outbox.entries()
        }
        for entry in offered.values():
            if entry.state is not OutboxState.FAILED:
                self.wrong(f"{entry} is still {entry.state} after the network healed")
        failed = Counter(entry.content for entry in offered.values())
        taken_back = Counter(self.taken_back)
        may_be_lost = Counter(written.text for written in self.may_be_lost)
        for text, times in Counter(written.text for written in self.written).items():
            if said[text] > times:
                self.wrong(f"{text!r} was written {times} times and sent {said[text]} times")
            if said[text] + failed[text] > times:
                self.wrong(f"{text!r} was sent, and is offered as not sent")
            if said[text] + failed[text] + taken_back[text] + may_be_lost[text] < times:
                self.wrong(f"{text!r} is lost: {times} times written, {said[text]} times sent")

    def check_order(self) -> None:
        """Those that one window sent, and that never failed, are on the server in the order of their writing."""
        ids = {message.content: message.id for message in self.service.messages.values()}
        for window in self.windows:
            for place in PLACES:
                mine = [
                    ids[w.text]
                    for w in self.written
                    if (w.window, w.place) == (window.name, place)
                    and w.text in ids
                    and w.text not in self.failed | self.left_behind
                    and not w.text.startswith("again")
                ]
                if mine != sorted(mine):
                    self.wrong(f"{window.name}: the messages to {place} are out of order")

    def check_drafts(self) -> None:
        there = sorted(draft["content"] for owner, draft in self.service.drafts.values() if owner == ME)
        for window in self.windows[:-1]:
            here = sorted(draft.content for draft in window.session.drafts.all())
            if here != there:
                self.wrong(f"{window.name}: drafts {here}, on the server {there}")

    def check_window(self, window: Window) -> None:
        session = window.session
        user_id = OTHER if window.name == "other" else ME
        if not session.is_live:
            self.wrong(f"{window.name} is {session.status.kind}: {session.status.detail}")
            return
        fresh = State.from_snapshot({**self.service.register(user_id, {}, "")}, now=self.clock.now())
        mine, theirs = facts(session.state), facts(fresh)
        for of in (mine, theirs):
            of.pop("direct conversations")  # looked at below
        found = differences(mine, theirs)
        for others in fresh.directs.recent():
            # Nobody says what was the newest before one that was deleted unseen: a conversation may stand too high.
            newest, its_newest = session.state.directs.newest(others), fresh.directs.newest(others)
            if newest is None or (its_newest is not None and newest < its_newest):
                found[f"direct conversation {others}"] = (newest, its_newest)
        if found:
            self.wrong(f"{window.name}: the state differs from a fresh one: {found}")
        readable = sorted(i for i, m in self.service.messages.items() if self.service.may_read(m, user_id))
        view = session.view(Narrow.all())
        shown = list(view.ids)
        if shown != readable[-len(shown) :] or (readable and not shown) or view.gaps:
            self.wrong(f"{window.name}: the view shows {shown} with gaps {view.gaps}, there are {readable}")
        for message_id in shown:
            here, there = session.state.messages.get(message_id), self.service.messages[message_id]
            if here is None or here.content != f"<p>{there.content}</p>":
                self.wrong(f"{window.name}: message {message_id} is {here}, it should be {there}")
            elif len(here.reactions) != len(there.reactions):
                self.wrong(
                    f"{window.name}: reactions of {message_id}: {here.reactions}, not {there.reactions}"
                )
        if session.acts.waiting:
            self.wrong(f"{window.name}: {session.acts.waiting} stars and reactions never left")
        if session.read_marks.pending:
            self.wrong(f"{window.name}: read marks {session.read_marks.pending} never left")


async def _may_fail(work: object) -> None:
    """A request that may be refused or lost: then its writer is told, and nothing else happens."""
    with suppress(NarrowcastError):
        await work  # type: ignore[misc]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The library's own dice, which are not passed in, from the same seed."""
    numbers = Random(seed)
    state, token_hex = randomness.getstate(), secrets.token_hex
    look_every, other_windows.LOOK_EVERY = other_windows.LOOK_EVERY, LOOK_EVERY
    randomness.seed(seed)
    secrets.token_hex = lambda size=8: numbers.randbytes(size or 8).hex()  # type: ignore[assignment]
    try:
        yield
    finally:
        secrets.token_hex = token_hex
        other_windows.LOOK_EVERY = look_every
        randomness.setstate(state)


def run(seed: int, acts: Sequence[Act] | None = None) -> Report:
    """The history of a seed, or those of its acts that are given."""
    loop = SimulatedLoop()
    try:
        with seeded(seed), memory() as folder:
            history = History(seed, folder, loop)
            return loop.run_until_complete(history.run(plan(seed) if acts is None else acts))
    finally:
        loop.close()


@contextmanager
def memory() -> Iterator[Path]:
    """A folder in memory where the system has one: the disk is simulated."""
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder)


def shrunk(seed: int) -> list[Act]:
    """As few acts of a failing seed as still fail: larger and smaller runs of them are left out by turns."""
    acts = plan(seed)
    size = max(1, len(acts) // 2)
    while size:
        start = 0
        while start < len(acts):
            fewer = acts[:start] + acts[start + size :]
            if run(seed, fewer).problems:
                acts = fewer
            else:
                start += size
        size //= 2
    return acts
