"""A window is killed at every point of an action on a message: around each write of its journal and around
its request.

An action in the journal is carried out once another window of the account is open, and not repeatedly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from simulation.stored import Stored
from simulation.striking import Scene, play
from simulation.window import ME, Window

Act = Callable[[Window, int], Awaitable[None]]
Done = Callable[[Stored], bool]


def _star(window: Window, message_id: int) -> Awaitable[None]:
    return window.star(message_id, True)


def _is_starred(message: Stored) -> bool:
    return "starred" in message.flags.get(ME, set())


def _react(window: Window, message_id: int) -> Awaitable[None]:
    return window.react(message_id)


def _has_reaction(message: Stored) -> bool:
    return len(message.reactions) == 1


async def _read(window: Window, message_id: int) -> None:
    """Offline at first: actions that reach the server at once are not written to the journal."""
    window.network.is_down = True
    await window.read([message_id])
    await asyncio.sleep(10)
    window.network.is_down = False


def _is_read(message: Stored) -> bool:
    return "read" in message.flags.get(ME, set())


async def _done(scene: Scene, act: Act, is_done: Done) -> tuple[bool, list[str]]:
    """Returns whether it was carried out in the end, and the points that were reached."""
    await scene.open()
    message_id = scene.service.say(3, ("stream", 11, "soup"), "said")
    await asyncio.sleep(5)
    scene.victim.journal_writer.hurry = True
    scene.begin("/messages")
    await act(scene.victim, message_id)
    await asyncio.sleep(30)
    await scene.end()
    session = scene.other.session
    assert not session.message_actions.waiting, scene.where
    assert not session.read_marks.pending, scene.where
    asked = scene.other.network.requests
    await asyncio.sleep(30)
    assert scene.other.network.requests - asked <= 2, scene.where
    await scene.other.quit()
    return is_done(scene.service.messages[message_id]), scene.points


@pytest.mark.parametrize(
    ("act", "is_done"),
    [(_star, _is_starred), (_react, _has_reaction), (_read, _is_read)],
    ids=["star", "reaction", "read"],
)
@pytest.mark.parametrize("beside", [True, False], ids=["another window is open", "one is opened later"])
def test_what_was_written_down_is_done_wherever_its_window_was_killed(
    beside: bool, act: Act, is_done: Done
) -> None:
    async def done(scene: Scene) -> tuple[bool, list[str]]:
        return await _done(scene, act, is_done)

    was_done, points = play(done, 0, beside=beside)
    assert was_done
    assert set(points) >= {"before a write", "after a write"}  # another window may send what it reads there
    for fatal in range(1, len(points) + 1):
        was_done, reached = play(done, fatal, beside=beside)
        assert was_done or "after a write" not in reached, f"killed {reached[-1]}, point {fatal} of {points}"
