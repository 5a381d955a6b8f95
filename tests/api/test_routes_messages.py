"""Messages: fetch, send, edit, delete."""

from __future__ import annotations

import hashlib

import httpx2
import pytest

from narrowcast_api.errors import (
    ApiError,
    BadRequest,
    ExpectationMismatch,
    InvalidInput,
    OutcomeUnknown,
    ServerFault,
    StreamDoesNotExist,
    Unsupported,
)
from narrowcast_api.http.conversations import Addressee
from narrowcast_api.http.operations import OMIT, Omit
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.server_info import RequestLimits
from narrowcast_api.wire.vocabulary import PropagateMode
from support.api import at_levels, boundary_levels, scripted_client
from support.ledger import proves

SEND = "/api/v1/messages"
FIVE = "/api/v1/messages/5"
LUNCH = ChannelDestination(7, "lunch")


def message(message_id: int) -> dict[str, object]:
    return {
        "id": message_id,
        "type": "stream",
        "stream_id": 7,
        "sender_id": 1,
        "content": "x",
        "timestamp": 1,
    }


@proves("CONV-14")
async def test_a_message_is_addressed_in_the_words_of_the_level() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            transport.prepare("POST", SEND, json={"id": 5})
            sent = await client.messages.send(to=LUNCH, content="hi", local_id="7.01", queue_id="q")
            expected = {
                "type": "channel" if level >= 248 else "stream",
                "to": "7",
                "topic": "lunch",
                "content": "hi",
                "local_id": "7.01",
                "queue_id": "q",
            }
            if level >= 236:
                expected["read_by_sender"] = "true"
            assert transport.last.params == expected, level
            assert sent.id == 5
            assert bool(sent.notices) is (level < 236)
            transport.prepare("POST", SEND, json={"id": 6})
            await client.messages.send(to=DirectDestination(frozenset({9, 8})), content="hi")
            assert transport.last.params["type"] == ("direct" if level >= 174 else "private")
            assert transport.last.params["to"] == "[8,9]"


async def test_a_channel_may_be_named_and_people_told_by_email() -> None:
    async with scripted_client(100) as (client, transport):
        for to, topic, type_, wire in (
            ("general", "soup", "stream", "general"),
            (7, "soup", "stream", "7"),
            ("7", "soup", "stream", '"7"'),
            ("[x]", "soup", "stream", "[x]"),
            ("true", "soup", "stream", '"true"'),
            ("bruno@example.org", OMIT, "private", '["bruno@example.org"]'),
            (
                ["bruno@example.org", "chiyo@example.org"],
                OMIT,
                "private",
                '["bruno@example.org","chiyo@example.org"]',
            ),
            ([9, 8], OMIT, "private", "[8,9]"),
            ([], OMIT, "private", "[1]"),
        ):
            transport.prepare("POST", SEND, json={"id": 5})
            await client.messages.send(to=to, topic=topic, content="hi")
            params = transport.last.params
            assert (params["type"], params["to"], params.get("topic", OMIT)) == (type_, wire, topic)


@pytest.mark.parametrize(
    ("to", "topic", "says"),
    [
        (LUNCH, "soup", "leave topic out"),
        ("general", OMIT, "needs a topic"),
        (7, OMIT, "needs a topic"),
        ([7], "soup", "one channel"),
        ("  ", "soup", "one channel"),
        ([7, "bruno@example.org"], OMIT, "not both"),
        ([-7], OMIT, "whole number"),
    ],
)
async def test_an_address_that_does_not_fit_is_refused_before_it_is_sent(
    to: Addressee, topic: str | Omit, says: str
) -> None:
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput, match=says):
            await client.messages.send(to=to, topic=topic, content="hi")
        assert transport.requests == []


