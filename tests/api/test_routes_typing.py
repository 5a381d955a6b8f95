"""POST /typing on both sides of its feature gates."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, Unsupported
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.routes.register import client_capabilities
from narrowcast_api.server_info import RequestLimits, ServerInfo
from narrowcast_api.wire.vocabulary import TypingOperation
from support.api import at_levels, boundary_levels, scripted_client
from support.ledger import proves

TOPIC = ChannelDestination(7, "lunch")
PAIR = DirectDestination(frozenset({9}))


@proves("TYP-01", "TYP-03", "TYP-05", "TYP-06", "TYP-07", "TYP-09", "TYP-13", "TYP-15", "TYP-18")
async def test_typing_to_people_at_every_level() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            transport.prepare("POST", "/api/v1/typing")
            done = await client.typing.set(op="start", to=PAIR)
            word = "direct" if level >= 174 else "private"
            assert transport.last.params == {"type": word, "op": "start", "to": "[9]"}, level
            assert not done.notices


@proves("TYP-02", "TYP-04", "TYP-10", "TYP-11", "TYP-12", "TYP-14", "TYP-28", "TYP-31", "CONV-14")
async def test_typing_in_a_channel_at_every_level() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            before = len(transport.requests)
            if level >= 58:
                transport.prepare("POST", "/api/v1/typing")
            done = await client.typing.set(op=TypingOperation.STOP, to=TOPIC)
            if level < 58:
                assert len(transport.requests) == before, level
                assert "needs level 58" in done.notices[0]
            else:
                place = {"stream_id": "7"} if level >= 215 else {"to": "[7]"}
                word = "channel" if level >= 248 else "stream"
                assert transport.last.params == {"type": word, "op": "stop", "topic": "lunch", **place}, level
                assert not done.notices


@proves("CONV-11", "CONV-13", "TYP-16", "TYP-17")
async def test_the_empty_topic_is_sent_itself_and_never_a_placeholder() -> None:
    limits = RequestLimits(empty_topic_name="general chat")
    async with scripted_client(limits=limits) as (client, transport):
        for level in at_levels(client, [334, 371, 372, 442]):
            for topic in ("", "(no topic)", "general chat"):
                transport.prepare("POST", "/api/v1/typing")
                await client.typing.set(op="start", to=ChannelDestination(7, topic))
                assert transport.last.params["topic"] == "", (level, topic)
        for _ in at_levels(client, [333]):
            with pytest.raises(Unsupported, match="needs level 334, the server has 333"):
                await client.typing.set(op="start", to=ChannelDestination(7, ""))


@proves("TYP-08", "TYP-33")
async def test_typing_to_nobody_is_refused_here_and_to_strangers_by_the_server() -> None:
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput):
            await client.typing.set(op="start", to=DirectDestination(frozenset()))
        with pytest.raises(InvalidInput):
            await client.typing.set(op="again", to=PAIR)
        transport.prepare_error("POST", "/api/v1/typing", code="BAD_REQUEST", msg="Invalid user ID 999999")
        with pytest.raises(BadRequest):
            await client.typing.set(op="start", to=DirectDestination(frozenset({999999})))


@proves("TYP-19", "TYP-20")
@pytest.mark.parametrize("msg", ["Missing stream_id", "anything at all"])
async def test_a_missing_channel_is_a_bad_request_whatever_its_text(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("POST", "/api/v1/typing", code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest):
            await client.typing.set(op="start", to=TOPIC)


@proves("TYP-27")
def test_channel_typing_is_declared_from_level_58() -> None:
    for level in boundary_levels():
        declared = client_capabilities(ServerInfo(level=level, known=True))
        assert ("stream_typing_notifications" in declared) is (level >= 58)
        assert all(value is True for value in declared.values())
        assert "empty_topic_name" in declared


async def test_typing_while_editing_at_both_sides_of_its_level() -> None:
    async with scripted_client(361) as (client, transport):
        transport.prepare("POST", "/api/v1/messages/5/typing", params={"op": "start"})
        await client.typing.set_edit(op="start", message_id=5)
        for _ in at_levels(client, [360]):
            assert (await client.typing.set_edit(op="start", message_id=5)).notices


async def test_a_topic_longer_than_registration_allowed_is_refused_by_code_points() -> None:
    async with scripted_client(limits=RequestLimits(max_topic_length=3)) as (client, transport):
        transport.prepare("POST", "/api/v1/typing")
        await client.typing.set(op="start", to=ChannelDestination(7, "äö😀"))
        with pytest.raises(InvalidInput, match="allows 3"):
            await client.typing.set(op="start", to=ChannelDestination(7, "äö😀x"))
