"""Half-open connections, over which no data arrives although they are not closed."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.events.stream import PROOF_SECONDS
from narrowcast_api.http.connection import SLOW_SECONDS
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from simulation.checks import NOTICED_AFTER
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, Window

PLACE = ChannelDestination(11, "soup")


async def _seconds_until_noticed(service: Service, window: Window, *, writes: bool) -> float:
    window.network.trouble = 0.0
    await window.start()
    await asyncio.sleep(5)
    assert window.session.is_live
    window.network.go_half_open()
    service.say(3, ("stream", 11, "soup"), "said into the silence")
    if writes:
        window.session.outbox.send(PLACE, "written into the silence")
    begun = window.clock.monotonic()
    while window.session.is_live:
        await asyncio.sleep(0.1)
    noticed = window.clock.monotonic() - begun
    assert window.session.status.kind is ConnectionKind.RECONNECTING
    await asyncio.sleep(30)
    assert not window.session.is_live
    window.network.heal()
    await asyncio.sleep(60)
    assert window.session.is_live
    assert window.session.outbox.entries() == []
    texts = ["said into the silence", *(["written into the silence"] if writes else [])]
    assert sorted(message.content for message in service.messages.values()) == sorted(texts)
    assert sorted(window.session.view(Narrow.all()).ids) == sorted(service.messages)
    await window.quit()
    return noticed


@pytest.mark.parametrize("writes", [False, True], ids=["nobody writes", "somebody writes"])
def test_a_silent_connection_is_noticed_and_nothing_is_lost(writes: bool) -> None:
    loop = SimulatedLoop()
    with seeded(1), memory() as folder:
        clock = SimulatedClock(loop)
        service = Service(clock.now, clock.monotonic)
        window = Window("silent", ME, service, Home(folder, Random(1)), loop, Random(1))
        noticed = loop.run(_seconds_until_noticed(service, window, writes=writes))
    assert noticed <= (SLOW_SECONDS + PROOF_SECONDS + 1 if writes else NOTICED_AFTER)


async def _sent_after_a_cut(service: Service, window: Window) -> list[str]:
    window.network.trouble = 0.0
    await window.start()
    await asyncio.sleep(5)
    window.network.go_half_open()
    for text in ("first", "second"):
        window.session.outbox.send(PLACE, text)
    await asyncio.sleep(25)
    window.network.cut()
    await asyncio.sleep(60)
    assert window.session.outbox.entries() == []
    await window.quit()
    return [service.messages[number].content for number in sorted(service.messages)]


def test_messages_that_were_lost_before_a_silent_connection_was_cut_are_sent_again_in_order() -> None:
    loop = SimulatedLoop()
    with seeded(1), memory() as folder:
        clock = SimulatedClock(loop)
        service = Service(clock.now, clock.monotonic)
        window = Window("silent", ME, service, Home(folder, Random(1)), loop, Random(1))
        assert loop.run(_sent_after_a_cut(service, window)) == ["first", "second"]