async def test_a_note_to_oneself_is_addressed_to_oneself() -> None:
    async with scripted_client() as (client, transport):
        nobody = DirectDestination(frozenset())
        transport.prepare("POST", SEND, json={"id": 5})
        await client.messages.send(to=nobody, content="hi")
        assert transport.last.params["to"] == "[1]"
        client.connection.own_user_id = None
        transport.prepare("GET", "/api/v1/users/me", json={"user_id": 44, "full_name": "Ada"})
        for _ in range(2):
            transport.prepare("POST", SEND, json={"id": 5})
            await client.messages.send(to=nobody, content="hi")
            assert transport.last.params["to"] == "[44]"


@proves("CONV-13")
async def test_the_empty_topic_needs_334() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            if level >= 334:
                transport.prepare("POST", SEND, json={"id": 5})
                await client.messages.send(to=ChannelDestination(7, ""), content="hi")
                assert transport.last.params["topic"] == ""
            else:
                with pytest.raises(Unsupported, match="needs level 334"):
                    await client.messages.send(to=ChannelDestination(7, ""), content="hi")


@proves("LIM-03")
async def test_lengths_are_checked_in_code_points_where_registration_gave_them() -> None:
    async with scripted_client(limits=RequestLimits(max_message_length=4)) as (client, transport):
        transport.prepare("POST", SEND, json={"id": 5})
        await client.messages.send(to=LUNCH, content="😀😀😀😀")
        for content in ("12345", "", " \n\t", "a\0b"):
            with pytest.raises(InvalidInput):
                await client.messages.send(to=LUNCH, content=content)
    async with scripted_client() as (client, transport):
        transport.prepare("POST", SEND, json={"id": 5})
        await client.messages.send(to=LUNCH, content="x" * 100_000)


async def test_sending_says_whether_it_may_have_been_carried_out() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", SEND, error=httpx2.ReadTimeout("slow"))
        with pytest.raises(OutcomeUnknown):
            await client.messages.send(to=LUNCH, content="hi")
        transport.prepare("POST", SEND, status=502, content=b"<html>")
        with pytest.raises(ServerFault):
            await client.messages.send(to=LUNCH, content="hi")
        transport.prepare_error("POST", SEND, code="STREAM_DOES_NOT_EXIST", stream_id=7)
        with pytest.raises(StreamDoesNotExist):
            await client.messages.send(to=LUNCH, content="hi")


async def test_a_page_is_asked_for_in_the_words_of_the_level() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            transport.prepare(
                "GET", SEND, json={"messages": [message(4), message(5), {"id": "x"}], "anchor": 5}
            )
            page = await client.messages.list(
                narrow=[{"operator": "is", "operand": "starred"}],
                anchor=5,
                num_before=10,
                include_anchor=False,
            )
            sent = dict(transport.last.params)
            assert sent.pop("include_anchor", None) == ("false" if level >= 155 else None)
            assert sent.pop("allow_empty_topic_name", None) == ("true" if level >= 334 else None)
            assert sent == {
                "anchor": "5",
                "num_before": "10",
                "num_after": "0",
                "apply_markdown": "true",
                "client_gravatar": "true",
                "narrow": '[{"operator":"is","operand":"starred"}]',
            }
            assert [it.id for it in page.messages] == [4], "without the anchor, and without what is broken"


async def test_one_message_and_messages_by_id() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", FIVE, json={"message": message(5), "raw_content": "x"})
        response = await client.messages.get(message_id=5, apply_markdown=False)
        assert response.message is not None
        assert transport.last.params == {"apply_markdown": "false", "allow_empty_topic_name": "true"}
        for _ in at_levels(client, [119]):
            transport.prepare("GET", FIVE, json={"raw_content": "x"}, params={})
            assert (await client.messages.get(message_id=5)).raw_content == "x"
        transport.prepare("GET", SEND, json={"messages": [message(5)]})
        for level in at_levels(client, [299, 300]):
            if level < 300:
                with pytest.raises(Unsupported):
                    await client.messages.list_by_id(message_ids=[5])
            else:
                await client.messages.list_by_id(message_ids=[5])
                assert transport.last.params == {"message_ids": "[5]", "apply_markdown": "true"}
        transport.prepare_error("GET", FIVE, code="BAD_REQUEST", msg="Invalid message(s)")
        with pytest.raises(BadRequest):
            await client.messages.get(message_id=5)


