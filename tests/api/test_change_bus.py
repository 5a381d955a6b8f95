"""Listeners of a session are notified of changes once per turn of the loop, until the session ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from narrowcast_api.protocols.change_bus import ChangeBus
from narrowcast_api.state.changes import Change, TopicsChanged, UnreadsChanged


async def test_what_changes_in_one_turn_is_told_once_and_together() -> None:
    bus, told = ChangeBus(asyncio.get_running_loop()), list[Sequence[Change]]()
    bus.subscribe(told.append)
    bus.publish(UnreadsChanged(), TopicsChanged(1))
    bus.publish(UnreadsChanged())
    await asyncio.sleep(0)
    assert told == [(UnreadsChanged(), TopicsChanged(1))]
    bus.publish(TopicsChanged(2))
    await asyncio.sleep(0)
    assert told[1:] == [(TopicsChanged(2),)]


async def test_a_session_that_has_ended_tells_nobody_of_what_comes_late() -> None:
    bus, told = ChangeBus(asyncio.get_running_loop()), list[Sequence[Change]]()
    bus.subscribe(told.append)
    bus.close()
    bus.publish(UnreadsChanged())
    await asyncio.to_thread(bus.publish_from_thread, UnreadsChanged())
    await asyncio.sleep(0)
    assert told == []
