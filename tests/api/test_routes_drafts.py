"""Drafts are sent whole, in the three types that servers accept, and without fields that must not be sent."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, NotFound
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources.drafts import DraftVersion, read_draft
from narrowcast_api.wire.vocabulary import DraftType
from support.api import scripted_client
from support.clock import VirtualClock
from support.ledger import proves

PATH = "/api/v1/drafts/3"


@proves("DRF-01", "DRF-02", "DRF-03", "DRF-06", "DRF-07", "DRF-12", "DRF-16")
async def test_an_edited_channel_draft_travels_whole_as_json() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", PATH)
        draft = DraftVersion(ChannelDestination(31, "tides"), "half a thought")
        done = await client.drafts.edit(draft_id=3, draft=draft, timestamp=1790000000)
        assert set(transport.last.params) == {"draft"}
        assert transport.last.json("draft") == {
            "type": "stream",
            "to": [31],
            "topic": "tides",
            "content": "half a thought",
            "timestamp": 1790000000,
        }
        assert not done.unknown_fields


@proves("DRF-08", "DRF-10")
async def test_a_direct_draft_names_people_and_has_no_topic() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", PATH)
        await client.drafts.edit(draft_id=3, draft=DraftVersion(DirectDestination(frozenset({9, 7})), "hi"))
        sent = transport.last.json("draft")
        assert isinstance(sent, dict)
        assert (sent["type"], sent["to"], sent["topic"]) == ("private", [7, 9], "")


@proves("DRF-09")
async def test_a_draft_for_nobody_yet_goes_to_an_empty_list() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", PATH)
        await client.drafts.edit(draft_id=3, draft=DraftVersion(None, "hm"))
        sent = transport.last.json("draft")
        assert isinstance(sent, dict)
        assert (sent["type"], sent["to"], sent["topic"]) == ("", [], "")


@proves("DRF-04")
async def test_a_fetched_draft_is_sent_back_without_its_id() -> None:
    fetched = read_draft(
        {"id": 3, "type": "stream", "to": [31], "topic": "t", "content": "c", "timestamp": 17, "later": 1}
    )
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", PATH)
        await client.drafts.edit(draft_id=3, draft=fetched.version, timestamp=fetched.timestamp)
        assert transport.last.json("draft") == {
            "type": "stream",
            "to": [31],
            "topic": "t",
            "content": "c",
            "timestamp": 17,
        }


@proves("DRF-14", "DRF-18")
async def test_a_draft_always_has_a_time_in_whole_seconds() -> None:
    async with scripted_client(clock=VirtualClock(1_800_000_000.9)) as (client, transport):
        transport.prepare("PATCH", PATH)
        await client.drafts.edit(draft_id=3, draft=DraftVersion(None, "hm"))
        sent = transport.last.json("draft")
        assert isinstance(sent, dict)
        assert sent["timestamp"] == 1_800_000_000


@proves("DRF-05")
async def test_only_the_three_types_of_drafts_are_sent() -> None:
    assert {kind.value for kind in DraftType} == {"", "stream", "private"}
    async with scripted_client() as (client, transport):
        for where in (None, ChannelDestination(1, "t"), DirectDestination(frozenset({1}))):
            transport.prepare("PATCH", PATH)
            await client.drafts.edit(draft_id=3, draft=DraftVersion(where, "x"))
            sent = transport.last.json("draft")
            assert isinstance(sent, dict)
            assert sent["type"] in set(DraftType)


@pytest.mark.parametrize("to", [[], "7", None, {}])
def test_a_channel_draft_without_a_channel_is_one_without_an_address(to: object) -> None:
    row = {"id": 3, "type": "stream", "to": to, "topic": "t", "content": "c"}
    assert read_draft(row).version == DraftVersion(None, "c")


@proves("DRF-11", "DRF-13")
async def test_null_characters_are_refused_here() -> None:
    async with scripted_client() as (client, _):
        for draft in (DraftVersion(None, "a\0b"), DraftVersion(ChannelDestination(1, "a\0b"), "fine")):
            with pytest.raises(InvalidInput, match="null"):
                await client.drafts.edit(draft_id=3, draft=draft)


@proves("DRF-15")
@pytest.mark.parametrize(("status", "error"), [(400, BadRequest), (404, NotFound)])
async def test_a_draft_that_is_gone_is_a_bad_request(status: int, error: type[BadRequest]) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code="BAD_REQUEST", msg="Draft does not exist", status=status)
        with pytest.raises(error, match="does not exist"):
            await client.drafts.edit(draft_id=3, draft=DraftVersion(None, "x"))


async def test_an_id_that_is_no_number_is_refused_here() -> None:
    async with scripted_client() as (client, _):
        with pytest.raises(InvalidInput):
            await client.drafts.edit(draft_id="3/../../users", draft=DraftVersion(None, "x"))  # type: ignore[arg-type]  # on purpose


@proves("DRF-17")
async def test_drafts_are_listed_created_and_deleted_too() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "GET",
            "/api/v1/drafts",
            json={
                "count": 2,
                "drafts": [{"id": 3, "type": "", "to": [], "topic": "", "content": "c"}, {"id": "?"}],
            },
        )
        assert [draft.id for draft in await client.drafts.list()] == [3]
        transport.prepare("POST", "/api/v1/drafts", json={"ids": [4, 5]})
        assert await client.drafts.create(drafts=[DraftVersion(None, "a"), DraftVersion(None, "b")]) == [4, 5]
        assert await client.drafts.create(drafts=[]) == []
        transport.prepare("DELETE", PATH)
        await client.drafts.delete(draft_id=3)