async def test_an_edit_sends_what_changes_and_what_it_started_from() -> None:
    digest = hashlib.sha256("ö".encode()).hexdigest()
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", FIVE, params={"content": "new", "prev_content_sha256": digest})
        await client.messages.edit(message_id=5, content="new", expected_content="ö")
        for _ in at_levels(client, [378]):
            transport.prepare("PATCH", FIVE, params={"content": "new"})
            assert (await client.messages.edit(message_id=5, content="new", expected_content="ö")).notices
        transport.prepare(
            "PATCH",
            FIVE,
            params={
                "topic": "dinner",
                "stream_id": "8",
                "propagate_mode": "change_later",
                "send_notification_to_new_thread": "false",
            },
        )
        await client.messages.edit(
            message_id=5,
            topic="dinner",
            channel=8,
            propagate_mode=PropagateMode.CHANGE_LATER,
            notify_new_thread=False,
        )
        with pytest.raises(InvalidInput):
            await client.messages.edit(message_id=5)
        transport.prepare("PATCH", FIVE, params={"content": ""})
        await client.messages.edit(message_id=5, content="")
        transport.prepare_error("PATCH", FIVE, code="EXPECTATION_MISMATCH", field_name="prev_content_sha256")
        with pytest.raises(ExpectationMismatch):
            await client.messages.edit(message_id=5, content="new", expected_content="ö")


@pytest.mark.parametrize(
    ("source", "error"),
    [("theirs", ExpectationMismatch), ("ours", BadRequest)],
    ids=["changed meanwhile", "another reason"],
)
async def test_a_conflict_of_an_edit_is_told_by_the_text_where_its_code_is_general(
    source: str, error: type[ApiError]
) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", FIVE, code="BAD_REQUEST", msg="Das geht nicht.")
        transport.prepare("GET", FIVE, json={"raw_content": source})
        with pytest.raises(error) as caught:
            await client.messages.edit(message_id=5, content="new", expected_content="ours")
        assert type(caught.value) is error
        transport.prepare_error("PATCH", FIVE, code="BAD_REQUEST", msg="Das geht nicht.")
        with pytest.raises(BadRequest):
            await client.messages.edit(message_id=5, content="new")


async def test_an_edit_is_refused_for_its_own_reason_where_the_message_cannot_be_fetched() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", FIVE, code="BAD_REQUEST", msg="Das geht nicht.")
        transport.prepare_error("GET", FIVE, code="BAD_REQUEST", msg="Diese Nachricht gibt es nicht.")
        with pytest.raises(BadRequest, match="Das geht nicht"):
            await client.messages.edit(message_id=5, content="new", expected_content="ours")


async def test_a_message_is_deleted() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("DELETE", FIVE)
        await client.messages.delete(message_id=5)


async def test_the_edit_history_of_a_message_is_fetched() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", f"{FIVE}/history", json={"message_history": [{"timestamp": 1, "topic": ""}]})
        assert (await client.messages.history(message_id=5)).message_history[0].timestamp == 1


async def test_the_server_renders_a_text() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", f"{SEND}/render", json={"rendered": "<p>x</p>"}, params={"content": "x"})
        assert (await client.messages.render(content="x")).rendered == "<p>x</p>"


async def test_read_receipts_are_fetched_from_137() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", f"{FIVE}/read_receipts", json={"user_ids": [8, 9]})
        for level in at_levels(client, [136, 137]):
            if level < 137:
                with pytest.raises(Unsupported):
                    await client.messages.read_receipts(message_id=5)
            else:
                assert (await client.messages.read_receipts(message_id=5)).user_ids == [8, 9]


async def test_messages_are_reported_from_382() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", f"{FIVE}/report", params={"report_type": "spam"})
        for level in at_levels(client, [381, 382]):
            if level < 382:
                with pytest.raises(Unsupported):
                    await client.messages.report(message_id=5, report_type="spam")
            else:
                await client.messages.report(message_id=5, report_type="spam")
