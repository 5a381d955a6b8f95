"""A window is killed at every point of a send and of a draft: around each write of its journal and its requests.

Another window of the account, which is open or comes later, must find the words: on the server, or offered as not
sent, or as a draft; and never twice.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from narrowcast_api.http.exchange import Answer, Question
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.records import OutboxState
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, OTHER, Window

PLACE = ChannelDestination(11, "soup")


class Strikes:
    """Kills a window at its point number `fatal`, counted from `begin`."""

    def __init__(self, window: Window, fatal: int, path: str) -> None:
        """Of the requests, those that change what is at `path` or below it count."""
        self._window = window
        self._fatal = fatal
        self._path = path
        self.points: list[str] = []

    @property
    def has_struck(self) -> bool:
        return 0 < self._fatal <= len(self.points)

    def begin(self) -> None:
        """Count from now on."""
        writer, network = self._window.journal_writer, self._window.network
        writer.before = lambda: self._reached("before a write")
        writer.after = lambda: self._reached("after a write")
        network.before = lambda question: self._request("before", question)
        network.after = lambda question: self._request("after", question)

    def _request(self, when: str, question: Question) -> None:
        below = f"{question.path}/".startswith(f"{self._path}/")
        if question.method != "GET" and below and not question.path.endswith("/flags"):
            self._reached(f"{when} the request")

    def _reached(self, point: str) -> None:
        self.points.append(point)
        if len(self.points) == self._fatal:
            self._window.die()


JUST_WRITTEN, HAD_WAITED, NOBODY_CAN_TELL = "just written", "had waited", "nobody can tell"

Outcome = tuple[int, int, list[str]]


def nobody_can_tell(window: Window) -> None:
    """From now on each answer to a message, and to a look for one, is lost, and no event comes."""
    carry = window.session.client.connection.exchange

    async def mute(question: Question) -> Answer:
        if question.path == "/events":
            await asyncio.get_running_loop().create_future()
        answer = await carry(question)
        return Answer(502, {}, b"bad gateway") if question.path == "/messages" else answer

    window.session.client.connection.exchange = mute


async def _sent_and_offered(
    folder: Path, loop: SimulatedLoop, fatal: int, *, beside: bool, how: str
) -> Outcome:
    """How often the words were sent and are offered, and the points that were reached. Words that had waited for the
    connection are in the journal already, on a disk that is slower than the network.
    """
    clock = SimulatedClock(loop)
    service = Service(clock.now, clock.monotonic)
    home = Home(folder, Random(1))
    victim, other = (Window(name, ME, service, home, loop, Random(2)) for name in ("victim", "other"))
    victim.network.trouble = other.network.trouble = 0.0
    await victim.start()
    if beside:
        await other.start()
    await asyncio.sleep(5)
    strikes = Strikes(victim, fatal, "/messages")
    if how == HAD_WAITED:
        victim.network.is_down = True
        service.expire_queues(ME)
        await asyncio.sleep(1)
        victim.session.outbox.send(PLACE, "last words")
        await asyncio.sleep(1)
        victim.journal_writer.fastest = victim.journal_writer.slowest = 2.0
        strikes.begin()
        victim.network.is_down = False
        await asyncio.sleep(30)
    else:
        victim.journal_writer.hurry = True  # or some writes would be made together
        if how == NOBODY_CAN_TELL:
            nobody_can_tell(victim)
            service.say(OTHER, ("stream", 11, "soup"), "what ends the poll that is under way")
            await asyncio.sleep(1)
        strikes.begin()
        victim.session.outbox.send(PLACE, "last words")
        await asyncio.sleep(45 if how == NOBODY_CAN_TELL else 0.8)
    await victim.kill()
    if not beside:
        await other.start()
    await asyncio.sleep(120)
    entries = other.session.outbox.entries()
    assert all(entry.state is OutboxState.FAILED for entry in entries), entries
    await other.quit()
    sends = [content for _, content in service.sends]
    return sends.count("last words"), len(entries), strikes.points


def killed_at(fatal: int, *, beside: bool, how: str) -> Outcome:
    loop = SimulatedLoop()
    with seeded(7), memory() as folder:
        return loop.run(_sent_and_offered(folder, loop, fatal, beside=beside, how=how))


@pytest.mark.parametrize("how", [JUST_WRITTEN, HAD_WAITED, NOBODY_CAN_TELL])
@pytest.mark.parametrize("beside", [True, False], ids=["another window is open", "one is opened later"])
def test_words_are_there_once_wherever_their_window_was_killed(beside: bool, how: str) -> None:
    *counts, points = killed_at(0, beside=beside, how=how)
    assert counts == [1, 0]
    assert {"before a write", "after a write", "before the request", "after the request"} <= set(points)
    assert len(points) >= 6, points
    for fatal in range(1, len(points) + 1):
        sent, offered, reached = killed_at(fatal, beside=beside, how=how)
        where = f"killed {reached[-1]}, point {fatal} of {points}"
        if fatal == 1 and how != HAD_WAITED:  # nothing had been promised yet
            assert sent + offered <= 1, where
        else:
            assert sent + offered == 1, where
        if "after the request" in reached:
            assert sent == 1, where


VERSIONS = ("first words", "first words, and more", "first words, and more, and all")

Drafts = tuple[list[str], int, list[str]]


async def _drafts(folder: Path, loop: SimulatedLoop, fatal: int, *, beside: bool) -> Drafts:
    """The drafts of another window, which are those of the service; how many versions had 5 s before the kill; and the
    points that were reached.
    """
    clock = SimulatedClock(loop)
    service = Service(clock.now, clock.monotonic)
    home = Home(folder, Random(1))
    victim, other = (Window(name, ME, service, home, loop, Random(2)) for name in ("victim", "other"))
    victim.network.trouble = other.network.trouble = 0.0
    await victim.start()
    if beside:
        await other.start()
    await asyncio.sleep(5)
    victim.journal_writer.hurry = True
    strikes = Strikes(victim, fatal, "/drafts")
    strikes.begin()
    draft_id, kept = None, 0
    for text in VERSIONS:
        draft_id = victim.session.drafts.save(draft_id, PLACE, text)
        await asyncio.sleep(5)
        kept += not strikes.has_struck
    await victim.kill()
    if not beside:
        await other.start()
    await asyncio.sleep(120)
    here = [draft.content for draft in other.session.drafts.all()]
    await other.quit()
    there = [draft["content"] for _, draft in service.drafts.values()]
    assert here == there, f"killed {strikes.points[-1]}, point {fatal}"
    return here, kept, strikes.points


def drafts_killed_at(fatal: int, *, beside: bool) -> Drafts:
    loop = SimulatedLoop()
    with seeded(7), memory() as folder:
        return loop.run(_drafts(folder, loop, fatal, beside=beside))


@pytest.mark.parametrize("beside", [True, False], ids=["another window is open", "one is opened later"])
def test_a_draft_is_there_once_wherever_its_window_was_killed(beside: bool) -> None:
    drafts, _, points = drafts_killed_at(0, beside=beside)
    assert drafts == [VERSIONS[-1]]
    assert {"before a write", "after a write", "before the request", "after the request"} <= set(points)
    for fatal in range(1, len(points) + 1):
        drafts, kept, reached = drafts_killed_at(fatal, beside=beside)
        where = f"killed {reached[-1]}, point {fatal} of {points}"
        at_least = VERSIONS[max(kept - 1, 0) :]
        assert drafts in [[text] for text in at_least] or (drafts == [] and reached == ["before a write"]), (
            where
        )
