"""A window is killed at every point of a send: around each write of its journal and around its request.

Another window of the account, which is already open or opened later, must find the text: on the server, or
offered as unsent; and never twice.
"""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.http.exchange import PreparedRequest, RawResponse
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.records import OutboxState
from simulation.striking import AROUND, Scene, play
from simulation.window import ME, OTHER, Window

PLACE = ChannelDestination(11, "soup")
JUST_WRITTEN, HAD_WAITED, NOBODY_CAN_TELL = "just written", "had waited", "nobody can tell"

Outcome = tuple[int, int, list[str]]


def nobody_can_tell(window: Window) -> None:
    """From now on each response to a message, and to a search for one, is lost, and no event arrives."""
    carry = window.session.client.connection.exchange

    async def mute(request: PreparedRequest) -> RawResponse:
        if request.path == "/events":
            await asyncio.get_running_loop().create_future()
        response = await carry(request)
        return RawResponse(502, {}, b"bad gateway") if request.path == "/messages" else response

    window.session.client.connection.exchange = mute


async def _sent_and_offered(scene: Scene, how: str) -> Outcome:
    """Returns how often the text was sent and is offered, and the points that were reached. Text that was
    queued offline is in the journal already, on a disk that is slower than the network.
    """
    victim, service = scene.victim, scene.service
    await scene.open()
    if how == HAD_WAITED:
        victim.network.is_down = True
        service.expire_queues(ME)
        await asyncio.sleep(1)
        victim.session.outbox.send(PLACE, "last words")
        await asyncio.sleep(1)
        victim.journal_writer.fastest = victim.journal_writer.slowest = 2.0
        scene.begin("/messages")
        victim.network.is_down = False
        await asyncio.sleep(30)
    else:
        victim.journal_writer.hurry = True  # or some writes would be combined
        if how == NOBODY_CAN_TELL:
            nobody_can_tell(victim)
            service.say(OTHER, ("stream", 11, "soup"), "what ends the poll that is under way")
            await asyncio.sleep(1)
        scene.begin("/messages")
        victim.session.outbox.send(PLACE, "last words")
        await asyncio.sleep(45 if how == NOBODY_CAN_TELL else 0.8)
    await scene.end()
    entries = scene.other.session.outbox.entries()
    assert all(entry.state is OutboxState.FAILED for entry in entries), entries
    await scene.other.quit()
    sends = [content for _, content in service.sends]
    return sends.count("last words"), len(entries), scene.points


def killed_at(fatal: int, *, beside: bool, how: str) -> Outcome:
    return play(lambda scene: _sent_and_offered(scene, how), fatal, beside=beside)


@pytest.mark.parametrize("how", [JUST_WRITTEN, HAD_WAITED, NOBODY_CAN_TELL])
@pytest.mark.parametrize("beside", [True, False], ids=["another window is open", "one is opened later"])
def test_words_are_there_once_wherever_their_window_was_killed(beside: bool, how: str) -> None:
    *counts, points = killed_at(0, beside=beside, how=how)
    assert counts == [1, 0]
    assert set(points) >= AROUND
    assert len(points) >= 6, points
    for fatal in range(1, len(points) + 1):
        sent, offered, reached = killed_at(fatal, beside=beside, how=how)
        where = f"killed {reached[-1]}, point {fatal} of {points}"
        if fatal == 1 and how != HAD_WAITED:  # the user had not been promised anything yet
            assert sent + offered <= 1, where
        else:
            assert sent + offered == 1, where
        if "after the request" in reached:
            assert sent == 1, where
