"""Flags: which ones a user may change, what the server skipped, and long lists sent in parts."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import InvalidInput, MalformedResponse, Unsupported
from narrowcast_api.routes.flags import unchanged
from narrowcast_api.wire.vocabulary import (
    CHANGEABLE_FLAGS,
    MENTION_FLAGS,
    WILDCARD_FLAGS,
    FlagOperation,
    MessageFlag,
)
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/messages/flags"
NARROW = "/api/v1/messages/flags/narrow"


@proves("FLG-01", "FLG-02", "FLG-05", "FLG-07", "FLG-08", "FLG-09")
@pytest.mark.parametrize("flag", ["read", "starred", "collapsed"])
@pytest.mark.parametrize("op", ["add", "remove"])
async def test_the_three_flags_of_a_user_are_added_and_removed(flag: str, op: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "POST", PATH, json={"messages": [504]}, params={"messages": "[504,505]", "op": op, "flag": flag}
        )
        result = await client.flags.change(message_ids=[504, 505], op=op, flag=flag)
    assert result.messages == [504]


@proves("FLG-03")
async def test_other_operations_are_refused() -> None:
    assert {op.value for op in FlagOperation} == {"add", "remove"}
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput):
            await client.flags.change(message_ids=[504], op="toggle", flag="read")
        assert transport.requests == []


@proves("FLG-04", "FLG-10", "FLG-11", "FLG-12", "FLG-13", "FLG-14", "FLG-15", "FLG-20")
async def test_flags_of_the_server_and_unknown_ones_are_refused_here() -> None:
    of_the_server = set(MessageFlag) - CHANGEABLE_FLAGS
    assert {flag.value for flag in of_the_server} == {
        "mentioned",
        "stream_wildcard_mentioned",
        "topic_wildcard_mentioned",
        "wildcard_mentioned",
        "has_alert_word",
        "historical",
    }
    async with scripted_client() as (client, transport):
        for flag in (*of_the_server, "foo"):
            with pytest.raises(InvalidInput):
                await client.flags.change(message_ids=[504], op="add", flag=flag)
        assert transport.requests == []


@proves("FLG-16")
def test_a_wildcard_is_known_by_its_old_name_and_by_both_new_ones() -> None:
    older, newer = {"wildcard_mentioned"}, {"wildcard_mentioned", "topic_wildcard_mentioned"}
    assert older & WILDCARD_FLAGS
    assert newer & WILDCARD_FLAGS
    assert {"mentioned"} & MENTION_FLAGS
    assert not {"mentioned"} & WILDCARD_FLAGS


@proves("FLG-06", "FLG-19")
async def test_channels_that_were_skipped_are_told_from_355_and_found_by_comparing_before() -> None:
    async with scripted_client(355) as (client, transport):
        response = {"messages": [504], "ignored_because_not_subscribed_channels": [32]}
        transport.prepare("POST", PATH, json=response)
        result = await client.flags.change(message_ids=[504, 505], op="remove", flag="read")
        assert result.ignored_because_not_subscribed_channels == [32]
    async with scripted_client(354) as (client, transport):
        transport.prepare("POST", PATH, json={"messages": [504]})
        result = await client.flags.change(message_ids=[504, 505], op="remove", flag="read")
        assert not result.ignored_because_not_subscribed_channels
        assert unchanged([504, 505], result) == [505]


@proves("FLG-21")
async def test_ids_that_did_not_change_or_were_not_asked_for_are_taken_as_they_come() -> None:
    async with scripted_client() as (client, transport):
        for changed in ([], [504], [504, 777]):
            transport.prepare("POST", PATH, json={"messages": changed})
            result = await client.flags.change(message_ids=[504], op="add", flag="starred")
            assert result.messages == changed


@proves("FLG-22")
async def test_long_lists_go_in_parts_of_a_thousand() -> None:
    async with scripted_client() as (client, transport):
        for skipped in ([32], [32, 33], []):
            transport.prepare(
                "POST",
                PATH,
                json={
                    "messages": [len(transport.requests)],
                    "ignored_because_not_subscribed_channels": skipped,
                },
            )
        result = await client.flags.change(message_ids=range(2_500), op="remove", flag="read")
        parts = [request.json("messages") for request in transport.requests]
    assert [len(part) for part in parts if isinstance(part, list)] == [1000, 1000, 500]
    assert result.ignored_because_not_subscribed_channels == [32, 33]
    async with scripted_client() as (client, _):
        with pytest.raises(InvalidInput):
            await client.flags.change(message_ids=[], op="add", flag="read")


async def test_a_whole_conversation_is_marked_batch_by_batch() -> None:
    first = {"processed_count": 1000, "updated_count": 7, "last_processed_id": 400, "found_newest": False}
    last = {"processed_count": 3, "updated_count": 2, "last_processed_id": 504, "found_newest": True}
    terms = [{"operator": "channel", "operand": 31}]
    async with scripted_client() as (client, transport):
        transport.prepare("POST", NARROW, json=first)
        transport.prepare("POST", NARROW, json=last)
        assert await client.flags.change_whole_narrow(narrow=terms) == 9
        one, two = transport.requests
        assert one.json("narrow") == [*terms, {"operator": "is", "operand": "unread"}]
        assert (one.params["anchor"], two.params["anchor"]) == ("oldest", "400")
        assert two.params["include_anchor"] == "false"


async def test_a_server_that_makes_no_progress_is_not_asked_for_ever() -> None:
    stuck = {"processed_count": 0, "updated_count": 0, "last_processed_id": None, "found_newest": False}
    async with scripted_client() as (client, transport):
        transport.prepare("POST", NARROW, json=stuck)
        with pytest.raises(MalformedResponse):
            await client.flags.change_whole_narrow(narrow=[])


async def test_a_channel_or_topic_is_marked_by_narrow_from_155_and_by_its_own_operation_before() -> None:
    done = {"updated_count": 1, "last_processed_id": 504, "found_newest": True}
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            if level >= 155:
                transport.prepare("POST", NARROW, json=done)
                transport.prepare("POST", NARROW, json=done)
            else:
                transport.prepare("POST", "/api/v1/mark_stream_as_read", params={"stream_id": "31"})
                transport.prepare(
                    "POST", "/api/v1/mark_topic_as_read", params={"stream_id": "31", "topic_name": "tides"}
                )
            await client.flags.mark_channel_as_read(channel_id=31)
            await client.flags.mark_topic_as_read(channel_id=31, topic="tides")
    async with scripted_client(154) as (client, _):
        with pytest.raises(Unsupported):
            await client.flags.change_whole_narrow(narrow=[])


async def test_marking_everything_goes_on_until_it_is_complete() -> None:
    path = "/api/v1/mark_all_as_read"
    async with scripted_client() as (client, transport):
        transport.prepare("POST", path, json={"complete": False})
        transport.prepare("POST", path, json={"result": "partially_completed", "code": "REQUEST_TIMEOUT"})
        transport.prepare("POST", path, json={"complete": True})
        assert await client.flags.mark_all_as_read()
        transport.prepare("POST", path, json={"complete": False})
        assert not await client.flags.mark_all_as_read(progress=lambda: False)
