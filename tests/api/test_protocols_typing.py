"""Typing notifications that the client sends: every transition, with a clock that the test owns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from narrowcast_api.errors import BadRequest, NotConnected
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.protocols.requests import RouteRequests
from narrowcast_api.protocols.typing import MessageEdit, TypingOp, TypingPeriods, TypingSender, TypingTarget
from narrowcast_api.state.state import State
from support.clock import VirtualClock
from support.ledger import proves
from support.live import ADA, BRUNO, GENERAL, channel_message, make_state

LUNCH = ChannelDestination(7, "lunch")
TEA = ChannelDestination(7, "tea")
WITH_BRUNO = DirectDestination(frozenset({12}))


class Bench:
    """A sender, its clock, and what it sent."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.said: list[tuple[TypingTarget, TypingOp]] = []
        self.periods = TypingPeriods(10.0, 5.0)
        self.allowed: Callable[[TypingTarget], bool] = lambda target: True
        self.error: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.sender = TypingSender(
            send=self.send,
            clock=self.clock,
            periods=lambda: self.periods,
            allowed=lambda target: self.allowed(target),
        )

    async def send(self, target: TypingTarget, op: TypingOp) -> None:
        if self.gate is not None:
            await self.gate.wait()
        self.said.append((target, op))
        if self.error is not None:
            raise self.error

    async def keys(self, target: ChannelDestination | DirectDestination, seconds: float) -> None:
        """Presses a key every half second."""
        for _ in range(round(seconds * 2)):
            self.sender.typed(target)
            await self.clock.advance(0.5)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with running() as made:
        yield made


@asynccontextmanager
async def running() -> AsyncIterator[Bench]:
    made = Bench()
    task = asyncio.create_task(made.sender.run())
    yield made
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@proves("TYP-21")
async def test_the_first_key_says_start_once(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start")]
    assert bench.sender.target == LUNCH


@proves("TYP-22")
async def test_who_keeps_typing_says_start_again_at_the_interval_of_the_server(bench: Bench) -> None:
    await bench.keys(LUNCH, 30.5)
    assert bench.said == [(LUNCH, "start")] * 4, "at 0, 10, 20 and 30 seconds"


@proves("TYP-23")
async def test_a_pause_says_stop_once(bench: Bench) -> None:
    await bench.keys(LUNCH, 2)
    await bench.clock.advance(4.4)
    assert bench.said == [(LUNCH, "start")]
    await bench.clock.advance(0.2)
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]
    await bench.clock.advance(100)
    assert len(bench.said) == 2


async def test_every_key_puts_the_stop_off(bench: Bench) -> None:
    for _ in range(5):
        bench.sender.typed(LUNCH)
        await bench.clock.advance(4.9)
    assert ("stop" in [op for _, op in bench.said]) is False


async def test_after_a_stop_the_next_key_says_start_at_once(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.advance(6)
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    assert [op for _, op in bench.said] == ["start", "stop", "start"]


@proves("TYP-24")
async def test_leaving_says_stop_only_after_a_start(bench: Bench) -> None:
    bench.sender.stop()
    await bench.clock.settle()
    assert bench.said == []
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.sender.stop()
    bench.sender.stop()
    await bench.clock.advance(100)
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]


