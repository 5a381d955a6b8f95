"""One random history of several windows of a person on an unreliable network, and what must be true after it."""

from __future__ import annotations

import asyncio
import random as randomness
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from narrowcast_api.account import Account
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.records import OutboxState
from narrowcast_api.sync.session import Session
from narrowcast_api.sync.startup_cache import load_state
from simulation.disk import SLOWEST, Disk
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.network import Network
from simulation.service import Service
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
    "crash": 1,
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
MOST_TASKS = 40
"""Tasks that an idle window may have."""


class Window:
    """One running app without its screen; it can end, crash and start again."""

    def __init__(
        self, name: str, user_id: int, service: Service, folder: Path, loop: SimulatedLoop, chance: Random
    ) -> None:
        self.name = name
        self._loop = loop
        self._clock = SimulatedClock(loop)
        self.network = Network(service, chance)
        self.disk = Disk(folder / name, loop, chance)
        self._account = Account("http://chat.example", f"user{user_id}@demo.example", Secret("key"))
        self.session: Session
        self._task: asyncio.Task[None] | None = None
        self._chance = chance

    async def start(self) -> None:
        """Open what the disk has and go live."""
        folder = self.disk.folder
        storage = AccountStorage.open(
            folder / "data",
            folder / "cache",
            self._account.site,
            self._account.email,
            executor=self.disk.writer,
        )
        state = load_state(storage.cache, self._clock)
        self.session = Session(self._account, storage, state, clock=self._clock, transport=self.network)
        self._task = asyncio.create_task(self.session.run())
        view = self.session.view(Narrow.all())
        self.session.spawn(view.open(), "the open view")

    async def quit(self) -> None:
        """End in order."""
        self.disk.hurry()
        await self.session.close()
        await self._ended()

    async def crash(self) -> None:
        """End without a word."""
        self.disk.crash()
        storage = self.session.storage
        if storage.window is not None:
            storage.window.let_go()
        await self._ended()
        with suppress(Exception):
            storage.journal.close(0.0)
        storage.cache.file.close()

    async def _ended(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@dataclass
class Written:
    """What one window wrote, in order."""

    window: str
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
        self.windows = [
            Window(f"window-{number}", ME, self.service, folder, loop, Random(seed + number))
            for number in range(self.chance.choice((1, 1, 2, 3)))
        ]
        self.windows.append(Window("other", OTHER, self.service, folder, loop, Random(-seed)))
        self.written: list[Written] = []
        self.taken_back: set[str] = set()
        self.failed: set[str] = set()
        self.may_be_lost: set[str] = set()
        """Written a moment before a crash."""
        self.kept_drafts: dict[str, str] = {}
        self._numbers = count(1)

    def text(self, kind: str) -> str:
        """Words that occur once, now and then the same ones."""
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
        text = self.text("words")
        with suppress(NarrowcastError):
            window.session.outbox.send(place, text)
            self.written.append(Written(window.name, place, text, self.loop.time()))
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
            reactions = window.session.client.reactions
            work = reactions.add(message_id=message_id, emoji_name="tada", emoji_code="1f389")
            window.session.spawn(_may_fail(work), "a reaction")

    async def star(self, window: Window) -> None:
        message_id = self._some_message(window)
        if message_id is not None:
            op = self.chance.choice(("add", "remove"))
            work = window.session.client.flags.change(message_ids=[message_id], op=op, flag="starred")
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
            entry = window.session.outbox.cancel(self.chance.choice(entries).local_id)
            if entry is not None:
                self.taken_back.add(entry.content)

    async def retry(self, window: Window) -> None:
        for entry in window.session.outbox.entries():
            if entry.state is OutboxState.FAILED:
                window.session.outbox.retry(entry.local_id)

    async def network_changes(self, window: Window) -> None:
        window.network.is_down = self.chance.random() < 0.3
        window.network.trouble = self.chance.choice((0.0, 0.1, 0.5))

    async def queue_expires(self, window: Window) -> None:
        self.service.expire_queues(ME)

    async def crash(self, window: Window) -> None:
        self.report.crashes += 1
        on_its_way_to_the_disk = self.loop.time() - 2 * SLOWEST
        self.may_be_lost |= {
            w.text for w in self.written if w.window == window.name and w.at > on_its_way_to_the_disk
        }
        await window.crash()
        await window.start()

    async def quit(self, window: Window) -> None:
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
        said = [content for _, content in self.service.sends]
        offered = {
            entry.content: entry for window in self.windows for entry in window.session.outbox.entries()
        }
        for written in self.written:
            times = said.count(written.text)
            entry = offered.get(written.text)
            if entry is not None and entry.state is not OutboxState.FAILED:
                self.wrong(f"{written} is still {entry.state} after the network healed")
            if times > 1:
                self.wrong(f"{written} was sent {times} times")
            elif times == 1 and entry is not None:
                self.wrong(f"{written} was sent, and is offered as not sent: {entry.error}")
            elif times == 0 and entry is None and written.text not in self.taken_back | self.may_be_lost:
                self.wrong(f"{written} is lost")

    def check_order(self) -> None:
        """Those that never failed are on the server in the order of their writing."""
        ids = {message.content: message.id for message in self.service.messages.values()}
        for window in self.windows:
            for place in PLACES:
                mine = [
                    ids[w.text]
                    for w in self.written
                    if w.window == window.name
                    and w.place == place
                    and w.text in ids
                    and w.text not in self.failed
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
        fresh = State.from_snapshot({**self.service._register(user_id, {}, "")}, now=self.clock.now())
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
        readable = sorted(i for i, m in self.service.messages.items() if self.service._may_read(m, user_id))
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
        if session.read_marks.pending:
            self.wrong(f"{window.name}: read marks {session.read_marks.pending} never left")


async def _may_fail(work: object) -> None:
    """A request that may be refused or lost: then its writer is told, and nothing else happens."""
    with suppress(NarrowcastError):
        await work  # type: ignore[misc]


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """The library's own dice, which are not passed in, from the same seed."""
    numbers = Random(seed)
    state, token_hex = randomness.getstate(), secrets.token_hex
    randomness.seed(seed)
    secrets.token_hex = lambda size=8: numbers.randbytes(size or 8).hex()  # type: ignore[assignment]
    try:
        yield
    finally:
        secrets.token_hex = token_hex
        randomness.setstate(state)


def run(seed: int, acts: Sequence[Act] | None = None) -> Report:
    """The history of a seed, or those of its acts that are given."""
    loop = SimulatedLoop()
    try:
        with _seeded(seed), TemporaryDirectory(dir=_memory()) as folder:
            history = History(seed, Path(folder), loop)
            return loop.run_until_complete(history.run(plan(seed) if acts is None else acts))
    finally:
        loop.close()


def _memory() -> str | None:
    """A folder in memory where the system has one: the disk is simulated."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


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
