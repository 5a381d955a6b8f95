"""Which messages match a narrow: what is asked, what is read, and how it is put into a message."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadNarrow, BadRequest, InvalidInput
from narrowcast_api.narrow import Narrow
from narrowcast_api.routes import messages as message_routes
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.messages import Message, MessageMatch
from support.api import scripted_client
from support.captures import fixture
from support.ledger import proves

PATH = "/api/v1/messages/matches_narrow"


@proves("NAR-01", "NAR-02", "NAR-03", "NAR-05", "NAR-06", "NAR-07", "NAR-08", "NAR-12")
async def test_matches_come_by_id_and_those_that_do_not_match_are_missing() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", PATH, json=fixture("answers.json")["GET messages/matches_narrow"])
        found = await client.narrows.matches(
            message_ids=[504, 505], narrow=[{"operator": "search", "operand": "water"}]
        )
        assert transport.last.json("msg_ids") == [504, 505]
        assert transport.last.json("narrow") == [{"operator": "search", "operand": "water"}]
        assert set(transport.last.query) == {"msg_ids", "narrow"}
    assert set(found) == {504}
    assert "highlight" in found[504].match_content
    assert found[504].match_topic == "tides"


async def test_long_lists_are_asked_in_parts_and_an_empty_one_not_at_all() -> None:
    async with scripted_client() as (client, transport):
        asked: list[int] = []
        for _ in range(3):
            transport.prepare("GET", PATH, json={"messages": {}})
        await client.narrows.matches(message_ids=range(500), narrow=[])
        for request in transport.requests:
            part = request.json("msg_ids")
            assert isinstance(part, list)
            asked += part
        assert asked == list(range(500))
        await client.narrows.matches(message_ids=[], narrow=[])


class _Names:
    """Nobody and nothing has a name that a narrow would need."""

    def channel_id(self, name: str) -> int | None:
        return None

    def channel_name(self, channel_id: int) -> str | None:
        return None

    def user_id(self, text: str) -> int | None:
        return None

    def user_email(self, user_id: int) -> str | None:
        return None


@proves("NAR-04")
def test_a_narrow_builds_its_terms() -> None:
    server = ServerInfo(level=442, known=True)
    assert Narrow.topic(31, "tides").to_wire(server, _Names()) == [
        {"operator": "channel", "operand": 31},
        {"operator": "topic", "operand": "tides"},
    ]
    assert Narrow.all().to_wire(server, _Names()) == []


@proves("NAR-11")
async def test_operators_pass_through_and_unknown_ones_are_the_servers_to_refuse() -> None:
    strange = [{"operator": "weather", "operand": [1, {"x": None}], "negated": True}]
    async with scripted_client() as (client, transport):
        transport.prepare_error("GET", PATH, code="BAD_NARROW", msg="Invalid narrow operator", desc="weather")
        with pytest.raises(BadNarrow):
            await client.narrows.matches(message_ids=[1], narrow=strange)
        assert transport.last.json("narrow") == strange
        transport.prepare_error("GET", PATH, code="BAD_REQUEST", msg="Invalid narrow operator")
        with pytest.raises(BadRequest):
            await client.narrows.matches(message_ids=[1], narrow=strange)
        with pytest.raises(InvalidInput):
            await client.narrows.matches(message_ids=[1], narrow=[{"operand": 1}])


@proves("NAR-09", "NAR-10", "NAR-13")
def test_a_match_is_put_into_a_message_that_keeps_what_it_has() -> None:
    message = Message.model_validate(
        {
            "id": 504,
            "type": "stream",
            "sender_id": 11,
            "content": "<p>c</p>",
            "timestamp": 1,
            "weather": "fair",
        }
    )
    plain = MessageMatch.model_validate({"match_content": "<p>c</p>", "match_subject": "tides"})
    merged = message_routes.merge_match(message, plain)
    assert (merged.match_content, merged.match_topic, merged.content) == ("<p>c</p>", "tides", "<p>c</p>")
    assert merged.was_sent("weather")
    assert MessageMatch.model_validate({}).match_content == ""