async def test_another_conversation_stops_the_old_one_first(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.sender.typed(WITH_BRUNO)
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop"), (WITH_BRUNO, "start")]


async def test_a_topic_spelled_otherwise_is_the_same_conversation(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    bench.sender.typed(ChannelDestination(7, "LUNCH"))
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start")]


@proves("TYP-25")
async def test_periods_of_a_new_registration_count_at_once(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.periods = TypingPeriods(30.0, 12.0)
    bench.sender.typed(LUNCH)
    await bench.clock.advance(11.9)
    assert bench.said == [(LUNCH, "start")]
    await bench.clock.advance(0.2)
    assert [op for _, op in bench.said] == ["start", "stop"]


async def test_no_typing_notification_is_sent_where_the_settings_forbid_it(bench: Bench) -> None:
    bench.allowed = lambda target: target == LUNCH
    bench.sender.typed(TEA)
    await bench.clock.settle()
    assert bench.said == []
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.sender.typed(TEA)
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]


async def test_turning_the_setting_off_while_typing_says_stop(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.allowed = lambda target: False
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]


@proves("TYP-19")
@pytest.mark.parametrize("error", [NotConnected("down"), BadRequest("BAD_REQUEST", "no")])
async def test_a_failure_is_silent_and_typing_goes_on(bench: Bench, error: Exception) -> None:
    bench.error = error
    bench.sender.typed(LUNCH)
    await bench.clock.advance(6)
    bench.error = None
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    assert [op for _, op in bench.said] == ["start", "stop", "start"]


async def test_a_stop_never_overtakes_its_start_on_a_slow_network(bench: Bench) -> None:
    bench.gate = asyncio.Event()
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.sender.stop()
    bench.sender.typed(TEA)
    bench.sender.stop()
    await bench.clock.settle()
    bench.gate.set()
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")], "a start that never left needs no stop"


async def test_editing_a_message_is_told_apart_from_writing_one(bench: Bench) -> None:
    bench.sender.typed_edit(55)
    await bench.clock.settle()
    bench.sender.typed_edit(56)
    await bench.clock.advance(6)
    one, two = MessageEdit(55), MessageEdit(56)
    assert bench.said == [(one, "start"), (one, "stop"), (two, "start"), (two, "stop")]


async def test_closing_says_the_last_stop(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    await bench.sender.close()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]


# where typing may be shown to others


def allowed(state: State, target: TypingTarget) -> bool:
    return RouteRequests(client=NotImplemented, state=lambda: state).typing_allowed(target)


SOUP = ChannelDestination(GENERAL, "soup")
BRUNO_AND_ME = DirectDestination(frozenset({BRUNO}))


@pytest.mark.parametrize(
    ("setting", "channel", "direct"),
    [("send_stream_typing_notifications", False, True), ("send_private_typing_notifications", True, False)],
)
def test_the_privacy_settings_of_the_user_are_honoured(setting: str, channel: bool, direct: bool) -> None:
    state = make_state(user_settings={setting: False})
    assert (allowed(state, SOUP), allowed(state, BRUNO_AND_ME)) == (channel, direct)


@proves("TYP-12", "TYP-28", "TYP-31")
@pytest.mark.parametrize(("level", "channel"), [(214, False), (215, True)])
def test_below_level_215_no_typing_notification_is_sent_in_channels(level: int, channel: bool) -> None:
    state = make_state(zulip_feature_level=level)
    assert allowed(state, SOUP) is channel
    assert allowed(state, BRUNO_AND_ME)


def test_no_typing_notification_is_sent_without_recipients_or_a_required_topic() -> None:
    nameless = ChannelDestination(GENERAL, "")
    assert not allowed(make_state(), DirectDestination(frozenset()))
    assert allowed(make_state(), nameless)
    assert not allowed(make_state(realm_mandatory_topics=True), nameless)
    assert not allowed(make_state(zulip_feature_level=333), nameless)
    assert not allowed(make_state(), ChannelDestination(99999, "unknown channel"))


def test_editing_follows_the_place_of_the_message_and_the_level() -> None:
    from narrowcast_api.model.messages import read_message

    def state_with_message(**fields: object) -> State:
        state = make_state(**fields)
        row = channel_message(55, channel_id=GENERAL, sender=ADA)
        state.add_messages([read_message(row)])
        return state

    assert allowed(state_with_message(), MessageEdit(55))
    assert not allowed(state_with_message(zulip_feature_level=360), MessageEdit(55))
    quiet = {"send_stream_typing_notifications": False}
    assert not allowed(state_with_message(user_settings=quiet), MessageEdit(55))
    assert not allowed(make_state(), MessageEdit(56)), "a message that is not known"
