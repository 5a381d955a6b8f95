"""Typing notifications that the client sends: every transition, with a clock that the test owns."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.errors import BadRequest
from narrowcast_api.model.messages import read_message
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.protocols.typing import MessageEdit, TypingOp, TypingSender, TypingTarget
from support.contexts import make_context
from support.ledger import proves
from support.live import ADA, BRUNO, GENERAL, channel_message, make_state
from support.scripted import SentRequest

LUNCH = ChannelDestination(GENERAL, "lunch")
TEA = ChannelDestination(GENERAL, "tea")
WITH_BRUNO = DirectDestination(frozenset({BRUNO}))


def periods(started_wait: float, stopped_wait: float) -> dict[str, object]:
    """The fields of a snapshot with these seconds."""
    return {
        "server_typing_started_wait_period_milliseconds": round(started_wait * 1000),
        "server_typing_stopped_wait_period_milliseconds": round(stopped_wait * 1000),
    }


PERIODS = periods(10, 5)


Said = list[tuple[TypingTarget, TypingOp]]


class Bench:
    """A sender, its clock, and what it sent."""

    def __init__(self, folder: Path, **snapshot: object) -> None:
        self.context = make_context(folder, **{**PERIODS, **snapshot})
        self.clock = self.context.time
        self.answers = self.context.answers
        self.sender = TypingSender(self.context)

    @property
    def said(self) -> Said:
        return [told(request) for request in self.answers.requests]

    async def keys(self, target: ChannelDestination | DirectDestination, seconds: float) -> None:
        """Presses a key every half second."""
        for _ in range(round(seconds * 2)):
            self.sender.typed(target)
            await self.clock.advance(0.5)


def told(request: SentRequest) -> tuple[TypingTarget, TypingOp]:
    """What a request tells the server."""
    op: TypingOp = "start" if request.params["op"] == "start" else "stop"
    if edited := re.fullmatch(r"/api/v1/messages/(\d+)/typing", request.path):
        return MessageEdit(int(edited[1])), op
    assert request.path == "/api/v1/typing"
    if request.params["type"] in ("direct", "private"):
        return DirectDestination(frozenset(json.loads(request.params["to"])) - {ADA}), op
    channel_id = request.params.get("stream_id") or request.params["to"].strip("[]")
    return ChannelDestination(int(channel_id), request.params["topic"]), op


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with running(tmp_path) as made:
        yield made


@asynccontextmanager
async def running(folder: Path, **snapshot: object) -> AsyncIterator[Bench]:
    made = Bench(folder, **snapshot)
    task = asyncio.create_task(made.sender.run())
    yield made
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await made.context.close()


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
    bench.sender.typed(ChannelDestination(GENERAL, "LUNCH"))
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start")]


@proves("TYP-25")
async def test_periods_of_a_new_registration_count_at_once(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.context.state = make_state(**periods(30, 12))
    bench.sender.typed(LUNCH)
    await bench.clock.advance(11.9)
    assert bench.said == [(LUNCH, "start")]
    await bench.clock.advance(0.2)
    assert [op for _, op in bench.said] == ["start", "stop"]


async def test_no_typing_notification_is_sent_where_the_settings_forbid_it(bench: Bench) -> None:
    bench.context.state = make_state(user_settings={"send_private_typing_notifications": False})
    bench.sender.typed(WITH_BRUNO)
    await bench.clock.settle()
    assert bench.said == []
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.sender.typed(WITH_BRUNO)
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]


async def test_turning_the_setting_off_while_typing_says_stop(bench: Bench) -> None:
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.context.state = make_state(user_settings={"send_stream_typing_notifications": False})
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")]


@proves("TYP-19")
@pytest.mark.parametrize("error", [httpx2.ConnectError("down"), BadRequest("BAD_REQUEST", "no")])
async def test_a_failure_is_silent_and_typing_goes_on(
    bench: Bench, error: httpx2.ConnectError | BadRequest
) -> None:
    bench.answers.problem = error
    bench.sender.typed(LUNCH)
    await bench.clock.advance(6)
    bench.answers.problem = None
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    assert [op for _, op in bench.said] == ["start", "stop", "start"]


async def test_a_stop_never_overtakes_its_start_on_a_slow_network(bench: Bench) -> None:
    gate = bench.answers.gate = asyncio.Event()
    bench.sender.typed(LUNCH)
    await bench.clock.settle()
    bench.sender.stop()
    bench.sender.typed(TEA)
    bench.sender.stop()
    await bench.clock.settle()
    gate.set()
    await bench.clock.settle()
    assert bench.said == [(LUNCH, "start"), (LUNCH, "stop")], "a start that never left needs no stop"


async def test_editing_a_message_is_told_apart_from_writing_one(bench: Bench) -> None:
    bench.context.state.add_messages([read_message(channel_message(number)) for number in (55, 56)])
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


async def test_without_a_connection_nothing_is_said(bench: Bench) -> None:
    bench.context.online = False
    bench.sender.typed(LUNCH)
    await bench.clock.advance(20)
    assert bench.said == []


# where typing may be shown to others


async def is_told(folder: Path, target: TypingTarget, **snapshot: object) -> bool:
    """Whether the server is told that Ada types there."""
    async with running(folder, **snapshot) as bench:
        bench.context.state.add_messages([read_message(channel_message(55, sender=ADA))])
        if isinstance(target, MessageEdit):
            bench.sender.typed_edit(target.message_id)
        else:
            bench.sender.typed(target)
        await bench.clock.settle()
        return bool(bench.said)


SOUP = ChannelDestination(GENERAL, "soup")


@pytest.mark.parametrize(
    ("setting", "channel", "direct"),
    [("send_stream_typing_notifications", False, True), ("send_private_typing_notifications", True, False)],
)
async def test_the_privacy_settings_of_the_user_are_honoured(
    tmp_path: Path, setting: str, channel: bool, direct: bool
) -> None:
    settings = {setting: False}
    assert await is_told(tmp_path, SOUP, user_settings=settings) is channel
    assert await is_told(tmp_path, WITH_BRUNO, user_settings=settings) is direct


@proves("TYP-12", "TYP-28", "TYP-31")
@pytest.mark.parametrize(("level", "channel"), [(57, False), (58, True), (214, True), (215, True)])
async def test_below_level_58_no_typing_notification_is_sent_in_channels(
    tmp_path: Path, level: int, channel: bool
) -> None:
    assert await is_told(tmp_path, SOUP, zulip_feature_level=level) is channel
    assert await is_told(tmp_path, WITH_BRUNO, zulip_feature_level=level)


async def test_no_typing_notification_is_sent_without_recipients_or_a_required_topic(tmp_path: Path) -> None:
    nameless = ChannelDestination(GENERAL, "")
    assert not await is_told(tmp_path, DirectDestination(frozenset()))
    assert await is_told(tmp_path, nameless)
    assert not await is_told(tmp_path, nameless, realm_mandatory_topics=True)
    assert not await is_told(tmp_path, nameless, zulip_feature_level=333)
    assert not await is_told(tmp_path, ChannelDestination(99999, "unknown channel"))


async def test_editing_follows_the_place_of_the_message_and_the_level(tmp_path: Path) -> None:
    quiet = {"send_stream_typing_notifications": False}
    assert await is_told(tmp_path, MessageEdit(55))
    assert not await is_told(tmp_path, MessageEdit(55), zulip_feature_level=360)
    assert not await is_told(tmp_path, MessageEdit(55), user_settings=quiet)
    assert not await is_told(tmp_path, MessageEdit(56)), "a message that is not known"
