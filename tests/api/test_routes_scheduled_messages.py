"""Scheduled messages: what an edit sends at each level, and what it rejects before sending."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, StreamDoesNotExist, Unsupported
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.resources.scheduled_messages import ScheduledMessageId
from narrowcast_api.server_info import RequestLimits
from narrowcast_api.wire.vocabulary import MessageType
from support.api import boundary_levels, scripted_client
from support.clock import VirtualClock
from support.ledger import proves

PATH = "/api/v1/scheduled_messages/6"
NOW = 1_800_000_000


async def _sent(level: int = 442, *, limits: RequestLimits | None = None, **edit: Any) -> dict[str, str]:
    """The parameters that an edit sends."""
    async with scripted_client(level, limits=limits, clock=VirtualClock(NOW)) as (client, transport):
        transport.prepare("PATCH", PATH)
        await client.scheduled_messages.edit(scheduled_message_id=6, **edit)
        return dict(transport.last.params)


async def _refused(level: int = 442, *, limits: RequestLimits | None = None, **edit: Any) -> str:
    """The error with which an edit is rejected before anything is sent."""
    async with scripted_client(level, limits=limits, clock=VirtualClock(NOW)) as (client, transport):
        with pytest.raises(InvalidInput) as refusal:
            await client.scheduled_messages.edit(scheduled_message_id=6, **edit)
        assert transport.requests == []
        return refusal.value.user_message


@proves("SCH-01", "SCH-03", "SCH-09", "SCH-20")
async def test_only_what_is_given_is_sent() -> None:
    assert await _sent(content="new words") == {"content": "new words"}
    assert await _sent(topic="tides") == {"topic": "tides"}
    assert await _sent(scheduled_delivery_timestamp=NOW + 60) == {
        "scheduled_delivery_timestamp": str(NOW + 60)
    }


@proves("SCH-02")
async def test_below_184_an_edit_is_refused_and_names_the_level() -> None:
    async with scripted_client(183) as (client, transport):
        with pytest.raises(Unsupported) as refusal:
            await client.scheduled_messages.edit(scheduled_message_id=6, content="x")
        assert (refusal.value.needs, refusal.value.has) == (184, 183)
        assert transport.requests == []


@proves("SCH-25", "SCH-06")
@pytest.mark.parametrize(
    ("level", "word"), [(184, "stream"), (247, "stream"), (248, "channel"), (442, "channel")]
)
@pytest.mark.parametrize("given", ["channel", "stream", MessageType.CHANNEL])
async def test_a_channel_is_called_by_the_word_of_the_level(level: int, word: str, given: str) -> None:
    assert await _sent(level, type=given, to=11, topic="tides") == {
        "type": word,
        "to": "11",
        "topic": "tides",
    }


@proves("SCH-05", "SCH-07", "SCH-12")
@pytest.mark.parametrize("given", ["direct", "private"])
async def test_direct_messages_go_to_a_list_by_the_word_direct_and_without_topic(given: str) -> None:
    assert await _sent(type=given, to=[7, 9], topic="ignored") == {"type": "direct", "to": "[7,9]"}
    assert await _sent(to=[7, 9], topic="ignored") == {"to": "[7,9]"}


async def test_a_topic_left_out_is_told() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", PATH)
        done = await client.scheduled_messages.edit(
            scheduled_message_id=6, type="direct", to=[7], topic="ignored"
        )
        assert done.notices == ("topic was not sent: direct messages have none",)


@proves("SCH-04")
async def test_other_types_are_refused() -> None:
    assert "type must be" in await _refused(type="foo", to=1)
    assert {kind.value for kind in MessageType} == {"direct", "channel", "stream", "private"}


@proves("SCH-08")
async def test_a_new_type_needs_recipients() -> None:
    assert "recipients" in await _refused(type="direct")
    assert "recipients" in await _refused(type="channel", topic="tides")


@proves("SCH-11", "SCH-14")
@pytest.mark.parametrize("topic", [None, "", "(no topic)", "the open sea"])
async def test_a_message_moved_to_a_channel_needs_a_real_topic(topic: str | None) -> None:
    given: dict[str, Any] = {} if topic is None else {"topic": topic}
    limits = RequestLimits(empty_topic_name="the open sea")
    assert "needs a topic" in await _refused(limits=limits, type="channel", to=11, **given)


async def test_without_a_new_type_the_empty_topic_is_allowed_from_334() -> None:
    assert await _sent(334, topic="") == {"topic": ""}
    async with scripted_client(333) as (client, _):
        with pytest.raises(Unsupported):
            await client.scheduled_messages.edit(scheduled_message_id=6, topic="")


async def test_recipients_of_the_wrong_shape_are_refused() -> None:
    assert "list of people" in await _refused(type="direct", to=11)
    assert "one channel" in await _refused(type="channel", to=[11], topic="tides")


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        (ChannelDestination(11, "tides"), {"type": "channel", "to": "11", "topic": "tides"}),
        (DirectDestination(frozenset({9, 7})), {"type": "direct", "to": "[7,9]"}),
    ],
)
async def test_a_destination_says_type_recipients_and_topic(
    to: Destination, expected: dict[str, str]
) -> None:
    assert await _sent(to=to) == expected
    assert "already includes" in await _refused(to=to, type="channel")
    assert "already includes" in await _refused(to=to, topic="tides")


@proves("SCH-10", "LIM-03")
async def test_content_is_measured_in_code_points_before_it_is_sent() -> None:
    limits = RequestLimits(max_message_length=3)
    assert await _sent(limits=limits, content="äöü") == {"content": "äöü"}
    assert "too long" in await _refused(limits=limits, content="äöüß")
    assert await _sent(limits=RequestLimits(), content="x" * 20_000)


@proves("SCH-13")
async def test_a_topic_is_measured_before_it_is_sent() -> None:
    limits = RequestLimits(max_topic_length=5)
    assert await _sent(limits=limits, topic="tides") == {"topic": "tides"}
    assert "too long" in await _refused(limits=limits, topic="tides!")


@proves("SCH-15")
async def test_times_are_converted_to_seconds_of_utc() -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    when = datetime.fromtimestamp(NOW + 90, east)
    assert await _sent(scheduled_delivery_timestamp=when) == {"scheduled_delivery_timestamp": str(NOW + 90)}
    assert "time zone" in await _refused(scheduled_delivery_timestamp=datetime(2040, 1, 1))  # noqa: DTZ001


@proves("SCH-26")
async def test_a_past_time_and_an_edit_of_nothing_are_refused() -> None:
    assert "in the past" in await _refused(scheduled_delivery_timestamp=NOW)
    assert "in the past" in await _refused(scheduled_delivery_timestamp=datetime.fromtimestamp(NOW - 1, UTC))
    assert "nothing" in await _refused()


@proves("SCH-16")
async def test_a_failed_message_needs_a_new_time() -> None:
    assert "new time" in await _refused(content="again", failed=True)
    assert await _sent(content="again", failed=True, scheduled_delivery_timestamp=NOW + 60)


@proves("SCH-17")
async def test_an_unknown_channel_is_named_by_its_id() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code="STREAM_DOES_NOT_EXIST", stream_id=999999)
        with pytest.raises(StreamDoesNotExist) as refusal:
            await client.scheduled_messages.edit(scheduled_message_id=6, type="channel", to=999999, topic="t")
        assert refusal.value.stream_id == 999999


@proves("SCH-18", "SCH-19")
@pytest.mark.parametrize("msg", ["Invalid user ID 999999", "Scheduled message does not exist"])
async def test_unknown_people_and_unknown_messages_are_bad_requests(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest, match=msg):
            await client.scheduled_messages.edit(scheduled_message_id=6, to=[999999])


@proves("SCH-21", "SCH-22", "SCH-23", "SCH-24")
async def test_the_list_tells_failed_messages_and_has_ids_of_its_own() -> None:
    first = {
        "scheduled_message_id": 6,
        "type": "stream",
        "to": 31,
        "content": "c",
        "topic": "t",
        "mood": "new",
    }
    second = {"scheduled_message_id": 7, "type": "private", "to": [7], "content": "c", "failed": True}
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/scheduled_messages", json={"scheduled_messages": [first, second]})
        listed = await client.scheduled_messages.list()
    assert [(entry.id, entry.failed, entry.destination) for entry in listed] == [
        (6, False, ChannelDestination(31, "t")),
        (7, True, DirectDestination(frozenset({7}))),
    ]
    assert ScheduledMessageId(6) == 6


@pytest.mark.parametrize(("level", "word"), [(173, "private"), (174, "direct")])
async def test_a_direct_message_is_scheduled_by_the_word_of_the_level(level: int, word: str) -> None:
    async with scripted_client(level, clock=VirtualClock(NOW)) as (client, transport):
        transport.prepare("POST", "/api/v1/scheduled_messages", json={"scheduled_message_id": 8})
        made = await client.scheduled_messages.create(
            to=DirectDestination(frozenset({7})), content="later", scheduled_delivery_timestamp=NOW + 5
        )
        assert made == 8
        assert transport.last.params == {
            "type": word,
            "to": "[7]",
            "content": "later",
            "scheduled_delivery_timestamp": str(NOW + 5),
        }


async def test_a_channel_message_is_scheduled_with_its_topic_and_read() -> None:
    async with scripted_client(clock=VirtualClock(NOW)) as (client, transport):
        transport.prepare("POST", "/api/v1/scheduled_messages", json={"scheduled_message_id": 8})
        await client.scheduled_messages.create(
            to=ChannelDestination(31, ""), content="later", scheduled_delivery_timestamp=NOW + 5
        )
        assert transport.last.params["topic"] == ""
        assert transport.last.params["read_by_sender"] == "true"
        transport.prepare("DELETE", PATH)
        await client.scheduled_messages.delete(scheduled_message_id=6)


async def test_at_every_level_an_edit_is_sent_as_that_level_knows_it_or_refused() -> None:
    for level in boundary_levels():
        async with scripted_client(level, clock=VirtualClock(NOW)) as (client, transport):
            if level < 184:
                with pytest.raises(Unsupported):
                    await client.scheduled_messages.edit(
                        scheduled_message_id=6, to=ChannelDestination(11, "t")
                    )
                continue
            transport.prepare("PATCH", PATH)
            await client.scheduled_messages.edit(scheduled_message_id=6, to=ChannelDestination(11, "t"))
            assert transport.last.params["type"] == ("channel" if level >= 248 else "stream")
