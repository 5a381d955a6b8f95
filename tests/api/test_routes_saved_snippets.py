"""Saved snippets and reminders."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, Unsupported
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/saved_snippets/4"


@proves("SNP-01", "SNP-03", "SNP-04", "SNP-05", "SNP-08")
async def test_an_edit_sends_what_changed_and_nothing_else() -> None:
    async with scripted_client() as (client, transport):
        for change in ({"title": "T"}, {"content": "c"}, {"title": "T", "content": ""}):
            transport.prepare("PATCH", PATH, params=change)
            done = await client.saved_snippets.edit(saved_snippet_id=4, **change)
            assert not done.unknown_fields


@proves("SNP-02", "SNP-10", "CONV-21")
async def test_an_edit_needs_level_368_and_the_other_operations_do_not() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            transport.prepare("GET", "/api/v1/saved_snippets", json={"saved_snippets": []})
            assert await client.saved_snippets.list() == []
            sent = len(transport.requests)
            if level >= 368:
                transport.prepare("PATCH", PATH)
                await client.saved_snippets.edit(saved_snippet_id=4, title="T")
                continue
            with pytest.raises(Unsupported) as refusal:
                await client.saved_snippets.edit(saved_snippet_id=4, title="T")
            assert refusal.value.needs == 368
            assert len(transport.requests) == sent


@proves("SNP-06", "SNP-07")
async def test_a_snippet_is_typed_and_its_text_is_left_alone() -> None:
    content = "  **Thank you** [all](https://x)\n\n* \u00e9 \n"
    async with scripted_client() as (client, transport):
        transport.prepare(
            "GET",
            "/api/v1/saved_snippets",
            json={"saved_snippets": [{"id": 4, "title": "T", "content": content, "date_created": 17}]},
        )
        (snippet,) = await client.saved_snippets.list()
    assert (snippet.id, snippet.title, snippet.content) == (4, "T", content)


@proves("SNP-09")
@pytest.mark.parametrize("status", [400, 404])
async def test_a_snippet_that_is_gone_is_a_bad_request(status: int) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code="BAD_REQUEST", msg="gone", status=status)
        with pytest.raises(BadRequest, match="gone"):
            await client.saved_snippets.edit(saved_snippet_id=4, title="T")


@proves("SNP-11")
async def test_an_edit_of_nothing_and_an_empty_title_are_refused_here() -> None:
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput, match="nothing"):
            await client.saved_snippets.edit(saved_snippet_id=4)
        with pytest.raises(InvalidInput, match="title"):
            await client.saved_snippets.edit(saved_snippet_id=4, title="  ")
        with pytest.raises(InvalidInput, match="title"):
            await client.saved_snippets.create(title="", content="c")
        assert transport.requests == []


async def test_snippets_are_created_and_deleted() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "POST",
            "/api/v1/saved_snippets",
            json={"saved_snippet_id": 4},
            params={"title": "T", "content": "c"},
        )
        assert await client.saved_snippets.create(title="T", content="c") == 4
        transport.prepare("DELETE", PATH)
        await client.saved_snippets.delete(saved_snippet_id=4)


async def test_reminders_are_made_listed_and_deleted() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "POST",
            "/api/v1/reminders",
            json={"reminder_id": 8},
            params={"message_id": "504", "scheduled_delivery_timestamp": "1790009000", "note": "look"},
        )
        made = await client.reminders.create(
            message_id=504, scheduled_delivery_timestamp=1790009000, note="look"
        )
        assert made == 8
        reminder = {"reminder_id": 8, "reminder_target_message_id": 504, "to": [11], "content": "look"}
        transport.prepare("GET", "/api/v1/reminders", json={"reminders": [reminder]})
        assert (await client.reminders.list())[0].message_id == 504
        transport.prepare("DELETE", "/api/v1/reminders/8")
        await client.reminders.delete(reminder_id=8)
