"""How long silence on the stream of events is believed, by itself; what follows from it is in test_events_stream."""

from __future__ import annotations

from narrowcast_api.events.silence import TOLD_WITHIN, Silence
from support.clock import VirtualClock


async def test_of_what_was_done_the_first_is_waited_for() -> None:
    clock = VirtualClock()
    silence = Silence(clock)
    silence.listen(90, is_polled=True)
    silence.acted()
    await clock.advance(TOLD_WITHIN / 2)
    assert not silence.is_untold()
    silence.acted()
    await clock.advance(TOLD_WITHIN / 2)
    assert silence.is_untold()
    assert not silence.is_untold(), "it says so once"


async def test_what_is_done_while_nobody_listens_is_in_what_comes_next() -> None:
    clock = VirtualClock()
    silence = Silence(clock)
    silence.acted()
    await clock.advance(TOLD_WITHIN)
    assert not silence.is_untold()
